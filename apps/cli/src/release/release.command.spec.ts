/** A release from its plan to its end, on a log: what the commands say and record, and what they refuse. */
import { decodeEvent, type EventOf, encodeEvent, type ReleaseDraw, type SeamEvent, TOPIC } from '@seamstream/events';
import { EXAMPLE_EVENTS, until } from '@seamstream/testing';
import { generated, published, recorded } from '@seamstream/testing/log-of';
import { evaluatedByPerson, evaluationOf, pinned, promotedByRun, unpinned } from '@seamstream/testing/promotion-log';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

const CANDIDATE = 'c4'.repeat(32);
const WHY = ['--by', 'ada', '--reason', 'it learned the new domain'] as const;
const CANARY = [{ kind: 'canary', share: 0.25, margin: 0.1, minProblems: 40 }];

let world: FakeWorld;
beforeEach(async () => {
  world = await fakeWorld();
  const [start, adapter, completed] = promotedByRun({ adapterDigest: CANDIDATE });
  await append(start, adapter, completed, evaluatedByPerson(CANDIDATE, evaluationOf(0.7)));
});

describe('seam release', () => {
  it('promotes a candidate that is better, and the log makes the decision again byte for byte', async () => {
    const releaseId = await plan();
    expect(await world.seam('release', 'decide')).toBe(0);
    expect(world.takeOutput()).toMatch(/Nothing to decide/);
    await served(releaseId, true, 90, 10);
    await served(releaseId, false, 120, 180);
    expect(await world.seam('release', 'decide')).toBe(0);
    expect(world.takeOutput()).toMatch(
      /stage 1: promoted \(at 25.0 % 90 of 100 were solved by the candidate, 120 of 300/,
    );
    expect(await statusOf()).toMatchObject([{ status: 'promoted' }]);
    expect((await adapterEvents()).slice(-2)).toMatchObject([
      { type: 'ReleaseDecided', decision: 'promoted', decidedBy: null },
      { type: 'AdapterPromoted', adapterDigest: CANDIDATE, promotedBy: 'ada' },
    ]);
    await world.seam('adapters', '--json');
    expect(world.takeJson()).toMatchObject([{ served: CANDIDATE }]);
    // Later records change nothing in what was decided then.
    await served(releaseId, true, 0, 50);
    expect(await world.seam('release', 'recompute')).toBe(0);
    expect(world.takeOutput()).toBe('stage 1  promoted  same bytes\n');
  });

  it('rolls a harmful candidate back by itself, and never serves it', async () => {
    const releaseId = await plan();
    await served(releaseId, true, 20, 80);
    await served(releaseId, false, 240, 60);
    await world.seam('release', 'decide');
    expect(world.takeOutput()).toMatch(/rolled back/);
    expect((await adapterEvents()).filter(({ type }) => type === 'AdapterPromoted')).toEqual([]);
    expect(await world.seam('release', 'recompute', 'last')).toBe(0);
    // It takes a new plan to try it again.
    await served(releaseId, true, 500, 0);
    world.takeOutput();
    await world.seam('release', 'decide');
    expect(world.takeOutput()).toMatch(/Nothing to decide/);
  });

  it.each([
    ['names records that are not in the log', {}, /DIFFERS: Cannot/],
    ['names records that do not make it', { offsets: [] }, /DIFFERS: from these records the stage continues/],
  ])(
    'does not count a decision that its counts do not bear out, and recompute reports one that %s',
    async (_, changed, says) => {
      const releaseId = await plan();
      await served(releaseId, true, 90, 10);
      await served(releaseId, false, 120, 180);
      await world.seam('release', 'decide');
      const decided = (await adapterEvents()).find((event) => event.type === 'ReleaseDecided')!;
      world = await fakeWorld();
      const [start, adapter, completed] = promotedByRun({ adapterDigest: CANDIDATE });
      await append(start, adapter, completed, evaluatedByPerson(CANDIDATE, evaluationOf(0.7)));
      const other = await plan();
      const forged = { ...decided, ...changed, releaseId: other, meta: { ...decided.meta, messageId: 'f1' } };
      await append({ ...forged, decision: 'rolled back' });
      expect(await statusOf()).toMatchObject([{ status: 'running' }]);
      // The counts bear it out, and the log has none of these problems.
      await append(forged);
      expect(await statusOf()).toMatchObject([{ status: 'promoted' }]);
      world.takeOutput();
      expect(await world.seam('release', 'recompute')).toBe(1);
      expect(world.takeOutput()).toMatch(says);
    },
  );

  it('lets a person decide over the rule, by name and with a reason', async () => {
    await plan({ stages: [{ kind: 'shadow', minProblems: 10, margin: 0.1 }, ...CANARY] });
    expect(await world.seam('release', 'override', 'last', 'advanced', '--by', ' ', '--reason', 'r')).toBe(2);
    expect(await world.seam('release', 'override', 'last', 'advanced', ...WHY)).toBe(0);
    expect(await statusOf()).toMatchObject([{ status: 'running', stage: 1 }]);
    expect(await world.seam('release', 'override', 'last', 'advanced', ...WHY)).toBe(2);
    expect(world.takeErrors()).toMatch(/there is no stage after the last/);
    expect(await world.seam('release', 'override', 'last', 'rolled back', ...WHY)).toBe(0);
    await world.seam('release', 'recompute');
    expect(world.takeOutput()).toMatch(/stage 1 {2}advanced {2}by ada\nstage 2 {2}rolled back {2}by ada/);
  });

  it('ends a release when something else is served than its parent', async () => {
    const releaseId = await plan();
    const other = promotedByRun({ adapterDigest: 'd5'.repeat(32), runId: 'other', success: 0.9 });
    await append(...other);
    expect(await statusOf()).toMatchObject([{ status: 'overtaken' }]);
    await served(releaseId, true, 100, 0);
    await served(releaseId, false, 0, 300);
    world.takeOutput();
    await world.seam('release', 'decide');
    expect(world.takeOutput()).toMatch(/Nothing to decide/);
  });

  it('continues to follow after a conflict, and says it once', async () => {
    const releaseId = await plan();
    await served(releaseId, true, 90, 10);
    await served(releaseId, false, 120, 180);
    await append(pinned('pin-1', null));
    const following = world.seam('release', 'decide', '--follow', '--every', '0.02');
    let told = '';
    await until(() => (told += world.takeErrors()).includes('is pinned by ada'));
    await append(unpinned('unpin-1', null));
    let said = '';
    await until(() => (said += world.takeOutput()).includes('promoted'));
    world.interrupt();
    await following;
    expect((told + world.takeErrors()).match(/is pinned by ada/g)).toHaveLength(1);
    expect((await adapterEvents()).filter(({ type }) => type === 'ReleaseDecided')).toHaveLength(1);
  });

  it('keeps the newest of the records that it refuses, and counts all', async () => {
    const forged = { ...DECIDED, type: 'ReleaseDecided', releaseId: 'none' } as EventOf<'ReleaseDecided'>;
    const meta = (at: number) => ({ ...forged.meta, messageId: `f${at}` });
    await append(...Array.from({ length: 250 }, (_, at) => ({ ...forged, meta: meta(at) })));
    await world.seam('release', 'status', '--json');
    const [{ refused, refusedCount }] = world.takeJson() as [
      { refused: { messageId: string }[]; refusedCount: number },
    ];
    expect([refused.length, refused.at(-1)?.messageId, refusedCount]).toEqual([100, 'f249', 250]);
  });

  it('refuses a second release at once, an adapter without a measurement, and what is no plan', async () => {
    world.files.set('plan.json', Buffer.from('{"stages":[]}'));
    expect(await world.seam('release', 'plan', CANDIDATE, '--plan', 'plan.json', ...WHY)).toBe(2);
    expect(world.takeErrors()).toMatch(/Cannot read a release plan: stages/);
    const [start, adapter, completed] = promotedByRun({ adapterDigest: 'ee'.repeat(32), runId: 'unmeasured' });
    await append(start, adapter, completed);
    expect(await world.seam('release', 'plan', 'ee'.repeat(32), ...WHY)).toBe(2);
    expect(world.takeErrors()).toMatch(/expected an evaluation of it on record/);
    await plan();
    expect(await world.seam('release', 'plan', CANDIDATE, ...WHY)).toBe(2);
    expect(world.takeErrors()).toMatch(/of this slot is not over/);
  });
});

const DECIDED = EXAMPLE_EVENTS.ReleaseDecided;
const append = (...events: readonly SeamEvent[]) => world.log.append(events.map(encodeEvent));

async function plan(changes: object = { stages: CANARY, horizon: 2000 }): Promise<string> {
  world.files.set('plan.json', Buffer.from(JSON.stringify(changes)));
  expect(await world.seam('release', 'plan', CANDIDATE.slice(0, 8), '--plan', 'plan.json', '--json', ...WHY)).toBe(0);
  return (world.takeJson().at(-1) as { readonly releaseId: string }).releaseId;
}

let next = 0;
/** Problems that one adapter was drawn for, so many of them solved. */
async function served(
  releaseId: string,
  isCandidate: boolean,
  solved: number,
  failed: number,
  stage = 0,
): Promise<void> {
  const events = Array.from({ length: solved + failed }, (_, i): SeamEvent[] => {
    const id = `p${next++}`;
    const release: ReleaseDraw = { releaseId, stage, unit: id, share: 0.25, isCandidate };
    return [
      { ...(published(id) as EventOf<'ProblemPublished'>), mode: 'deploy' },
      { ...(generated(id, { arm: 'deploy' }) as EventOf<'ExperienceGenerated'>), release },
      recorded(id, i < solved, { arm: 'deploy' }),
    ];
  });
  await append(...events.flat());
}

async function adapterEvents(): Promise<SeamEvent[]> {
  const events: SeamEvent[] = [];
  for await (const records of world.log.read({ topic: TOPIC.adapters, partition: 0, from: 0 }))
    events.push(...records.map(decodeEvent));
  return events;
}

const statusOf = async () => {
  world.takeOutput();
  await world.seam('release', 'status', '--json');
  return (world.takeJson()[0] as { readonly releases: readonly { readonly status: string; readonly stage: number }[] })
    .releases;
};
