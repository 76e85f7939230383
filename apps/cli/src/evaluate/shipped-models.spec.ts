import { SHIPPED_MODELS, worldProblems } from '@seamstream/embedded-world';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

const QUESTIONS = [
  { domain: 'd', prompt: 'Natalia sold clips to 48 of her friends.', reference: '1', verifier: 'numeric' },
  { domain: 'd', prompt: 'How many boards of oak?', reference: '1', verifier: 'numeric' },
];

let world: FakeWorld;
beforeEach(async () => {
  world = await fakeWorld();
  world.files.set('q.jsonl', Buffer.from(QUESTIONS.map((row) => `${JSON.stringify(row)}\n`).join('')));
});

/** These models are asked from now on; those that are not shipped are somebody's own. */
function ask(shipped: { readonly generator: boolean; readonly executor: boolean }): void {
  const { generator, executor } = world.models;
  world.models = {
    ...world.models,
    generator: { ...generator, digest: shipped.generator ? SHIPPED_MODELS.generator : generator.digest },
    executor: {
      ...executor,
      identity: { ...executor.identity, revision: shipped.executor ? SHIPPED_MODELS.executor : 'own' },
    },
  };
}

describe('the shipped models, asked with words that they do not know', () => {
  it.each([
    ['solve', 'q.jsonl'],
    ['eval', 'q.jsonl'],
    ['study', 'controls', 'q.jsonl', '--hints-from', 'q.jsonl'],
  ])('are told to know only the demonstration’s, with what to set: %s', async (...args) => {
    ask({ generator: true, executor: true });
    await world.seam(...args, '--json');
    const said = world.takeErrors();
    expect(said).toContain(
      'The shipped models know only the demonstration\'s words: 1 of 2 questions holds others ("natalia", "sold", "clips", "her", …)',
    );
    expect(said).toContain('Set SEAM_GENERATOR_MODEL_FOLDER and SEAM_EXECUTOR_MODEL_FOLDER (or SEAM_EXECUTOR_DRIVER');
    expect(() => world.takeJson()).not.toThrow();
  });

  it('are told apart from others that are configured beside them', async () => {
    ask({ generator: false, executor: true });
    await world.seam('solve', 'q.jsonl');
    const executor = world.takeErrors();
    expect(executor).toContain('The shipped executor knows only');
    expect(executor).not.toContain('SEAM_GENERATOR_MODEL_FOLDER');
    ask({ generator: true, executor: false });
    await world.seam('solve', 'q.jsonl');
    const generator = world.takeErrors();
    expect(generator).toContain('The shipped generator knows only');
    expect(generator).not.toContain('SEAM_EXECUTOR');
  });

  it('are asked without a remark about what they know, and so are the models of others about anything', async () => {
    ask({ generator: true, executor: true });
    const own = worldProblems({ seed: 'own', split: 'heldOut', variant: 'shifted', count: 8 });
    world.files.set('world.jsonl', Buffer.from(own.map(({ prompt }) => `${JSON.stringify({ prompt })}\n`).join('')));
    await world.seam('solve', 'world.jsonl');
    expect(world.takeErrors()).not.toContain('know only');
    ask({ generator: false, executor: false });
    await world.seam('solve', 'q.jsonl');
    expect(world.takeErrors()).not.toContain('know only');
  });
});
