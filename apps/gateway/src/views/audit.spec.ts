/** The list of acts of the page, as a load on the gateway: it ends with its reader, is read in turns, and is of a tenant without those of others. */
import { encodeEvent, type SeamEvent, TOPIC } from '@seamstream/events';
import { systemClock } from '@seamstream/kernel';
import { type IssuedKey, issueKey } from '@seamstream/operations/access';
import type { Act } from '@seamstream/operations/audit';
import { EXAMPLE_EVENTS, type FlakyLog, openLog, until } from '@seamstream/testing';
import { type GatewayUnderTest, startGateway } from '../gateway.fake.js';
import { MOST_ASKED } from './reading-turns.js';

let log: FlakyLog;
let gateway: GatewayUnderTest;
beforeEach(async () => {
  log = await openLog();
  gateway = await startGateway({ log, gateway: { access: 'keys', experienceWithinMs: 0 } });
});
afterEach(() => gateway.stop());

describe('The list of acts', () => {
  it('is read no further when its reader leaves', async () => {
    const admin = await keyOf('acme');
    const endless = await makeFeedbackEndless();
    const leaving = new AbortController();
    const left = expect(get(admin, '?act=feedback', leaving.signal)).rejects.toThrow();
    await until(() => endless.chunks > 2, 'the reading');
    leaving.abort();
    await left;
    await until(() => endless.under === 0, 'the end of the reading');
  });

  it('is read one at a time for a tenant; of too many one is refused, and other tenants are answered', async () => {
    const [acme, globex] = [await keyOf('acme'), await keyOf('globex')];
    const endless = await makeFeedbackEndless();
    const leaving = new AbortController();
    const asked = Array.from({ length: MOST_ASKED }, () =>
      get(acme, '?act=feedback', leaving.signal).catch(() => null),
    );
    await until(() => endless.chunks > 2, 'the reading');
    const oneMore = () => get(acme, '', AbortSignal.timeout(500)).catch(() => undefined);
    await until(async () => (await oneMore())?.status === 429, 'the refusal of one more');
    const { error } = (await (await get(acme, '')).json()) as { error: { message: string } };
    expect(error.message).toMatch(/expected at most 4 readings under way for the tenant acme, got one more/);
    expect((await get(globex, '')).status).toBe(200);
    expect(endless.most).toBe(1);
    leaving.abort();
    await Promise.all(asked);
    await until(async () => (await get(acme, '')).status === 200, 'room again');
    expect(endless.under).toBe(0);
  });

  it('of a chosen tenant has its acts, also where others did more since than are listed', async () => {
    const [root, acme] = [await keyOf('default', 'acme admin'), await keyOf('acme')];
    await log.append(Array.from({ length: 700 }, (_, n) => encodeEvent(limited('globex', n))));
    const actsOf = async (key: IssuedKey, query: string): Promise<{ acts: Act[]; older: number }> =>
      (await get(key, query)).json() as Promise<{ acts: Act[]; older: number }>;
    const all = await actsOf(root, '');
    expect([all.acts.length, all.older, all.acts.some(({ tenant }) => tenant === 'acme')]).toEqual([500, 202, false]);
    const { acts, older } = await actsOf(root, '?tenant=acme');
    expect([acts.map(({ what }) => what), older]).toEqual([[expect.stringContaining(acme.keyId)], 0]);
    expect(await actsOf(acme, '?tenant=acme')).toMatchObject({ acts, older });
    const refused = await get(acme, '?tenant=globex');
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain('expected the tenant acme');
  });

  it('is of a week at most for what is among problems, feedback and use, and of a year for changes', async () => {
    const admin = await keyOf('default');
    for (const [query, status] of [
      ['?hours=8784', 200],
      ['?hours=8784&act=pin', 200],
      ['?hours=168&act=all', 200],
      ['?hours=169&act=all', 400],
      ['?hours=8784&act=refused', 400],
    ] as const)
      expect([query, (await get(admin, query)).status]).toEqual([query, status]);
    expect(await (await get(admin, '?hours=169&act=all')).text()).toContain('expected at most 168 hours for all');
  });
});

/** A key of an admin that the gateway has read. */
async function keyOf(tenant: string, name = 'n'): Promise<IssuedKey> {
  const issued = await issueKey(log, { name, role: 'admin', tenant, by: 'ada', expiresAt: null }, systemClock);
  await until(async () => (await get(issued, '?by=no+one')).status === 200);
  return issued;
}

const get = ({ key }: IssuedKey, query: string, signal?: AbortSignal) =>
  fetch(`${gateway.url}/api/views/audit${query}`, {
    headers: { authorization: `Bearer ${key}` },
    ...(signal === undefined ? {} : { signal }),
  });

const limited = (tenant: string, n: number): SeamEvent => ({
  ...EXAMPLE_EVENTS.QuotaDeclared,
  ...{
    keyId: '*',
    limit: n,
    meta: { ...EXAMPLE_EVENTS.QuotaDeclared.meta, tenant, occurredAt: systemClock.now() + n },
  },
});

/** From now on a reading of feedback has no end: each chunk of it comes again and again. Counts chunks, and readings under way. */
async function makeFeedbackEndless(): Promise<{ chunks: number; under: number; most: number }> {
  await log.append([encodeEvent(EXAMPLE_EVENTS.FeedbackGiven)]);
  const count = { chunks: 0, under: 0, most: 0 };
  const read = log.read.bind(log);
  log.read = async function* (options) {
    if (options.topic !== TOPIC.feedback) yield* read(options);
    else {
      count.most = Math.max(count.most, ++count.under);
      try {
        for (;;) {
          yield* read(options);
          count.chunks++;
          await new Promise((resolve) => setTimeout(resolve, 2));
        }
      } finally {
        count.under--;
      }
    }
  };
  return count;
}
