import { type EventMeta, originMeta, type SeamEvent } from '@seamstream/events';
import { promotedByPerson, promotedByRun, rolledBack } from '@seamstream/testing/promotion-log';
import { worldSource } from './problem-stream.js';
import { ratesAsParent } from './rates-as-parent.js';
import {
  endedRuns,
  evolveLoopProgress,
  exploredOf,
  initialLoopProgress,
  type LoopProgress,
  servedAt,
} from './round-progress.js';

const meta = (messageId: string): EventMeta =>
  originMeta({ messageId, correlationId: 'c', source: 'seam/test', occurredAt: 5, sourceClass: 'trusted' });

const fold = (events: readonly SeamEvent[]): LoopProgress => events.reduce(evolveLoopProgress, initialLoopProgress());

const recordsOf = (runId: string, window: number | null = null, onlyOverParent = false): readonly SeamEvent[] =>
  promotedByRun({
    adapterDigest: `adapter-${runId}`,
    runId,
    configuration: JSON.stringify({ window: window === null ? null : { index: window } }),
    onlyOverParent,
  });
const started = (runId: string, window: number | null): SeamEvent => recordsOf(runId, window)[0]!;
/** What follows a run's start. */
const promoted = (runId: string, onlyOverParent = false): readonly SeamEvent[] =>
  recordsOf(runId, null, onlyOverParent).slice(1);

describe('what was served at a time', () => {
  it('follows promotions, rollbacks and people, and nothing that does not count', () => {
    const at = <E extends SeamEvent>(event: E, occurredAt: number): E => ({
      ...event,
      meta: { ...event.meta, occurredAt },
    });
    const first = promotedByRun({ adapterDigest: 'one', occurredAt: 10 });
    const second = promotedByRun({ adapterDigest: 'two', parent: 'one', occurredAt: 20 });
    const state = fold([
      ...first,
      ...second,
      at(rolledBack('r1', 'two', 'one'), 30),
      at(promotedByPerson({ messageId: 'p', adapterDigest: 'never published' }), 35),
      at(rolledBack('r2', 'one', null), 40),
    ]);
    const served = (atMs: number) => servedAt(state, atMs)?.adapterDigest ?? null;
    expect([9, 10, 19, 20, 29, 30, 39, 40, 99].map(served)).toEqual([
      null,
      'one',
      'one',
      'two',
      'two',
      'one',
      'one',
      null,
      null,
    ]);
  });
});

const round = worldSource(1)({
  round: 1,
  phase: 'base',
  roundSize: 4,
  startIndex: 0,
  count: 4,
  occurredAt: 9,
});
const problemOf = (event: SeamEvent | undefined) => (event as Extract<SeamEvent, { type: 'ProblemPublished' }>).problem;

let outcomes = 0;
/** Of a separate candidate, unless one is named. */
const outcome = (
  problem: ReturnType<typeof problemOf>,
  adapterDigest: string | null,
  success: boolean,
  faithful: boolean | null = null,
  { candidate = outcomes++, messageId = 'o' }: { readonly candidate?: number; readonly messageId?: string } = {},
): SeamEvent =>
  ({
    type: 'OutcomeRecorded',
    meta: meta(messageId),
    ...{ groupId: `g-${candidate}`, candidateIndex: 0, groupSize: 2 },
    problem,
    arm: 'explore',
    adapterDigest,
    success,
    reward: Number(success),
    faithful,
    entry: null,
  }) as SeamEvent;

describe('the progress of the loop', () => {
  it('lists ended runs by their window, in any order of starts and ends', () => {
    const events = [
      ...[started('b', 2), started('a', 1), started('c', 3)],
      ...[...promoted('c'), ...promoted('a'), ...promoted('b')],
    ];
    // Within a topic in its order.
    const isOfRuns = ({ type }: SeamEvent): boolean => type.startsWith('TrainingRun');
    const [training, adapters] = [events.filter(isOfRuns), events.filter((event) => !isOfRuns(event))];
    for (const order of [events, [...training, ...adapters], [...adapters, ...training]]) {
      expect(endedRuns(fold(order)).map(({ runId }) => runId)).toEqual(['a', 'b', 'c']);
    }
  });

  it('takes a run whose promotion was overtaken for rejected', () => {
    const runs = endedRuns(fold([started('a', 1), started('b', 2), ...promoted('a', true), ...promoted('b', true)]));
    expect(runs.map(({ status, reason }) => [status, reason])).toEqual([
      ['promoted', 'not worse than its parent'],
      ['rejected', expect.stringContaining('overtaken: it was compared with the base model')],
    ]);
  });

  it('counts no run on demand and none that has not ended', () => {
    const runs = endedRuns(fold([started('demanded', null), ...promoted('demanded'), started('open', 1)]));
    expect(runs).toEqual([]);
  });

  it('takes only problems of its stream for rounds, regardless of the metadata of others', () => {
    const foreign = { ...problemOf(round[0]), problemId: 'somebody-elses', metadata: { round: '999', phase: 'base' } };
    const progress = fold([...round, { ...(round[0] as SeamEvent & { type: 'ProblemPublished' }), problem: foreign }]);
    expect([...progress.rounds.keys()]).toEqual([1]);
    expect(progress.rounds.get(1)).toMatchObject({ published: 4, phase: 'base', firstPublishedAtMs: 9 });
  });

  it('counts the entries of a round that were to quote their problem, and those that do', () => {
    const problem = problemOf(round[0]);
    const verdicts = [true, true, false, null, true];
    const judged = verdicts.map((faithful, at) => outcome(problem, 'a', at % 2 === 0, faithful));
    expect(fold([...round, ...judged]).rounds.get(1)?.quoting).toEqual({ executed: 4, solved: 3 });
  });

  it('counts of contradicting outcomes the one that the ledger counts, and each candidate once', () => {
    const problem = problemOf(round[0]);
    const result = (messageId: string, success: boolean, adapter: string | null = 'a') =>
      outcome(problem, adapter, success, success, { candidate: 7, messageId });
    const { rounds, newest } = fold([result('2', true), result('1', false), result('1', false), result('3', true)]);
    const failedOnce = { executed: 1, solved: 0 };
    expect(rounds.get(1)).toMatchObject({ byAdapter: failedOnce, quoting: failedOnce });
    expect(rounds.get(1)!.rewards).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    expect(newest.filling).toEqual({ executed: 1, solved: 1 });
    expect(fold([result('2', true), result('1', true, null)]).rounds.get(1)).toMatchObject({
      byAdapter: { executed: 0, solved: 0 },
      byBase: { executed: 1, solved: 1 },
    });
  });

  it("judges exploration by the adapter's candidates, and by the base model's where no adapter served", () => {
    const problem = problemOf(round[0]);
    const base = [outcome(problem, null, false), outcome(problem, null, true)];
    expect(exploredOf(fold(base).rounds.get(1)!)).toEqual({ executed: 2, solved: 1 });
    expect(exploredOf(fold([...base, outcome(problem, 'a', true)]).rounds.get(1)!)).toEqual({ executed: 1, solved: 1 });
  });
});

describe('the buffer', () => {
  const version = (sequence: number, shard: number, shards: number): SeamEvent => ({
    type: 'BufferCommitted',
    attestation: null,
    meta: meta(`version-${shard}-${sequence}`),
    sequence,
    manifestKey: `buffer/${shard}/${sequence}/manifest.json`,
    manifestDigest: 'm',
    bufferDigest: `digest-${shard}-${sequence}`,
    rows: sequence + 10 * shard,
    rowsPerStratum: { [`domain-${shard}/easy`]: sequence + 10 * shard },
    inputs: [],
    shard,
    shards,
  });

  it('is its newest version, in any order of reading', () => {
    const { buffer } = fold([version(2, 0, 1), version(1, 0, 1)]);
    expect(buffer).toEqual({ sequence: 2, digest: 'digest-0-2', rows: 2, rowsPerStratum: { 'domain-0/easy': 2 } });
  });

  it('in shards is as far as the last of them, and holds the rows of all', () => {
    expect(fold([version(1, 1, 2), version(2, 1, 2)]).buffer).toEqual(initialLoopProgress().buffer);
    const { buffer } = fold([version(1, 1, 2), version(1, 0, 2), version(2, 1, 2)]);
    expect(buffer).toMatchObject({
      sequence: 1,
      rows: 1 + 12,
      rowsPerStratum: { 'domain-0/easy': 1, 'domain-1/easy': 12 },
    });
    expect(fold([version(1, 1, 2), version(1, 0, 2)]).buffer.digest).not.toBe(buffer.digest);
  });
});

describe('what the served adapter solves as a parent', () => {
  const rates = (timber: number | null): Record<string, number> => (timber === null ? {} : { timber });
  const run = (status: 'promoted' | 'rejected', timber: number | null, problems = 100) => ({
    status,
    parentPerDomain: rates(timber),
    askedPerDomain: rates(timber === null ? null : problems),
  });

  it('is counted over all comparisons since its promotion, each by its problems', () => {
    const runs = [run('promoted', 0.1), run('rejected', 0.9, 300), run('rejected', null), run('rejected', 0.8, 100)];
    expect(ratesAsParent(runs)).toEqual({ timber: expect.closeTo(0.875, 12) });
  });

  it('is what its own parent solved until it was compared, and nothing where there was no comparison', () => {
    expect(ratesAsParent([run('rejected', 0.3), run('promoted', 0.5)])).toEqual({ timber: 0.5 });
    expect(ratesAsParent([run('rejected', 0.3), run('promoted', 0.5), run('rejected', null)])).toEqual({ timber: 0.5 });
    expect(ratesAsParent([run('promoted', null)])).toEqual({});
    expect(ratesAsParent([])).toEqual({});
  });

  it('counts every comparison while nothing was promoted: all were with one parent', () => {
    expect(ratesAsParent([run('rejected', 0.2), run('rejected', 0.4)])).toEqual({ timber: expect.closeTo(0.3, 12) });
  });
});
