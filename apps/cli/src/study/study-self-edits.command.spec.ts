/** On the shipped executor, which learns what an edit says within a second. */
import { SeamError } from '@seamstream/kernel';
import type { LearnerModel, SelfEditsReport } from '@seamstream/operations/evaluate';
import { type JudgeServer, judgeServer } from '@seamstream/testing/judge-server';
import { chatCompletion } from '@seamstream/testing/model-server';
import { builtInVerifiers } from '@seamstream/verifiers';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';
import { type TrainedLearner, trainedLearner } from './trained-learner.fake.js';

let opened: TrainedLearner;
let learner: LearnerModel;
let world: FakeWorld;
beforeAll(async () => {
  opened = await trainedLearner('self-edits/executor', { maxTokens: 4, epochs: 10, batchSize: 8 });
  ({ learner } = opened);
});
afterAll(() => opened.close());
beforeEach(async () => {
  world = await fakeWorld();
  world.learner = learner;
  world.files.set('p.jsonl', linesOf(PASSAGES));
  world.files.set(
    'good.jsonl',
    linesOf(editsOf((name, [drink, door]) => [`${name} drinks ${drink}.`, `${name} has a ${door} door.`])),
  );
  world.files.set(
    'bad.jsonl',
    linesOf(editsOf((name) => [`Many people like ${name}.`, `${name} was seen at the market.`])),
  );
});

describe('seam study self-edits', () => {
  it('measures the passage alone and the edits of each writer, with the likelihood of the right answers', async () => {
    expect(
      await world.seam(
        'study',
        'self-edits',
        'p.jsonl',
        '--before',
        'bad.jsonl',
        '--after',
        'good.jsonl',
        '--report',
        'page.html',
        '--json',
      ),
    ).toBe(0);
    const [{ arms, differences, passages, questions }] = world.takeJson() as [SelfEditsReport];
    expect([passages, questions]).toEqual([6, 12]);
    expect(Object.keys(arms)).toEqual(['nothing', 'passage', 'sameTokens', 'before', 'after']);
    expect(arms.after!.accuracy.value).toBeGreaterThan(arms.passage!.accuracy.value + 0.2);
    const ahead = differences.find(({ one, other }) => one === 'after' && other === 'before')!;
    expect(ahead.accuracy.value).toBeGreaterThan(0.2);
    expect(ahead.logLikelihood!.value).toBeGreaterThan(0);
    const page = Buffer.from(world.files.get('page.html')!).toString();
    expect(page).toContain('<title>Study of self-edits</title>');
    expect(page).not.toContain('http');
    // Of each arm the passages by the share that is right.
    const bars = [...page.matchAll(/fill="#2b6cb0"><title>(\d+)</g)].map(([, counted]) => Number(counted));
    expect(bars).toEqual(Object.values(arms).flatMap(({ histogram }) => histogram));
    expect(bars.reduce((sum, each) => sum + each)).toBe(5 * 6);
  });

  it('resumes an interrupted study with the trials that it had, and comes to the same', async () => {
    const options = ['--before', 'good.jsonl', '--limit', '2', '--seeds', '1,2', '--json'];
    await world.seam('study', 'self-edits', 'p.jsonl', ...options);
    const [whole] = world.takeJson() as [SelfEditsReport];
    expect(whole.seeds).toBe(2);

    // It stops at the fifth training; then the file loses the end of its last line.
    const { executor } = learner;
    let trained = 0;
    const counting = (most: number): LearnerModel => ({
      ...learner,
      executor: {
        identity: executor.identity,
        answer: (prompts) => executor.answer(prompts),
        countTokens: (text) => executor.countTokens!(text),
        score: (texts) => executor.score!(texts),
        adapt: (request) =>
          trained++ < most ? executor.adapt!(request) : Promise.reject(new SeamError('ABORTED', 'Stopped.')),
      },
    });
    world.learner = counting(4);
    const resumed = [...options, '--trials', 'kept.jsonl'];
    expect(await world.seam('study', 'self-edits', 'p.jsonl', ...resumed)).toBe(130);
    world.takeJson();
    const part = [...world.files.keys()].find((name) => name.startsWith('kept.jsonl.'))!;
    const left = Buffer.from(world.files.get(part)!).toString().trimEnd();
    // Of the arms of a seed one trains nothing.
    expect(left.split('\n')).toHaveLength(4 + 2);
    world.files.set(part, Buffer.from(left.slice(0, -20)));

    trained = 0;
    world.learner = counting(100);
    expect(await world.seam('study', 'self-edits', 'p.jsonl', ...resumed)).toBe(0);
    expect(trained).toBe(2 * 2 * 3 - 3);
    const [again] = world.takeJson() as [SelfEditsReport];
    expect(again.differences).toEqual(whole.differences);
    expect(Buffer.from(world.files.get('kept.jsonl')!).toString().trimEnd().split('\n')).toHaveLength(2 * 2 * 4);
  });

  it('trains on the passage alone where a filter refused the edit, and says how often', async () => {
    const refused = PASSAGES.map(({ passage }, at) => ({ row: at + 1, documents: [passage] }));
    world.files.set('refused.jsonl', linesOf(refused));
    await world.seam('study', 'self-edits', 'p.jsonl', '--before', 'refused.jsonl', '--limit', '2', '--json');
    const [{ arms }] = world.takeJson() as [SelfEditsReport];
    expect(arms.before).toMatchObject({ unaugmented: 1, accuracy: arms.passage!.accuracy });
  });

  it('prints a table of arms and of differences', async () => {
    expect(await world.seam('study', 'self-edits', 'p.jsonl', '--limit', '2')).toBe(0);
    const shown = world.takeOutput();
    expect(shown).toContain('passage alone less no training');
    expect(shown).not.toContain('as many tokens');
    expect(shown).not.toContain('domain');
  });

  it('has arms and differences of each domain, where the file has several', async () => {
    const mixed = PASSAGES.slice(0, 3).map((row, at) => ({ ...row, domain: at === 0 ? 'guests' : 'people' }));
    world.files.set('mixed.jsonl', linesOf(mixed));
    expect(await world.seam('study', 'self-edits', 'mixed.jsonl', '--report', 'mixed.html')).toBe(0);
    const shown = world.takeOutput();
    expect(shown).toMatch(/^guests \(1\) +passage alone less no training /m);
    expect(shown).toMatch(/^people \(2\) +no training /m);
    expect(Buffer.from(world.files.get('mixed.html')!).toString()).toContain('<h2>By domain</h2>');
  });

  describe('with answers that a model judges', () => {
    let judge: JudgeServer;
    beforeEach(async () => {
      judge = await judgeServer();
    });
    afterEach(() => judge.close());
    const args = ['study', 'self-edits', 'p.jsonl', '--limit', '1', '--verifier', 'judge'];

    it('names it, and keeps whose opinion each trial is', async () => {
      judge.server.behave = () => ({ kind: 'answer', body: chatCompletion('CORRECT') });
      world.verifiers = judge.verifiers;
      expect(await world.seam(...args, '--trials', 'judged.jsonl', '--report', 'judged.html')).toBe(0);
      const said = 'Judged by a model, whose verdicts are opinions: judge (tiny/fp_1), ';
      expect(world.takeOutput()).toContain(said);
      expect(Buffer.from(world.files.get('judged.html')!).toString()).toContain(said);
      const [trial] = Buffer.from(world.files.get('judged.jsonl')!).toString().split('\n');
      expect(JSON.parse(trial!)).toMatchObject({ accuracy: 1, judge: { model: 'judge', revision: 'tiny/fp_1' } });
    });

    it('has no figure where the judge fails, and is refused before a model is opened where none is configured', async () => {
      judge.server.behave = () => ({ kind: 'answer', status: 401, body: '' });
      world.verifiers = judge.verifiers;
      expect(await world.seam(...args)).not.toBe(0);
      expect(world.takeOutput()).toBe('');
      expect(world.takeErrors()).toContain('Cannot judge an answer');
      world.verifiers = builtInVerifiers;
      world.learner = undefined;
      for (const command of [args, ['study', 'sessions', 'judged-rows.jsonl']]) {
        world.files.set('judged-rows.jsonl', linesOf(PASSAGES.map((row) => ({ ...row, answerVerifier: 'judge' }))));
        expect(await world.seam(...command)).not.toBe(0);
        expect(world.takeErrors()).toContain('expected a model that judges, got none');
      }
    });
  });

  it.each([
    ['edits of too few passages', ['p.jsonl', '--before', 'short.jsonl'], 'got none of row 2'],
    ['lines that are no edits', ['p.jsonl', '--before', 'p.jsonl'], 'expected {"row", "documents"} in line 1'],
    ['a file without passages', ['other.jsonl'], 'expected passages with answered questions, got none'],
    ['a report on standard output', ['p.jsonl', '--report', '-'], 'got standard output'],
    ['equal seeds', ['p.jsonl', '--seeds', '1,1'], 'expected different words'],
    ['a judge that there is not', ['p.jsonl', '--verifier', 'sqad'], 'exact, numeric, choice, squad, judge'],
  ])('refuses %s', async (_, args, fault) => {
    world.files.set('short.jsonl', linesOf([{ row: 1, documents: ['Ada drinks tea.'] }]));
    world.files.set('other.jsonl', linesOf([{ prompt: '1 + 1?', reference: '2', verifier: { kind: 'numeric' } }]));
    expect(await world.seam('study', 'self-edits', ...args)).toBe(2);
    expect(world.takeErrors()).toContain(fault);
  });
});

const PEOPLE = ['Ada Thorn', 'Bela Thorn', 'Cora Vance', 'Dora Vance', 'Edda Wells', 'Fina Wells'];
const FACTS = [
  ['tea', 'red'],
  ['mead', 'blue'],
  ['cider', 'grey'],
  ['milk', 'brown'],
  ['cocoa', 'green'],
  ['broth', 'white'],
] as const;
const PASSAGES = PEOPLE.map((name, at) => ({
  passage: `Much ${FACTS[at]![0]} is drunk by ${name}. Behind the ${FACTS[at]![1]} door lives ${name}.`,
  questions: [
    { question: `What does ${name} drink?`, reference: FACTS[at]![0] },
    { question: `Which colour has the door of ${name}?`, reference: FACTS[at]![1] },
  ],
}));

function editsOf(of: (name: string, facts: (typeof FACTS)[number]) => readonly string[]): readonly unknown[] {
  return PEOPLE.map((name, at) => ({ row: at + 1, documents: [...of(name, FACTS[at]!), PASSAGES[at]!.passage] }));
}

function linesOf(rows: readonly unknown[]): Buffer {
  return Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}
