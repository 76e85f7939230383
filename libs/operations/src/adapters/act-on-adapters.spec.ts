import { InMemoryEventLog } from '@seamstream/event-log';
import { encodeEvent, TOPICS } from '@seamstream/events';
import { ManualClock, SeamError } from '@seamstream/kernel';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { TRUST_ALL } from '@seamstream/signatures';
import { totalRecords } from '@seamstream/testing';
import { promotedByRun } from '@seamstream/testing/promotion-log';
import { type AdapterDecision, decideOnAdapter } from './act-on-adapters.js';
import type { AdapterWorld } from './adapter-world.js';

const reading = {
  signal: new AbortController().signal,
  progress: () => ({ advance: () => undefined, stop: () => undefined }),
};
const ADAPTER = 'a'.repeat(64);

let log: InMemoryEventLog;
let world: AdapterWorld;
beforeEach(async () => {
  log = new InMemoryEventLog();
  await log.createTopics(TOPICS);
  const objects = new InMemoryObjectStore();
  world = {
    clock: new ManualClock(5000),
    signal: reading.signal,
    openLog: () => Promise.resolve(log),
    openKeptLog: () => Promise.resolve({ log, snapshots: null }),
    openObjects: () => Promise.resolve(objects),
    readInput: () => Promise.reject(new Error('no file is read')),
    openBaseModel: () => Promise.reject(new SeamError('CHECKPOINT_INVALID', 'There is no base model here.')),
    signing: () => Promise.resolve({ key: null, trust: TRUST_ALL }),
  };
  await log.append(promotedByRun({ adapterDigest: ADAPTER }).map((event) => encodeEvent(event)));
});

const decide = (decision: AdapterDecision) => decideOnAdapter(world, decision, { by: 'ada', reason: 'why' }, reading);
const numRecorded = async (): Promise<number> => await totalRecords(log, 'seam.adapters');

describe('A decision on what is served', () => {
  it('is recorded in the name of its author, and its effect is reported', async () => {
    const { event, decision, served, pin } = await decide({ act: 'pin', adapter: 'served' });
    expect(event).toMatchObject({ type: 'AdapterPinned', adapterDigest: ADAPTER, pinnedBy: 'ada', reason: 'why' });
    expect([event.meta.occurredAt, decision?.status]).toEqual([5000, 'counted']);
    expect({ served, pin }).toMatchObject({ served: ADAPTER, pin: { adapterDigest: ADAPTER, by: 'ada' } });
    expect((await decide({ act: 'unpin' })).pin).toBeNull();
    expect((await decide({ act: 'rollBack' })).served).toBeNull();
  });

  it.each<[string, AdapterDecision, string]>([
    ['nothing is pinned', { act: 'unpin' }, 'CONFLICT'],
    ['the adapter is served already', { act: 'promote', adapter: 'aaaa' }, 'CONFLICT'],
    ['the adapter is unknown', { act: 'promote', adapter: 'bbbb' }, 'NOT_FOUND'],
    ['the adapter was never served', { act: 'rollBack', to: 'cccc' }, 'NOT_FOUND'],
  ])('is refused before anything is recorded where %s', async (_, decision, code) => {
    const before = await numRecorded();
    await expect(decide(decision)).rejects.toMatchObject({ code });
    expect(await numRecorded()).toBe(before);
  });
});
