/** A gateway that takes tokens next to keys: of a real OpenID provider, with the official client, on real sockets. */
import { systemClock } from '@seamstream/kernel';
import { issueKey, userIdOf } from '@seamstream/operations/access';
import { declareQuota, quotasStatus } from '@seamstream/operations/quotas';
import { eventsOf, type FlakyLog, openLog, until } from '@seamstream/testing';
import { IdentityServer } from '@seamstream/testing/identity-server';
import { chatCompletion } from '@seamstream/testing/model-server';
import OpenAI from 'openai';
import { gatewayConfigSchema } from '../config.js';
import { type GatewayUnderTest, startGateway } from '../gateway.fake.js';
import { AUDIENCE, FakeIssuer } from './issuer.fake.js';

let log: FlakyLog;
let gateway: GatewayUnderTest | undefined;
const servers: { stop(): Promise<void> }[] = [];
beforeEach(async () => {
  log = await openLog();
});
afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
  for (const server of servers.splice(0)) await server.stop();
});

describe('a token of a real provider', () => {
  it('opens what its role may, for the official client, and is counted, limited and recorded as its user', async () => {
    const provider = await IdentityServer.start({ audience: AUDIENCE, programs: PROGRAMS });
    servers.push(provider);
    const { url } = await start(provider.url);
    const bot = new OpenAI({ apiKey: await provider.tokenOf('bot'), baseURL: `${url}/v1`, maxRetries: 0 });
    const ask = () =>
      bot.chat.completions.create({ model: 'seam', messages: [{ role: 'user', content: 'How many?' }] });
    expect((await ask()).choices[0]!.message.content).toBe('Four.');
    const [published] = await eventsOf(log, 'ProblemPublished');
    const user = userIdOf(provider.url, 'bot');
    expect(published!.meta.subject).toBe(user);
    const once = { measure: 'requests', per: 'month', limit: 1, mode: 'enforced' } as const;
    await declareQuota(log, { keyId: user, ...once, declaredBy: 'ada', reason: 'a trial' }, systemClock);
    await until(
      async () => (await ask()).choices.length === 1 && (await quotasStatus(log, systemClock)).quotas[0]!.used === 1,
    );
    await expect(ask()).rejects.toMatchObject({ status: 429 });
    const reader = await provider.tokenOf('reader');
    expect(await statusOf('/v1/models', reader)).toBe(200);
    expect(await statusOf('/v1/feedback', reader, 'POST')).toBe(403);
    expect(await statusOf('/v1/models', await provider.tokenOf('stranger'))).toBe(403);
    expect(await statusOf('/api/me', reader)).toBe(200);
  });
});

describe('a gateway that takes tokens', () => {
  it('takes keys as before, refuses tokens above the most it reads, and says who asks', async () => {
    const issuer = await startIssuer();
    const { key, keyId } = await issueKey(log, { name: 'n', role: 'viewer', by: 'ada', expiresAt: null }, systemClock);
    await start(issuer.url);
    expect(await whoIs(key)).toEqual({ id: keyId, role: 'viewer', tenant: 'default', expiresAt: null, session: false });
    const ends = Math.floor(Date.now() / 1000) + 600;
    expect(await whoIs(await issuer.token({ claims: { exp: ends } }))).toEqual({
      ...{
        id: userIdOf(issuer.url, 'ada'),
        role: 'publisher',
        tenant: 'default',
        expiresAt: ends * 1000 + 5_000,
        session: false,
      },
    });
    const many = (count: number) => Array.from({ length: count }, (_, index) => `group-${index}`).concat('staff');
    expect(await statusOf('/api/me', await issuer.token({ claims: { groups: many(300) } }))).toBe(200);
    expect(await statusOf('/api/me', await issuer.token({ claims: { groups: many(600) } }))).toBe(401);
    expect(await statusOf('/api/me', await issuer.token({ claims: { groups: many(6_000) } }))).toBe(431);
    expect(await statusOf('/api/me', `sk-seam-${'x'.repeat(56)}`)).toBe(401);
    expect(await statusOf('/api/me', 'nonsense')).toBe(401);
  });

  it.each(['/api/events', '/api/stream'])('ends what a token opened when it expires: %s', async (path) => {
    const issuer = await startIssuer();
    const { url } = await start(issuer.url);
    const exp = Math.floor(Date.now() / 1000) - 3;
    const [brief, long] = [await issuer.token({ claims: { exp } }), await issuer.token()];
    const open = (token: string) => fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    const [first, second] = await Promise.all([open(brief), open(long)]);
    let isOver = false;
    const other = second.text().finally(() => {
      isOver = true;
    });
    await first.text();
    expect([first.status, second.status, isOver]).toEqual([200, 200, false]);
    expect(Date.now()).toBeGreaterThan((exp + 4) * 1000);
    await gateway!.service.close();
    await other;
  });

  it('starts while the issuer is away, says so, answers with keys, and takes tokens as soon as it answers', async () => {
    const away = await FakeIssuer.start();
    const token = await away.token();
    await away.stop();
    const { key } = await issueKey(log, { name: 'n', role: 'viewer', by: 'ada', expiresAt: null }, systemClock);
    const { service } = await start(away.url, { serveHttp: true });
    const readiness = async (): Promise<unknown> => (await fetch(`${service.url}/health/ready`)).json();
    const down = { status: 'up', takesTokens: false, reason: expect.stringContaining('expected its keys from') };
    expect(await readiness()).toMatchObject({ status: 'ok', checks: { issuer: down } });
    expect([await statusOf('/v1/models', token), await statusOf('/v1/models', key)]).toEqual([503, 200]);
    const silence = async () =>
      Number(/^seam_issuer_silence_seconds (\S+)$/m.exec(await service.metrics.registry.metrics())?.[1]);
    await until(async () => (await silence()) > 1);
    const back = await FakeIssuer.start(Number(new URL(away.url).port));
    servers.push(back);
    await until(async () => (await statusOf('/v1/models', token)) === 200);
    expect(await readiness()).toMatchObject({ checks: { issuer: { takesTokens: true } } });
    await until(async () => (await silence()) < 10);
  });

  it('answers with keys while the issuer of tokens is away', async () => {
    const issuer = await startIssuer();
    const { key } = await issueKey(log, { name: 'n', role: 'viewer', by: 'ada', expiresAt: null }, systemClock);
    await start(issuer.url);
    const token = await issuer.token();
    issuer.status = 500;
    const unseen = await issuer.token({ header: { kid: 'unseen' } });
    expect(await statusOf('/v1/models', unseen)).toBe(503);
    expect(await statusOf('/v1/models', token)).toBe(200);
    expect(await statusOf('/v1/models', key)).toBe(200);
  });
});

describe('a gateway of keys alone', () => {
  it('refuses every token', async () => {
    const issuer = await startIssuer();
    gateway = await startGateway({ log, gateway: { access: 'keys' } });
    expect(await statusOf('/v1/models', await issuer.token())).toBe(401);
    expect(issuer.asked).toBe(0);
  });

  it.each([
    ['a place for tokens', { access: 'open' }, 'expected keys'],
    ['an audience', { issuer: { audience: undefined } }, 'expected url and audience'],
    ['a role for a group', { issuer: { roles: {} } }, 'expected a role'],
    ['a role that exists', { issuer: { roles: { staff: 'king' } } }, 'Invalid'],
    ['https', { issuer: { url: 'http://login.example.org' } }, 'expected https'],
  ])('is not asked to take tokens without %s', (_, changes, message) => {
    const issuer = { ...issuerSettings('https://login.example.org'), ...('issuer' in changes ? changes.issuer : {}) };
    const read = () => gatewayConfigSchema.parse({ gateway: { access: 'keys', ...changes, issuer } });
    expect(read).toThrow(message);
  });
});

const PROGRAMS = [
  { id: 'bot', groups: ['staff'] },
  { id: 'reader', groups: ['guests'] },
  { id: 'stranger', groups: ['others'] },
];

const issuerSettings = (url: string) => ({ url, audience: AUDIENCE, roles: { staff: 'publisher', guests: 'viewer' } });

async function startIssuer(): Promise<FakeIssuer> {
  const issuer = await FakeIssuer.start();
  servers.push(issuer);
  return issuer;
}

async function start(issuer: string, host: { readonly serveHttp?: boolean } = {}): Promise<GatewayUnderTest> {
  gateway = await startGateway({
    ...{ log, ...host },
    behave: () => ({ kind: 'answer', body: chatCompletion('Four.') }),
    gateway: { access: 'keys', experienceWithinMs: 0, issuer: issuerSettings(issuer) },
  });
  return gateway;
}

const ask = (path: string, token: string, method = 'GET') =>
  fetch(`${gateway!.url}${path}`, { method, headers: { authorization: `Bearer ${token}` } });

async function statusOf(path: string, token: string, method?: string): Promise<number> {
  const answer = await ask(path, token, method);
  await answer.text();
  return answer.status;
}

const whoIs = async (token: string): Promise<unknown> => (await ask('/api/me', token)).json();
