/** What the page of access is answered: the same as the commands print, and of one tenant and role no more than is theirs. */
import { type EventOf, encodeEvent } from '@seamstream/events';
import { systemClock } from '@seamstream/kernel';
import { type IssuedKey, issueKey, listKeys, type Role, revokeKey } from '@seamstream/operations/access';
import { type Act, readAudit } from '@seamstream/operations/audit';
import {
  clientLimitsOf,
  declareQuota,
  quotasStatus,
  readAccessFacts,
  type SeenAccess,
  tenantsOf,
} from '@seamstream/operations/quotas';
import { EXAMPLE_EVENTS, type FlakyLog, openLog, until } from '@seamstream/testing';
import { chatCompletion } from '@seamstream/testing/model-server';
import { type GatewayUnderTest, startGateway } from '../gateway.fake.js';

let log: FlakyLog;
let gateway: GatewayUnderTest;
beforeEach(async () => {
  log = await openLog();
});
afterEach(() => gateway.stop());

describe('The page of access', () => {
  it('has what the commands print, while keys, limits, use and a revocation come', async () => {
    await start();
    const admin = await keyOf('default', 'admin');
    const bot = await keyOf('acme', 'publisher');
    await limit(`acme/${bot.keyId}`, 'requests', 5);
    await limit('acme/*', 'tokens', 100_000);
    await limit('acme/whole', 'requests', 10, 'shadow');
    await until(async () => (await seenBy(bot)).clients.length === 2);
    expect((await chat(bot)).status).toBe(200);
    await log.append([encodeEvent(underWay(bot.keyId))]);
    await until(async () => (await seenBy(admin)).openReservations === 1);
    await revokeKey(log, (await keyOf('globex', 'viewer')).keyId, WHY, systemClock);
    await until(async () => (await seenBy(admin)).keys?.some(({ state }) => state === 'revoked') === true);
    const [answer, facts] = [await seenBy(admin), await readAccessFacts(log, systemClock)];
    const { quotas, openReservations, currency } = await quotasStatus(log, systemClock);
    const now = systemClock.now();
    expect(answer).toMatchObject({ quotas, openReservations, currency, keys: await listKeys(log, systemClock) });
    expect(answer).toMatchObject({ clients: clientLimitsOf(facts, now), tenants: tenantsOf(facts, now), users: [] });
    const requests = answer.quotas!.find(({ keyId, measure }) => keyId.includes(bot.keyId) && measure === 'requests');
    // One was answered, and one is under way.
    expect(requests).toMatchObject({ used: 2, reserved: 1, left: 3 });
    const text = JSON.stringify(answer);
    for (const { key } of [admin, bot]) expect(text).not.toContain(key.slice(-43));
    for (const { digest } of facts.keys.issued.values()) expect(text).not.toContain(digest);
  });

  it('says to a viewer what they and their tenant may use, and to no viewer who has which key', async () => {
    await start();
    const [viewer, other] = [await keyOf('acme', 'viewer'), await keyOf('acme', 'publisher')];
    await limit('acme/whole', 'requests', 10);
    await limit('globex/whole', 'requests', 77);
    await until(async () => (await seenBy(viewer)).clients.length === 2);
    const answer = await seenBy(viewer);
    expect(answer.clients.map(({ client }) => client)).toEqual(['acme/whole', `acme/${viewer.keyId}`]);
    expect(answer).toMatchObject({ keys: null, users: null, tenants: null, quotas: null, openReservations: null });
    expect(JSON.stringify(answer)).not.toContain(other.keyId);
    expect((await get(viewer, 'audit')).status).toBe(403);
  });

  it('lists acts to admins alone, each those of their tenant, and those of all to who runs the system', async () => {
    await start();
    const keys = await Promise.all(
      (['viewer', 'publisher', 'operator', 'admin'] as const).map((r) => keyOf('acme', r)),
    );
    const [root, globex] = [await keyOf('default', 'admin'), await keyOf('globex', 'admin')];
    await revokeKey(log, keys[0]!.keyId, WHY, systemClock);
    await until(async () => (await get(keys[0]!, 'access')).status === 401);
    expect(await Promise.all(keys.slice(1).map(async (key) => (await get(key, 'audit')).status))).toEqual([
      403, 403, 200,
    ]);
    const actsOf = async (key: IssuedKey, query = ''): Promise<{ acts: Act[]; older: number }> =>
      (await get(key, `audit${query}`)).json() as Promise<{ acts: Act[]; older: number }>;
    const { acts } = await actsOf(keys[3]!, '?act=all');
    const wanted = { sinceMs: 0, signal: new AbortController().signal };
    expect(acts).toEqual((await readAudit(log, { ...wanted, tenant: 'acme' })).toReversed());
    expect(acts.map(({ act }) => act)).toEqual(['revoke key', ...keys.map(() => 'issue key')]);
    expect((await actsOf(root)).acts).toEqual((await readAudit(log, wanted)).toReversed());
    expect((await actsOf(globex)).acts.map(({ what }) => what)).toEqual([expect.stringContaining(globex.keyId)]);
    expect(await actsOf(root, '?act=revoke+key&by=ada')).toMatchObject({ older: 0, acts: [{ by: 'ada' }] });
    expect(await actsOf(root, '?by=bob')).toMatchObject({ older: 0, acts: [] });
    for (const query of ['?act=nothing', '?hours=0', '?hours=9999', '?tenant=globex'])
      expect([query, (await get(keys[3]!, `audit${query}`)).status]).toEqual([query, 400]);
  });

  it('says what was refused lately and why, to a client what was refused to it', async () => {
    await start();
    const [admin, bot, viewer] = [
      await keyOf('default', 'admin'),
      await keyOf('acme', 'publisher'),
      await keyOf('acme', 'viewer'),
    ];
    await limit(`acme/${bot.keyId}`, 'requests', 1);
    await until(async () => (await seenBy(bot)).clients.some(({ limits }) => limits.length === 1));
    expect((await chat(bot)).status).toBe(200);
    expect([(await chat(bot)).status, (await chat(bot)).status]).toEqual([429, 429]);
    expect((await chat(viewer)).status).toBe(403);
    await fetch(`${gateway.url}/v1/models`);
    // They are recorded each minute, and when a gateway ends.
    await gateway.stop();
    await start();
    const told = async (key: IssuedKey) => (await seenBy(key)).refused.map(({ by, times, what }) => [by, times, what]);
    const POST = 'POST /v1/chat/completions';
    expect(await told(bot)).toEqual([[bot.keyId, 2, `${POST}, no room: requests/month, from loopback`]]);
    expect(await told(viewer)).toEqual([[viewer.keyId, 1, `${POST}, forbidden, from loopback`]]);
    expect((await told(await keyOf('acme', 'operator'))).map(([by]) => by).toSorted()).toEqual(
      [bot.keyId, viewer.keyId].toSorted(),
    );
    expect(await told(await keyOf('globex', 'admin'))).toEqual([]);
    const acts = await readAudit(log, { sinceMs: 0, acts: ['refused'], signal: new AbortController().signal });
    expect(acts).toHaveLength(3);
    expect((await seenBy(admin)).refused).toEqual(acts.toReversed());
  });

  it('of an open gateway has everything, and says that no one has a name there', async () => {
    gateway = await startGateway({ log });
    await issueKey(log, { name: 'n', role: 'viewer', by: 'ada', expiresAt: null }, systemClock);
    const read = async (): Promise<SeenAccess> =>
      (await fetch(`${gateway.url}/api/views/access`)).json() as Promise<SeenAccess>;
    await until(async () => (await read()).keys?.length === 1);
    expect(await read()).toMatchObject({ you: { id: null, role: 'admin', isOfAll: true }, clients: [{ kind: 'key' }] });
  });

  it('says to who looks that a key came, by the stream of all pages', async () => {
    await start();
    const admin = await keyOf('default', 'admin');
    const headers = { authorization: `Bearer ${admin.key}` };
    const stop = new AbortController();
    const { body } = await fetch(`${gateway.url}/api/stream`, { headers, signal: stop.signal });
    let text = '';
    let issuedAt = 0;
    const reading = (async () => {
      for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
        text += chunk;
        if (issuedAt === 0 && text.includes('event: snapshot')) {
          issuedAt = text.length;
          await issueKey(log, { name: 'n', role: 'viewer', by: 'ada', expiresAt: null }, systemClock);
        } else if (issuedAt > 0 && text.slice(issuedAt).includes('event: change')) return;
      }
    })();
    await reading;
    stop.abort();
    expect(text.slice(issuedAt)).toContain('event: change');
  });
});

const WHY = { by: 'ada', reason: 'it leaked' };

async function start(): Promise<void> {
  const behave = () => ({ kind: 'answer' as const, body: chatCompletion('Four.') });
  gateway = await startGateway({ log, behave, gateway: { access: 'keys', experienceWithinMs: 0 } });
}

/** A key that the gateway has read. */
async function keyOf(tenant: string, role: Role): Promise<IssuedKey> {
  const issued = await issueKey(log, { name: 'n', role, tenant, by: 'ada', expiresAt: null }, systemClock);
  await until(async () => (await get(issued, 'access')).status === 200);
  return issued;
}

const get = ({ key }: IssuedKey, path: string) =>
  fetch(`${gateway.url}/api/views/${path}`, { headers: { authorization: `Bearer ${key}` } });

const seenBy = async (key: IssuedKey): Promise<SeenAccess> => (await get(key, 'access')).json() as Promise<SeenAccess>;

const chat = ({ key }: IssuedKey) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'seam', messages: [{ role: 'user', content: 'How many?' }] }),
  });

const limit = (keyId: string, measure: 'requests' | 'tokens', most: number, mode: 'enforced' | 'shadow' = 'enforced') =>
  declareQuota(
    log,
    { keyId, measure, per: 'month', limit: most, mode, declaredBy: 'ada', reason: 'a trial' },
    systemClock,
  );

function underWay(keyId: string): EventOf<'UsageReserved'> {
  const { UsageReserved: example } = EXAMPLE_EVENTS;
  const now = systemClock.now();
  const meta = { ...example.meta, tenant: 'acme', occurredAt: now };
  return { ...example, meta, keyId, reservationId: 'under-way', limits: [], lapsesAt: now + 600_000 };
}
