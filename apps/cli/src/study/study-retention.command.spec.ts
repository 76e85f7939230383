/** On the shipped executor, which learns what a passage says within a second. */
import { SeamError } from '@seamstream/kernel';
import type { LearnerModel, RetentionReport } from '@seamstream/operations/evaluate';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';
import { PASSAGES, type TrainedLearner, trainedLearner } from './trained-learner.fake.js';

let opened: TrainedLearner;
let learner: LearnerModel;
let world: FakeWorld;
beforeAll(async () => {
  opened = await trainedLearner('executor', { maxTokens: 8, epochs: 40 });
  ({ learner } = opened);
});
afterAll(() => opened.close());
beforeEach(async () => {
  world = await fakeWorld();
  world.learner = learner;
  world.files.set('p.jsonl', linesOf(PASSAGES));
  world.files.set('edits.jsonl', linesOf(EDITS));
});

describe('seam study retention', () => {
  it('measures what is left of each passage after every edit, with every remedy and with none', async () => {
    expect(
      await world.seam('study', 'retention', 'p.jsonl', '--edits', 'edits.jsonl', '--report', 'page.html', '--json'),
    ).toBe(0);
    const [{ arms, before, passages }] = world.takeJson() as [RetentionReport];
    expect([before, passages]).toEqual([0, 4]);
    const armOf = (name: string) => arms.find(({ arm }) => arm === name)!;
    // Each passage is learned, and what was learned before is forgotten.
    expect(armOf('plain').gain!.value).toBeGreaterThan(0.7);
    expect(armOf('plain').forgetting!.value).toBeGreaterThan(0.3);
    expect(armOf('plain').matrix.map((row) => row.filter((score) => score === null).length)).toEqual([3, 2, 1, 0]);
    // In one training nothing comes later.
    expect(armOf('together').ahead!.value).toBeGreaterThan(0.2);
    expect(armOf('together')).toMatchObject({ gain: null, forgetting: null });
    expect(armOf('replay').net.value).toBeGreaterThan(armOf('plain').net.value);
    expect(armOf('gate').refused).toBeGreaterThan(0);
    const page = Buffer.from(world.files.get('page.html')!).toString();
    expect(page).toContain('<title>Study of retention</title>');
    expect(page).not.toContain('http');
  });

  it('resumes after an interruption with the scores that it had, to the same result', async () => {
    const options = ['--arms', 'plain,gate', '--limit', '3'];
    await world.seam('study', 'retention', 'p.jsonl', ...options, '--scores', 'whole.jsonl', '--json');
    const [whole] = world.takeJson();
    const lines = Buffer.from(world.files.get('whole.jsonl')!).toString().split('\n');
    expect(lines).toHaveLength(1 + 3 + 3 + 1);

    // It stops when the second sequence begins; then the file loses the end of its last lines.
    const { executor } = learner;
    let begun = 0;
    world.learner = {
      ...learner,
      executor: {
        identity: executor.identity,
        answer: (prompts) => executor.answer(prompts),
        adapt: (request) =>
          begun++ === 0 ? executor.adapt!(request) : Promise.reject(new SeamError('ABORTED', 'Stopped.')),
      },
    };
    const scores = ['--scores', 'kept.jsonl', '--json'];
    expect(await world.seam('study', 'retention', 'p.jsonl', ...options, ...scores)).toBe(130);
    world.takeJson();
    const part = [...world.files.keys()].find((name) => name.startsWith('kept.jsonl.'))!;
    const left = Buffer.from(world.files.get(part)!).toString();
    expect(left.split('\n')).toHaveLength(1 + 3 + 1);
    world.files.set(part, Buffer.from(`${left.split('\n').slice(0, 3).join('\n')}\n{"arm":"pl`));

    let asked = 0;
    world.learner = {
      ...learner,
      executor: {
        identity: executor.identity,
        answer: (prompts) => executor.answer(prompts.slice(0, (asked += prompts.length))),
        adapt: (request, adapting) => executor.adapt!(request, adapting),
      },
    };
    expect(await world.seam('study', 'retention', 'p.jsonl', ...options, ...scores)).toBe(0);
    expect(world.takeJson()).toEqual([whole]);
    expect(Buffer.from(world.files.get('kept.jsonl')!).toString().split('\n')).toEqual(lines);
    // The frozen model's scores were there; only the gate asked it again, before its second edit at the earliest.
    expect(asked).toBe(0);
  });

  it('learns the documents of edits where a file has them, and only those passages', async () => {
    world.files.set('edits.jsonl', linesOf(EDITS.slice(0, 2)));
    const options = ['--arms', 'together', '--edits', 'edits.jsonl', '--json'];
    await world.seam('study', 'retention', 'p.jsonl', ...options);
    expect(world.takeJson()).toMatchObject([{ passages: 2, arms: [{ arm: 'together' }] }]);
    world.files.set('edits.jsonl', Buffer.from('{"row":1}'));
    expect(await world.seam('study', 'retention', 'p.jsonl', ...options)).toBe(2);
    expect(world.takeErrors()).toContain('expected {"row", "documents"} in line 1');
  });

  it('shows the arms as a table, and says what is wrong with a file or an option', async () => {
    expect(await world.seam('study', 'retention', 'p.jsonl', '--arms', 'together', '--measure', 'f1')).toBe(0);
    expect(world.takeOutput()).toMatch(/^together +– +– +\+.*all edits in one training$/m);
    world.files.set('few.jsonl', Buffer.from(JSON.stringify(PASSAGES[0])));
    expect(await world.seam('study', 'retention', 'few.jsonl')).toBe(2);
    expect(world.takeErrors()).toContain('expected at least two passages with answered questions, got 1');
    expect(await world.seam('study', 'retention', 'p.jsonl', '--arms', 'magic')).toBe(2);
    expect(await world.seam('study', 'retention', 'p.jsonl', '--seeds', '1,1')).toBe(2);
    expect(await world.seam('study', 'retention', 'p.jsonl', '--most-cost', '2')).toBe(2);
  });
});

/** An edit for each: its questions with their answers, a document each. */
const EDITS = PASSAGES.map(({ questions }, at) => ({
  row: at + 1,
  documents: questions.map(
    ({ question, reference }) =>
      `Answer the question directly and briefly.\n\nQuestion: ${question}\nAnswer: ${reference}\n`,
  ),
}));
const linesOf = (values: readonly object[]): Uint8Array =>
  Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
