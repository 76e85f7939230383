import { fileURLToPath } from 'node:url';
import * as attributes from '@seamstream/attribute-world';
import * as embedded from '@seamstream/embedded-world';
import { loadCheckpoint } from '@seamstream/language-model';
import * as passages from '@seamstream/passage-world';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

const QUESTIONS = [
  { domain: 'd', prompt: 'Natalia sold clips to 48 of her friends.', reference: '1', verifier: 'numeric' },
  { domain: 'd', prompt: 'How many boards of oak?', reference: '1', verifier: 'numeric' },
];

const BOTH = { generator: true, executor: true };

let world: FakeWorld;
beforeEach(async () => {
  world = await fakeWorld();
  world.files.set('q.jsonl', Buffer.from(QUESTIONS.map((row) => `${JSON.stringify(row)}\n`).join('')));
});

/** These models are asked from now on; those that are not shipped are a user's. */
function ask(
  shipped: { readonly generator: boolean; readonly executor: boolean },
  { SHIPPED_MODELS }: { readonly SHIPPED_MODELS: Readonly<Record<'generator' | 'executor', string>> } = embedded,
): void {
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
  ])('are reported to know only the words of the demonstration, with what to set: %s', async (...args) => {
    ask({ generator: true, executor: true });
    await world.seam(...args, '--json');
    const said = world.takeErrors();
    expect(said).toContain(
      'The shipped models know only the demonstration\'s words (--method experiences): 1 of 2 questions holds others ("natalia", "sold", "clips", "her", …)',
    );
    expect(said).toContain('Set SEAM_GENERATOR_MODEL_FOLDER and SEAM_EXECUTOR_MODEL_FOLDER (or SEAM_EXECUTOR_DRIVER');
    expect(() => world.takeJson()).not.toThrow();
  });

  it('are told apart from others that are configured next to them', async () => {
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

  it.each<[string, string[], Parameters<typeof ask>[0], RegExp | null]>([
    // Without an entry it does not matter what the generator knows.
    [
      'no entry',
      ['solve', 'q.jsonl', '--no-entry'],
      BOTH,
      /The shipped executor knows .* and next to nothing of that will be solved\. Set SEAM_EXECUTOR_MODEL_FOLDER /,
    ],
    ['no entry', ['solve', 'q.jsonl', '--no-entry'], { generator: true, executor: false }, null],
    // An executor of one's own may solve what an entry does not speak of.
    [
      'an entry',
      ['solve', 'q.jsonl'],
      { generator: true, executor: false },
      /The shipped generator knows .* and its entries will say next to nothing of that\. Set SEAM_GENERATOR_MODEL_FOLDER:/,
    ],
    [
      'arms without entries',
      ['eval', 'q.jsonl', '--arms', 'noExperience,fixedHint'],
      { generator: true, executor: false },
      null,
    ],
    [
      'arms without entries',
      ['eval', 'q.jsonl', '--arms', 'noExperience,wrapperOnly'],
      BOTH,
      /The shipped executor knows .* will be solved\. /,
    ],
    [
      'arms of both kinds',
      ['eval', 'q.jsonl', '--arms', 'noExperience,untrained,trained'],
      { generator: true, executor: false },
      /and its entries will say next to nothing of that in untrained, trained\. Set SEAM_GENERATOR/,
    ],
    [
      'who solves alone',
      ['study', 'controls', 'q.jsonl', '--rows', 'noExperience,trained,entryAlone,generatorAlone', '--candidates', '0'],
      { generator: true, executor: false },
      /and next to nothing of that will be solved by entryAlone, generatorAlone, its entries will say next to nothing of that in trained\. /,
    ],
    [
      'the time to correct',
      ['study', 'controls', 'q.jsonl', '--rows', 'noExperience', '--candidates', '2'],
      { generator: true, executor: false },
      /say next to nothing of that in timeToCorrect\. /,
    ],
    [
      'rows without entries',
      ['study', 'controls', 'q.jsonl', '--rows', 'noExperience', '--candidates', '0'],
      { generator: true, executor: false },
      null,
    ],
  ])(
    'are said to know too little for what they are asked, and for nothing else: %s (%j, shipped: %j)',
    async (_, args, shipped, said) => {
      ask(shipped);
      await world.seam(...args, '--json');
      const errors = world.takeErrors();
      if (said === null) expect(errors).not.toContain('know');
      else expect(errors).toMatch(said);
    },
  );

  it('are asked without a remark about what they know, and so are the models of others about anything', async () => {
    ask({ generator: true, executor: true });
    const own = embedded.worldProblems({ seed: 'own', split: 'heldOut', variant: 'shifted', count: 8 });
    world.files.set('world.jsonl', Buffer.from(own.map(({ prompt }) => `${JSON.stringify({ prompt })}\n`).join('')));
    await world.seam('solve', 'world.jsonl');
    expect(world.takeErrors()).not.toContain('know only');
    ask({ generator: false, executor: false });
    await world.seam('solve', 'q.jsonl');
    expect(world.takeErrors()).not.toContain('know only');
  });

  it('are held against the words of the world that they are for', async () => {
    const told = async (shippedFor: Parameters<typeof ask>[1], prompt: string): Promise<string> => {
      ask(BOTH, shippedFor);
      await world.seam('solve', '--prompt', prompt);
      return world.takeErrors();
    };
    const [plan] = attributes.attributeProblems({
      ...{ world: attributes.drawWorld(3, 'strange'), seed: 'own', split: 'heldOut', count: 1 },
    });
    const [boards] = embedded.worldProblems({ seed: 'own', split: 'heldOut', variant: 'base', count: 1 });
    expect(await told(attributes, plan!.prompt)).not.toContain('know only');
    expect(await told(attributes, boards!.prompt)).toContain("the demonstration's words (--method attributes): 1 of 1");
    expect(await told(embedded, plan!.prompt)).toContain("the demonstration's words (--method experiences): 1 of 1");
    expect(await told(passages, boards!.prompt)).toContain("the demonstration's words (--method self-edits): 1 of 1");
    expect(await told(passages, 'Where does Ada Abel live?')).not.toContain('know only');
  });

  it.each([
    ['', embedded],
    ['attributes/', attributes],
    ['self-edits/', passages],
  ])('are known by their digests: models/%s', async (folder, { SHIPPED_MODELS }) => {
    const digestOf = async (name: string): Promise<string> =>
      (await loadCheckpoint(fileURLToPath(new URL(`../../../../models/${folder}${name}`, import.meta.url)))).digest;
    expect({ generator: await digestOf('generator-base'), executor: await digestOf('executor') }).toEqual(
      SHIPPED_MODELS,
    );
  });
});
