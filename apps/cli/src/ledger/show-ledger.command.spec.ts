import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeEvent, originMeta, type SeamEvent } from '@seamstream/events';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

const meta = originMeta({
  messageId: 'm',
  correlationId: 'c',
  source: 'seam/test',
  occurredAt: 0,
  sourceClass: 'user',
});
const problem = (problemId: string) => ({
  problemId,
  domain: 'sums',
  prompt: 'p',
  reference: '5',
  verifier: { kind: 'exact', version: '1', options: {} },
  metadata: {},
});
const publishedEvent = (id: string): SeamEvent => ({
  type: 'ProblemPublished',
  feedbackWithinMs: null,
  task: null,
  meta,
  problem: problem(id),
  mode: 'explore',
  expiresAt: null,
});
const expiredEvent = (id: string): SeamEvent => ({ type: 'ProblemExpired', meta, problem: problem(id), expiredAt: 1 });

async function withEvents(...events: SeamEvent[]): Promise<FakeWorld> {
  const world = await fakeWorld();
  await world.log.append(events.map(encodeEvent));
  return world;
}

describe('seam ledger', () => {
  it('answers from the log as it was at a moment, and keeps nothing of that', async () => {
    const world = await fakeWorld();
    const at = (id: string, timestampMs: number) => ({ ...encodeEvent(publishedEvent(id)), timestampMs });
    await world.log.append([at('a', 1_000), at('b', 2_000)]);
    const publishedAt = async (...options: readonly string[]): Promise<unknown> => {
      await world.seam('ledger', '--json', ...options);
      return (world.takeJson() as [{ published: number }])[0].published;
    };
    expect(await publishedAt('--as-of', '1970-01-01T00:00:01Z')).toBe(1);
    expect(await publishedAt('--as-of', '1970-01-01')).toBe(0);
    expect(await publishedAt()).toBe(2);
    expect(await world.seam('ledger', '--as-of', 'then')).toBe(2);
    expect(world.takeErrors()).toContain('expected a time in ISO 8601');
    expect(await world.seam('ledger', '--as-of', '1970-01-01', '--from-scratch')).toBe(2);
  });

  it('says where every published problem ended, and that they are all accounted for', async () => {
    const world = await withEvents(publishedEvent('a'), publishedEvent('b'), publishedEvent('b'), expiredEvent('a'));
    expect(await world.seam('ledger', '--check')).toBe(0);
    const output = world.takeOutput();
    expect(output).toMatch(/^published +2$/m);
    expect(output).toMatch(/^expired +1 +50\.0 % +its time was over/m);
    expect(output).toMatch(/^inFlight +1 +50\.0 %/m);
    expect(output).toContain('1 repeated problems were counted once.');
    expect(output).toContain('Balanced: the 2 published problems are all accounted for.');
  });

  it('ends with 1 on --check when facts belong to no published problem', async () => {
    const world = await withEvents(publishedEvent('a'), expiredEvent('ghost'));
    expect(await world.seam('ledger')).toBe(0);
    expect(world.takeOutput()).toContain(
      'NOT BALANCED: 1 published, 1 accounted for, 1 with facts but never published.',
    );
    expect(await world.seam('ledger', '--check', '--json')).toBe(1);
    expect(world.takeJson()).toMatchObject([{ published: 1, orphaned: 1, balanced: false }]);
  });

  it('copes with records that are no events', async () => {
    const world = await withEvents(publishedEvent('a'));
    await world.log.append([{ topic: 'seam.outcomes', key: 'a', value: Buffer.from('poison') }]);
    expect(await world.seam('ledger', '--json')).toBe(0);
    expect(world.takeJson()).toMatchObject([{ published: 1, inFlight: 1, balanced: true }]);
  });

  it('says what the answer rests on, and reads from the beginning on request', async () => {
    const world = await withEvents(publishedEvent('a'));
    const folder = mkdtempSync(join(tmpdir(), 'seam-ledger-'));
    try {
      world.snapshots = { folder, view: 'all' };
      for (const args of [[], [], ['--from-scratch']]) await world.seam('ledger', '--json', ...args);
      expect(world.takeJson()).toMatchObject([
        { published: 1, from: 'beginning', snapshot: { records: 0, passedOver: 'there is none', kept: 'written' } },
        { published: 1, from: 'snapshot', snapshot: { records: 1, passedOver: null, kept: 'current' } },
        { published: 1, from: 'beginning', snapshot: { passedOver: 'from scratch', kept: 'written' } },
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
