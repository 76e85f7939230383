/** Guards mute once, also where who decides dies, is overtaken or does not hear of its append; the log makes each muting again; a person decides over it. */
import { jest } from '@jest/globals';
import type { EventLog } from '@seamstream/event-log';
import { encodeEvent, type SeamEvent } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import { DEFAULT_GUARD_PLAN } from '@seamstream/release';
import { TRUST_ALL } from '@seamstream/signatures';
import { eventsOf, type FlakyLog, newWorld, openLog, type World } from '@seamstream/testing';
import { recorded } from '@seamstream/testing/log-of';
import { promotedByRun } from '@seamstream/testing/promotion-log';
import { chatPublished, type GuardedFacts, guardedProblems, guardPlanned } from '@seamstream/testing/release-log';
import { decideReleases, declareGuard, readReleases, recomputeMutings, unmuteDomain } from './index.js';

let world: World;
let log: FlakyLog;
beforeEach(async () => {
  world = newWorld();
  log = await openLog(world);
});

describe('Deciding what guards mute', () => {
  beforeEach(async () => {
    await append(guardPlanned({ guardId: 'g-1', plan: { ...DEFAULT_GUARD_PLAN, weights: { sums: 0.4, words: 0.4 } } }));
    await results('sums', [20, 250], [26, 4]);
    await results('words', [150, 120], [15, 15]);
  });

  it('mutes the domain with harm and no other, and makes the muting again byte for byte, also after more problems', async () => {
    expect((await look()).muted.map(({ domain }) => domain)).toEqual(['sums']);
    expect((await look()).muted).toEqual([]);
    await results('sums', [200, 0], [0, 100]);
    expect((await look()).muted).toEqual([]);
    expect(await recomputeMutings(worldOf(log), reading)).toMatchObject([{ isSame: true, difference: '' }]);
    expect(await eventsOf(log, 'DomainMuted')).toMatchObject([{ domain: 'sums', guardId: 'g-1', adapterDigest: null }]);
  });

  it('says what withholding is worth, from the counts alone', async () => {
    await look();
    await results('sums', [0, 2], [60, 38], 0.98);
    const { guarding } = await status();
    const [sums, words] = guarding.guards[0]!.domains;
    expect(words).toMatchObject({ domain: 'words', withheld: null, muting: null, treated: 270, control: 30 });
    const [low, high] = sums!.lift!.interval95;
    expect(sums!.withheld).toEqual({
      problems: 98,
      moreSolved: { value: sums!.lift!.value * 98, interval: [low * 98, high * 98] },
    });
    expect(high).toBeLessThan(0);
    // 30 + 30 + 98 controls of both domains.
    expect(guarding.controlArm.all.problems).toBe(158);
    expect(guarding.controlArm.domains.map(({ domain, problems }) => [domain, problems])).toEqual([
      ['sums', 128],
      ['words', 30],
    ]);
  });

  it('mutes once where two look at the same time, whichever is quicker', async () => {
    const slow = await openLog(world);
    let isFirst = true;
    slow.beforeCommit = async () => {
      if (!isFirst) return;
      isFirst = false;
      expect((await look()).muted).toHaveLength(1);
    };
    expect((await look(slow)).muted).toEqual([]);
    expect(await eventsOf(log, 'DomainMuted')).toHaveLength(1);
  });

  it.each(['before', 'after'] as const)('mutes once where a process ends %s its append', async (moment) => {
    const dying = await openLog(world);
    const transact = dying.transact.bind(dying);
    jest.spyOn(dying, 'transact').mockImplementationOnce(async (transaction) => {
      if (moment === 'after') await transact(transaction);
      throw new SeamError('LOG_UNAVAILABLE', 'the process ends');
    });
    await expect(look(dying)).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE' });
    await look();
    expect(await eventsOf(log, 'DomainMuted')).toHaveLength(1);
    expect((await status()).guarding.refusedCount).toBe(0);
  });

  it('begins afresh with another adapter', async () => {
    await look();
    const [start, adapter, completed, promoted] = promotedByRun({ adapterDigest: 'c4'.repeat(32) });
    await append(start, adapter, completed, promoted);
    expect((await look()).muted).toEqual([]);
    expect((await status()).guarding.guards[0]).toMatchObject({ adapterDigest: 'c4'.repeat(32), domains: [] });
    await results('words', [20, 250], [26, 4], 0.1, 'c4'.repeat(32));
    expect((await look()).muted).toMatchObject([{ domain: 'words', adapterDigest: 'c4'.repeat(32) }]);
  });

  it('leaves a domain alone once a person has ended its muting', async () => {
    await look();
    await unmuteDomain(worldOf(log), { domain: 'sums', ...SIGNED }, reading);
    expect((await look()).muted).toEqual([]);
    await expect(unmuteDomain(worldOf(log), { domain: 'sums', ...SIGNED }, reading)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: /grace ended its muting before/,
    });
    await expect(unmuteDomain(worldOf(log), { domain: 'words', ...SIGNED }, reading)).rejects.toThrow(/not muted/);
  });

  it('counts by the rule of its plan: the first waits for a chat, and the log makes its mutings again as well', async () => {
    const chats = (name: string) => Array.from({ length: 200 }, (_, n) => chatPublished(`${name}-${n}`));
    const plan = { ...DEFAULT_GUARD_PLAN, version: 1, weights: { sums: 0.4 } };
    await append(...chats('early'), guardPlanned({ guardId: 'g-old', plan }));
    await results('sums', [20, 250], [26, 4], 0.1, null, 'g-old');
    expect((await look()).muted).toEqual([]);
    await append(...chats('early').map(({ problem }) => recorded(problem.problemId, false)), ...chats('late'));
    await results('sums', [9, 0], [0, 9], 0.1, null, 'g-old');
    expect((await look()).muted).toHaveLength(1);
    expect(await recomputeMutings(worldOf(log), reading)).toMatchObject([{ isSame: true }]);
  });

  it('reports a muting whose counts are not those of the log', async () => {
    await look();
    const [muting] = await eventsOf(log, 'DomainMuted');
    world = newWorld();
    log = await openLog(world);
    await append(
      guardPlanned({ guardId: 'g-1', plan: { ...DEFAULT_GUARD_PLAN, weights: { sums: 0.4, words: 0.4 } } }),
      ...guardedProblems({ guardId: 'g-1', domain: 'sums', treated: true, solved: 1, failed: 0 }),
      muting!,
    );
    expect(await recomputeMutings(worldOf(log), reading)).toMatchObject([{ isSame: false }]);
  });
});

describe('A person who declares a guard', () => {
  it('divides the risk as the traffic is, but for a reserve, and takes the rate of success as centre', async () => {
    await results('sums', [30, 0], [0, 0]);
    await results('words', [0, 10], [0, 0]);
    const event = await declareGuard(worldOf(log), { changes: {}, ...SIGNED }, reading);
    expect(JSON.parse(event.plan!)).toMatchObject({ weights: { sums: 0.6, words: 0.2 }, centre: 0.75, share: 0.02 });
    // What was drawn before does not count.
    expect((await status()).guarding.guards[0]!.domains).toEqual([]);
  });

  it('gives a domain that comes later its place in the order of first problems, settled or not', async () => {
    await append(guardPlanned({ guardId: 'g-1', plan: DEFAULT_GUARD_PLAN }));
    const [first] = guardedProblems({ guardId: 'g-1', domain: 'waits', treated: true, solved: 1, failed: 0 });
    await append(first!);
    await results('second', [20, 250], [26, 4]);
    expect((await look()).muted).toMatchObject([{ domain: 'second' }]);
    const [muting] = await eventsOf(log, 'DomainMuted');
    expect(JSON.parse(muting!.evidence)).toMatchObject({ rank: 2 });
  });

  it('switches it off, and is refused where it is not on or the plan is not valid', async () => {
    await expect(declareGuard(worldOf(log), { changes: null, ...SIGNED }, reading)).rejects.toThrow(/is not on/);
    await expect(declareGuard(worldOf(log), { changes: { alpha: 2 }, ...SIGNED }, reading)).rejects.toThrow(/plan/);
    expect(await eventsOf(log, 'GuardPlanned')).toEqual([]);
    await declareGuard(worldOf(log), { changes: {}, ...SIGNED }, reading);
    await declareGuard(worldOf(log), { changes: null, ...SIGNED }, reading);
    expect((await status()).guarding.guards).toEqual([]);
  });
});

const SIGNED = { by: 'grace', reason: 'the verifier was wrong' };
const append = (...events: readonly SeamEvent[]) => log.append(events.map(encodeEvent));

/** Problems of a domain, solved and failed, with and without entries. */
async function results(
  domain: string,
  treated: readonly [number, number],
  control: readonly [number, number],
  controlShare = 0.1,
  adapterDigest: string | null = null,
  guardId = 'g-1',
): Promise<void> {
  const of = (arm: boolean, [solved, failed]: readonly [number, number]) => {
    const facts: GuardedFacts = { guardId, domain, treated: arm, solved, failed, controlShare, adapterDigest };
    return guardedProblems(facts);
  };
  await append(...of(true, treated), ...of(false, control));
}

const look = (own: EventLog = log) => decideReleases(worldOf(own), reading);
const status = () => readReleases({ log, snapshots: null }, reading);

const worldOf = (own: EventLog) => ({
  clock: { now: () => 7 },
  openLog: async () => own,
  openKeptLog: async () => ({ log: own, snapshots: null }),
  signing: async () => ({ key: null, trust: TRUST_ALL }),
});
const reading = {
  signal: new AbortController().signal,
  progress: () => ({ advance: () => undefined, stop: () => undefined }),
};
