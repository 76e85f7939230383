/** Decisions of releases are made once and slot by slot, also where others decide at the same time. */

import { jest } from '@jest/globals';
import type { EventLog } from '@seamstream/event-log';
import { encodeEvent, type SeamEvent, TOPIC } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import { DEFAULT_RELEASE_PLAN, NEWEST_RULE, servedIn } from '@seamstream/release';
import { TRUST_ALL } from '@seamstream/signatures';
import { eventsOf, type FlakyLog, newWorld, openLog, type World } from '@seamstream/testing';
import { recorded } from '@seamstream/testing/log-of';
import { evaluatedByPerson, evaluationOf, pinned, promotedByRun } from '@seamstream/testing/promotion-log';
import { chatPublished, releasePlanned, triedProblems } from '@seamstream/testing/release-log';
import { decideOnAdapter } from '../adapters/index.js';
import { readServing } from '../read-models/index.js';
import { decideReleases, overrideRelease, readReleases, recomputeReleases } from './index.js';

let world: World;
let log: FlakyLog;
beforeEach(async () => {
  world = newWorld();
  log = await openLog(world);
});

describe('Deciding on releases', () => {
  it('ends each stage once where two look at the same time, whichever is quicker', async () => {
    await tried(CANDIDATE, 'r-1');
    // The slower one stands before its append while the quicker one decides.
    const slow = await before(async () => {
      expect((await decideReleases(worldOf(log), reading)).decided).toHaveLength(1);
    });
    expect((await decideReleases(worldOf(slow), reading)).decided).toEqual([]);
    expect(await decisions()).toEqual(['r-1 0 promoted']);
    expect(await eventsOf(log, 'AdapterPromoted')).toHaveLength(1);
  });

  it('ends a stage once where the answer of its append is lost', async () => {
    await tried(CANDIDATE, 'r-1');
    const deaf = await openLog(world);
    const transact = deaf.transact.bind(deaf);
    jest.spyOn(deaf, 'transact').mockImplementationOnce(async (transaction) => {
      await transact(transaction);
      throw new SeamError('LOG_UNAVAILABLE', 'the answer is lost');
    });
    await expect(decideReleases(worldOf(deaf), reading)).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE' });
    expect((await decideReleases(worldOf(deaf), reading)).decided).toEqual([]);
    expect(await decisions()).toEqual(['r-1 0 promoted']);
  });

  it('continues with the other slots where one of them is pinned and would be promoted', async () => {
    await tried(CANDIDATE, 'r-1');
    await tried(OTHER, 'r-2', 'team');
    await append(pinned('pin-1', null));
    const { decided, hindered } = await decideReleases(worldOf(log), reading);
    expect(decided.map(({ decision }) => decision.releaseId)).toEqual(['r-2']);
    expect(hindered).toMatchObject([
      { release: { event: { releaseId: 'r-1' } }, error: { code: 'CONFLICT', message: /is pinned by/ } },
    ]);
    expect(await decisions()).toEqual(['r-2 0 promoted']);
  });

  it('refuses a promotion over another parent than the one that was compared', async () => {
    await tried(CANDIDATE, 'r-1');
    const other = promotedByRun({ adapterDigest: OTHER, runId: 'other', success: 0.9 });
    // A trainer promotes at the very moment of the decision.
    const busy = await before(() => append(...other));
    expect((await decideReleases(worldOf(busy), reading)).decided).toHaveLength(1);
    const { slots } = await readServing({ log, snapshots: null }, reading);
    const { served, decisions: all } = servedIn(slots, 'generator');
    expect(served?.adapterDigest).toBe(OTHER);
    expect(all.at(-1)).toMatchObject({ status: 'overtaken', event: { adapterDigest: CANDIDATE } });
    // And one that is known beforehand is not even recorded.
    await expect(decideReleases(worldOf(log), reading)).resolves.toEqual({ decided: [], hindered: [], muted: [] });
  });

  it('waits for no chat by rule 2, and for every problem before by rule 1, which the log makes again as well', async () => {
    // So many that no partition is without one.
    const chats = (name: string) => Array.from({ length: 200 }, (_, n) => chatPublished(`${name}-${n}`));
    await append(...chats('early'));
    await tried(CANDIDATE, 'r-2', 'generator', 100, 2);
    await tried(OTHER, 'r-1', 'team', 100, 1);
    await decideReleases(worldOf(log), reading);
    expect(await decisions()).toEqual(['r-2 0 promoted']);
    await append(...chats('early').map(({ problem }) => recorded(problem.problemId, false)), ...chats('late'));
    await append(...triedProblems({ releaseId: 'r-1', share: 0.5, isCandidate: true, solved: 0, failed: 9 }));
    await decideReleases(worldOf(log), reading);
    expect(await decisions()).toEqual(['r-2 0 promoted', 'r-1 0 promoted']);
    for (const release of ['r-2', 'r-1'])
      expect(await recomputeReleases(worldOf(log), release, reading)).toMatchObject([{ isSame: true }]);
  });

  it('reads no result where nothing is planned', async () => {
    await append(...triedProblems({ releaseId: 'r-1', isCandidate: true, solved: 3, failed: 0 }));
    await decideReleases(worldOf(log), reading);
    expect(log.readOf(TOPIC.outcomes)).toBe(0);
  });
});

describe('A person who acts on a slot while a release is tried there', () => {
  beforeEach(() => tried(CANDIDATE, 'r-1', 'generator', 0));

  it('ends it with a pin, in one append, and it stays a candidate', async () => {
    const { ended } = await act({ act: 'pin', adapter: 'base' });
    expect(ended?.decision).toMatchObject({
      decision: 'undecided',
      decidedBy: 'grace',
      reason: /pinned what is served/,
    });
    expect(await decisions()).toEqual(['r-1 0 undecided']);
    const { releases } = await readReleases({ log, snapshots: null }, reading);
    expect(releases.map(({ release }) => release.status)).toEqual(['undecided']);
    expect(await recomputeReleases(worldOf(log), 'last', reading)).toMatchObject([{ isSame: null }]);
  });

  it('leaves the releases of other slots alone, and one that is over', async () => {
    await tried(OTHER, 'r-2', 'team', 0);
    await act({ act: 'pin', adapter: 'base', slot: 'team' });
    expect(await decisions()).toEqual(['r-2 0 undecided']);
    await act({ act: 'unpin', slot: 'team' });
    await act({ act: 'pin', adapter: 'base', slot: 'team' });
    expect(await decisions()).toEqual(['r-2 0 undecided']);
  });

  it('is not contradicted by another one who decides at the same time', async () => {
    const slow = await before(() => act({ act: 'pin', adapter: 'base' }));
    const late = overrideRelease(worldOf(slow), { meant: 'last', end: 'promoted', by: 'ada', reason: 'why' }, reading);
    await expect(late).rejects.toMatchObject({ code: 'CONFLICT', message: /is over: undecided/ });
    expect(await decisions()).toEqual(['r-1 0 undecided']);
    expect(await eventsOf(log, 'AdapterPromoted')).toEqual([]);
  });
});

const CANDIDATE = 'c4'.repeat(32);
const OTHER = 'd5'.repeat(32);
const append = (...events: readonly SeamEvent[]) => log.append(events.map(encodeEvent));

/** An adapter that is tried in a slot, with results that promote it, or with none. */
async function tried(
  candidate: string,
  releaseId: string,
  slot = 'generator',
  problems = 100,
  version = NEWEST_RULE,
): Promise<void> {
  const [start, adapter, completed] = promotedByRun({ adapterDigest: candidate, slot });
  await append(start, adapter, completed, { ...evaluatedByPerson(candidate, evaluationOf(0.7)), slot });
  const stages = [{ kind: 'canary', share: 0.5, margin: 0.1, minProblems: 40 }];
  await append(releasePlanned({ releaseId, candidate, slot, plan: { ...DEFAULT_RELEASE_PLAN, version, stages } }));
  const facts = { releaseId, share: 0.5 };
  await append(...triedProblems({ ...facts, isCandidate: true, solved: problems, failed: 0 }));
  await append(...triedProblems({ ...facts, isCandidate: false, solved: 0, failed: problems }));
}

const decisions = async (): Promise<string[]> =>
  (await eventsOf(log, 'ReleaseDecided')).map(({ releaseId, stage, decision }) => `${releaseId} ${stage} ${decision}`);

/** Another process, which something overtakes as it records for the first time. */
async function before(overtakes: () => Promise<unknown>): Promise<FlakyLog> {
  const slow = await openLog(world);
  let isFirst = true;
  slow.beforeCommit = async () => {
    if (!isFirst) return;
    isFirst = false;
    await overtakes();
  };
  return slow;
}

const act = (decision: Parameters<typeof decideOnAdapter>[1]) =>
  decideOnAdapter(worldOf(log), decision, { by: 'grace', reason: 'demonstration' }, reading);

const worldOf = (own: EventLog) => ({
  clock: { now: () => 7 },
  signal: reading.signal,
  openLog: async () => own,
  openKeptLog: async () => ({ log: own, snapshots: null }),
  openObjects: () => Promise.reject(new SeamError('OBJECT_NOT_FOUND', 'There is none here.')),
  openBaseModel: () => Promise.reject(new SeamError('CHECKPOINT_INVALID', 'There is no base model here.')),
  readInput: () => Promise.reject(new Error('no file is read')),
  signing: async () => ({ key: null, trust: TRUST_ALL }),
});
const reading = {
  signal: new AbortController().signal,
  progress: () => ({ advance: () => undefined, stop: () => undefined }),
};
