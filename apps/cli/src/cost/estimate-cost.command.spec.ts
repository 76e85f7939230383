/** On the shipped executor: what is estimated is compared with what a real run took. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadPrompts } from '@seamstream/experience';
import { innerUpdateSchema } from '@seamstream/inner-update';
import { LanguageModel } from '@seamstream/language-model';
import { LanguageModelExecutor, LanguageModelTraining } from '@seamstream/model-clients';
import type { EstimatedCost } from '@seamstream/operations/cost';
import type { EditRequest, EditWriter } from '@seamstream/self-edits';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

let model: LanguageModel;
let training: LanguageModelTraining;
let world: FakeWorld;
beforeAll(async () => {
  model = await LanguageModel.load(FOLDER, { threads: 1 });
  training = new LanguageModelTraining(FOLDER, model, { threads: 1, executionProvider: 'cpu' });
  const executor = new LanguageModelExecutor(model, { name: 'executor', maxTokens: 24, training });
  world = await fakeWorld();
  world.learner = { executor, prompts: await loadPrompts({ template: 'direct' }), update: UPDATE };
  world.editWriter = writer;
  world.trainedWriter = executor;
  world.files.set('p.jsonl', Buffer.from(PASSAGES.map((passage) => `${JSON.stringify(passage)}\n`).join('')));
});
afterAll(async () => {
  await training.close();
  await model.close();
});

const estimate = (...options: string[]) => world.seam('cost', 'estimate', 'p.jsonl', ...options);

describe('seam cost estimate', () => {
  it('estimates what further passages really take, for any length', async () => {
    // The machine may be busy with something else for a while: one of three estimates has to hold.
    let error = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < 3 && Math.abs(error) > 0.5; attempt++) {
      await estimate('--kind', 'passage', '--calibrate', '3', '--verify', '5', '--json');
      const [{ verified }] = world.takeJson() as [EstimatedCost];
      expect(verified!.passages).toBe(5);
      error = verified!.error;
    }
    expect(Math.abs(error)).toBeLessThan(0.5);
  });

  it('counts the work of all passages, edits and iterations', async () => {
    await estimate('--kind', 'passage', '--iterations', '2', '--edits-per-passage', '3', '--json');
    const [cost] = world.takeJson() as [EstimatedCost];
    const tokens = PASSAGES.map(({ passage }) => model.tokenizer.encodeDocument(passage).length - 1);
    expect(cost.phases.training.units).toBe(2 * 3 * UPDATE.epochs * tokens.reduce((sum, each) => sum + each, 0));
    expect(cost.phases.answering.units).toBe(2 * 3 * PASSAGES.length);
    expect(cost.phases.writing.units).toBe(0);
  });

  it('has the generator write, within its own limit, and trains it on what it wrote', async () => {
    expect(await estimate('--calibrate', '2', '--edits-per-passage', '3', '--json')).toBe(0);
    const [{ phases }] = world.takeJson() as [EstimatedCost];
    const written = model.tokenizer.encode(EDIT).length;
    expect(phases.writing.units).toBe(2 * 3 * PASSAGES.length * written);
    expect(phases.learning.seconds).toBeGreaterThan(0);
    expect(asked.map(({ kind, sampling }) => [kind.name, sampling.maxTokens])).toEqual(
      Array.from({ length: 1 + 2 }, () => ['implications', 16]),
    );
    expect(await estimate('--calibrate', '2', '--max-tokens', '9', '--writer-epochs', '0', '--json')).toBe(0);
    expect(world.takeJson()).toMatchObject([{ phases: { learning: { units: 0, seconds: 0 } } }]);
    expect(asked.at(-1)!.sampling.maxTokens).toBe(9);
  });

  it('trains on each edit as often as the executor does, unless another number is given', async () => {
    const unitsOf = async (...options: string[]) => {
      await estimate('--kind', 'passage', '--calibrate', '2', '--json', ...options);
      const [{ phases, trainingsPerEdit }] = world.takeJson() as [EstimatedCost];
      return [trainingsPerEdit, phases.answering.units / PASSAGES.length];
    };
    expect(await unitsOf()).toEqual([1, 10]);
    world.learner = { ...world.learner!, answersPerEntry: 3 };
    expect(await unitsOf()).toEqual([3, 30]);
    expect(await unitsOf('--trainings-per-edit', '2')).toEqual([2, 20]);
    world.learner = { ...world.learner, answersPerEntry: 1 };
  });

  it('takes a kind of your own', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'seam-cost-'));
    const template = join(folder, 'own.json');
    await writeFile(template, JSON.stringify({ template: 'Say it:\n{passage}\n' }));
    try {
      expect(await estimate('--calibrate', '2', '--template', template, '--json')).toBe(0);
      expect(asked.at(-1)!.kind.name).toBe('own');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('says that an edit could not be written: that is no estimate', async () => {
    fails = true;
    expect(await estimate('--calibrate', '2')).not.toBe(0);
    expect(world.takeErrors()).toContain('expected an edit, got none (out of memory)');
    fails = false;
  });

  it('shows time, its interval, promotions, and money', async () => {
    const options = ['--calibrate', '2', '--speed', '40', '--price-per-hour', '2.5', '--validation-passages', '4'];
    expect(await estimate(...options)).toBe(0);
    const output = world.takeOutput();
    expect(output).toMatch(/^writing +\d[\d,]* tokens written/m);
    expect(output).toMatch(/^learning +\d[\d,]* tokens trained/m);
    expect(output).toMatch(
      /8 passages, 5 edits each, 1 training an edit, 2 iterations: .* \(95 %: .* … .*, ± .* %\)\./,
    );
    expect(output).toMatch(
      /The writer learns from 1 edit of each passage in 2 epochs; promotions on 4 passages take \S+/,
    );
    expect(output).toMatch(/At this price: \d+\.\d\d \(/);
  });

  it('says that the writer does not learn where nothing is written', async () => {
    expect(await estimate('--kind', 'passage', '--calibrate', '2')).toBe(0);
    expect(world.takeOutput()).toContain('The writer does not learn; promotions are not counted');
  });

  it('refuses to measure more passages than there are', async () => {
    expect(await estimate('--calibrate', '6', '--verify', '3')).toBe(2);
    expect(world.takeErrors()).toContain('expected at least 9 passages to measure, got 8');
    expect(await estimate('--speed', '0')).toBe(2);
  });
});

const EDIT = 'The house is blue. Its door is red.';
const asked: EditRequest[] = [];
let fails = false;

/** Writes the same edit about every passage. */
const writer: EditWriter = {
  identity: { source: 'spec', model: 'writer', adapter: null, form: '' },
  batch: 1,
  countTokens: (text) => model.tokenizer.encode(text).length,
  write(requests, { onOutcome }) {
    asked.push(...requests);
    const failed = { status: 'failed', code: 'SESSION_FAILED', reason: 'out of memory', retryable: true } as const;
    requests.forEach((_, at) => onOutcome(at, fails ? failed : { status: 'written', text: EDIT }));
    return Promise.resolve();
  },
  close: () => Promise.resolve(),
};

const FOLDER = fileURLToPath(new URL('../../../../models/executor', import.meta.url));
const UPDATE = innerUpdateSchema.parse({ rank: 8, alpha: 16, epochs: 10, plateau: { patience: 0 } });
/** Of different lengths. */
const PASSAGES = Array.from({ length: 8 }, (_, house) => ({
  passage: `House ${house} is blue.${' Its door is red.'.repeat(1 + ((house * 3) % 8))}`,
  questions: [{ question: `Which colour has house ${house}?`, reference: 'blue' }],
}));
