/** On the shipped executor, which learns a few sentences within a second. */
import { decodeLearned, LEARNED_FILE, type LearnedRecord } from '@seamstream/inner-update';
import type { LanguageModel } from '@seamstream/language-model';
import type { RetentionReport } from '@seamstream/operations/evaluate';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';
import { PASSAGES, type TrainedLearner, trainedLearner } from '../study/trained-learner.fake.js';

let opened: TrainedLearner;
let world: FakeWorld;
beforeAll(async () => {
  opened = await trainedLearner('executor', { maxTokens: 8, epochs: 40 });
});
afterAll(() => opened.close());
beforeEach(async () => {
  world = await fakeWorld();
  world.learner = opened.learner;
  world.files.set('p.jsonl', linesOf(PASSAGES));
  world.files.set('edits.jsonl', linesOf(EDITS));
});

/** Settings by which all four passages are learned. */
const WELL = ['--questions', 'p.jsonl', '--epochs', '60', '--batch-tokens', '2000'];
const train = (...args: string[]) => world.seam('edits', 'train', 'edits.jsonl', ...args);
async function trained(...args: string[]): Promise<LearnedRecord> {
  expect(await train('--to', 'learned', '--force', ...args, '--json')).toBe(0);
  return world.takeJson()[0] as LearnedRecord;
}
const partOf = (part: keyof typeof LEARNED_FILE) => world.files.get(`learned/${LEARNED_FILE[part]}`);
/** An executor that carries what the folder `learned` holds. */
const carrying = () =>
  trainedLearner('executor', {
    ...{ maxTokens: 8, epochs: 5 },
    learned: (base: LanguageModel) => {
      const files = { tensors: partOf('tensors')!, config: partOf('config')!, record: partOf('record')! };
      return decodeLearned('learned', files, base).adapter;
    },
  });

describe('seam edits train', () => {
  it('keeps what was learned of all passages, says what it is worth, and comes to the same weights again', async () => {
    const record = await trained(...WELL);
    expect(record).toMatchObject({
      ...{ parent: null, order: 'together', withPassages: true, seed: '1' },
      edits: { passages: 4, edits: 4, documents: 12 },
      training: { trainings: 1, refused: 0, steps: 60 },
      measured: { measure: 'exactMatch', passages: 4, questions: 8, before: 0 },
    });
    const { after, gain } = record.measured!;
    expect(after).toBeGreaterThan(0.7);
    expect(gain.value).toBeCloseTo(after);
    expect(gain.interval95[0]).toBeLessThan(gain.value);
    expect(JSON.parse(Buffer.from(partOf('record')!).toString())).toMatchObject({
      adapterDigest: record.adapterDigest,
    });

    const before = [partOf('tensors'), partOf('config'), partOf('record')];
    expect(await trained(...WELL)).toEqual(record);
    expect([partOf('tensors'), partOf('config'), partOf('record')]).toEqual(before);
    expect((await trained('--seed', '2', '--epochs', '1')).adapterDigest).not.toBe(record.adapterDigest);
  });

  it('gives an executor that answers with it, and learns more on top of it', async () => {
    const { adapterDigest, measured } = await trained(...WELL);
    expect(measured!.after).toBeGreaterThan(0.7);
    const other = await carrying();
    try {
      world.learner = other.learner;
      const next = await trained('--questions', 'p.jsonl', '--epochs', '1', '--learning-rate', '1e-9');
      expect(next).toMatchObject({ parent: adapterDigest, measured: { before: measured!.after } });
      expect(next.adapterDigest).not.toBe(adapterDigest);
    } finally {
      await other.close();
    }
  });

  it.each([
    ['together', [], 'together'],
    ['one after the other', ['--sequence'], 'plain'],
  ] as const)('comes to what the study of retention measures of passages learned %s', async (_, option, arm) => {
    const options = ['--questions', 'p.jsonl', '--no-passages', '--epochs', '20', '--batch-tokens', '2000'];
    const { measured, training } = await trained(...options, ...option);
    expect(training.trainings).toBe(arm === 'plain' ? 4 : 1);
    const { learner } = opened;
    world.learner = { ...learner, update: { ...learner.update, epochs: 20, batchTokens: 2000 } };
    const alone = EDITS.map(({ row, documents }) => ({ row, documents: documents.slice(0, -1) }));
    world.files.set('alone.jsonl', linesOf(alone));
    await world.seam('study', 'retention', 'p.jsonl', '--edits', 'alone.jsonl', '--arms', arm, '--json');
    const [{ arms, before }] = world.takeJson() as [RetentionReport];
    expect(measured!.gain).toEqual(arms[0]!.net);
    expect(measured!.before).toBe(before);
  });

  it('trains as it is asked to, and on edits alone, with as many steps as they need', async () => {
    const { learner } = opened;
    // The limit is for the edit of a single attempt.
    world.learner = { ...learner, update: { ...learner.update, rank: 11, alpha: 30 } };
    expect((await trained('--epochs', '1')).settings).toMatchObject({ rank: 11, alpha: 30 });
    world.learner = { ...learner, update: { ...learner.update, maxSteps: 1 } };
    const record = await trained('--no-passages', '--rank', '4', '--epochs', '2', '--batch-tokens', '200');
    expect(record).toMatchObject({ withPassages: false, edits: { documents: 8 }, measured: null });
    // The scale of the pairs, alpha / rank, stays.
    expect(record.settings).toMatchObject({ rank: 4, alpha: 8, epochs: 2, batchTokens: 200 });
    expect(record.training.steps).toBeLessThan(16);
    world.takeOutput();
    await train('--to', 'shown', '--epochs', '1');
    // The record is last: without it the others are no weights.
    const written = [...world.files.keys()].filter((name) => name.startsWith('shown/'));
    expect(written).toEqual(
      ['adapter_model.safetensors', 'adapter_config.json', 'learned.json'].map((name) => `shown/${name}`),
    );
    expect(world.takeOutput()).toMatch(/12 documents of 4 passages[^]*SEAM_EXECUTOR_ADAPTER_FOLDER=shown/);
  });

  it('leaves nothing when it is stopped or fails, and replaces weights on request alone', async () => {
    const { executor } = opened.learner;
    const stopping: NonNullable<typeof executor.adapt> = (request, options) => {
      world.interrupt();
      return executor.adapt!(request, options);
    };
    const { identity } = executor;
    const answer: typeof executor.answer = (prompts) => executor.answer(prompts);
    world.learner = { ...opened.learner, executor: { identity, answer, adapt: stopping } };
    expect(await train('--to', 'learned')).toBe(130);
    expect(partOf('record')).toBeUndefined();
    expect(partOf('tensors')).toBeUndefined();
    world.learner = opened.learner;
    await trained('--epochs', '1');
    expect(await train('--to', 'learned', '--epochs', '1')).toBe(2);
    expect(world.takeErrors()).toContain('--force');
    // As a command that was killed before its record left them: they may be another's as well.
    world.files.delete(`learned/${LEARNED_FILE.record}`);
    expect(await train('--to', 'learned', '--epochs', '1')).toBe(2);
    expect(await train('--to', 'learned', '--epochs', '1', '--force')).toBe(0);
    expect(partOf('record')).toBeDefined();
  });

  it('says what is wrong with a line, with the questions, and with an option', async () => {
    const refusal = async (...args: string[]) => {
      expect(await train('--to', 'learned', ...args)).toBe(2);
      return world.takeErrors();
    };
    world.files.set('edits.jsonl', Buffer.concat([linesOf(EDITS.slice(0, 2)), Buffer.from('{"row":3}\n')]));
    expect(await refusal()).toContain('Cannot read line 3 of edits.jsonl');
    world.files.set(
      'edits.jsonl',
      linesOf(EDITS.map((line) => ({ ...line, edit: null, documents: line.documents.slice(-1) }))),
    );
    expect(await refusal('--no-passages')).toContain('it holds no edit');
    world.files.set('edits.jsonl', linesOf([{ ...EDITS[0]!, documents: ['a'] }]));
    expect(await refusal()).toContain('no document with a token to learn');
    world.files.set('edits.jsonl', linesOf(EDITS));
    world.files.set('other.jsonl', linesOf(PASSAGES.toReversed()));
    expect(await refusal('--questions', 'other.jsonl')).toContain('Cannot ask about row 1 of other.jsonl');
    world.files.set('other.jsonl', linesOf([{ prompt: '1 + 1?', reference: '2' }]));
    expect(await refusal('--questions', 'other.jsonl')).toContain('got none');
    world.files.set('other.jsonl', linesOf([...PASSAGES.slice(0, 3), { ...PASSAGES[3], questions: 'none' }]));
    expect(await refusal('--questions', 'other.jsonl')).toMatch(
      /1 faulty line of other\.jsonl left out:[^]*got one with 1 faulty row/,
    );
    await refusal('--learning-rate', '0');
    world.learner = { ...opened.learner, weights: undefined };
    expect(await refusal()).toContain('SEAM_EXECUTOR_DRIVER');
    expect(partOf('record')).toBeUndefined();
  });
});

/** An edit of each, as seam edits generate writes it: its questions with their answers, a document each, and last the passage. */
const EDITS = PASSAGES.map(({ passage, questions }, at) => ({
  ...{ row: at + 1, number: 0, title: null, passage, kind: 'own@1', model: 'm', adapter: null, seed: 's', edit: 'e' },
  documents: [
    ...questions.map(
      ({ question, reference }) =>
        `Answer the question directly and briefly.\n\nQuestion: ${question}\nAnswer: ${reference}\n`,
    ),
    passage,
  ],
  ...{ refused: null, unaugmented: null },
}));
const linesOf = (values: readonly object[]): Uint8Array =>
  Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
