/** People sign in to the dashboard at a real OpenID provider, and attackers try to; on real sockets. */
import { systemClock } from '@seamstream/kernel';
import { issueKey, signOutUser, userIdOf } from '@seamstream/operations/access';
import { readAudit } from '@seamstream/operations/audit';
import { eventsOf, type FlakyLog, openLog, recordsOf, until } from '@seamstream/testing';
import { freePort } from '@seamstream/testing/free-port';
import { IdentityServer, SECRET } from '@seamstream/testing/identity-server';
import fc from 'fast-check';
import { FakeIssuer } from '../access/issuer.fake.js';
import { gatewayConfigSchema } from '../config.js';
import { type GatewayUnderTest, startGateway } from '../gateway.fake.js';
import { Cookie } from '../http/cookies.js';
import { FakeBrowser } from './browser.fake.js';
import { returnAddress } from './return-address.decide.js';

/** No digest in hexadecimal contains it by chance. */
const PERSON = 'grete';

let log: FlakyLog;
let provider: IdentityServer;
let origin: string;
let gateway: GatewayUnderTest | undefined;
let browser: FakeBrowser;
beforeAll(async () => {
  origin = `http://127.0.0.1:${await freePort()}`;
  const page = { clientId: 'seam', origin };
  provider = await IdentityServer.start({ audience: 'https://seam.example', programs: [], page });
  process.env.SEAM_LOGIN_SECRET_OF_A_TEST = SECRET;
});
afterAll(async () => {
  delete process.env.SEAM_LOGIN_SECRET_OF_A_TEST;
  await provider.stop();
});
beforeEach(async () => {
  log = await openLog();
  browser = new FakeBrowser();
  provider.person = { id: PERSON, groups: ['staff'] };
});
afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
});

describe('a person who signs in', () => {
  it('comes back to the page they wanted, with the role of their groups, and signs out here and at the provider', async () => {
    await start();
    const refused = await browser.ask(`${origin}/api/me`);
    expect([refused.status, refused.headers.get('x-seam-sign-in')]).toEqual([401, '/login']);
    expect(await signIn('/log?before=7')).toBe(`${origin}/log?before=7`);
    const user = userIdOf(provider.url, PERSON);
    const me = await browser.ask(`${origin}/api/me`);
    expect(await me.json()).toMatchObject({ id: user, role: 'viewer', session: true });
    expect(await statusOf('/api/problems', { method: 'POST' })).toBe(403);
    const answer = await browser.ask(`${origin}/api/session`, { method: 'DELETE' });
    const { location } = (await answer.json()) as { readonly location: string };
    expect(location).toMatch(`${provider.url}/session/end?client_id=seam`);
    expect((await browser.visit(location)).status).toBe(200);
    expect(browser.cookies(origin).size).toBe(0);
    expect(await statusOf('/api/me')).toBe(401);
    const acts = await readAudit(log, { sinceMs: 0, signal: new AbortController().signal });
    expect(acts.map(({ act, by }) => [act, by])).toEqual([
      ['sign in', user],
      ['sign out', user],
    ]);
  });

  it('has a cookie that no script reads and no other site sends, and the log has no secret of it', async () => {
    await start();
    const begun = await browser.visit(`${origin}/login`);
    const back = await browser.follow(begun.headers.get('location')!, isCallback);
    const done = await browser.visit(back);
    const [session] = done.headers.getSetCookie().filter((each) => each.startsWith('seam-session='));
    expect(session).toMatch(/^seam-session=[\w-]{43}; Max-Age=3600; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(done.headers.get('cache-control')).toBe('no-store');
    const secret = browser.cookies(origin).get('seam-session')!;
    const stored = (await recordsOf(log, 'seam.usage')).map(({ value }) => Buffer.from(value!).toString('latin1'));
    expect(stored.filter((each) => each.includes(secret) || each.includes(PERSON))).toEqual([]);
  });

  it('without a group that has a role learns it, and is counted as refused', async () => {
    await start();
    provider.person = { id: 'eve', groups: ['others'] };
    expect(await signIn()).toBe(`${origin}/?sign-in=no-role`);
    expect(await statusOf('/api/me')).toBe(401);
    await gateway!.stop();
    const refused = await eventsOf(log, 'AccessRefused');
    expect(refused.map(({ keyId, reason, route }) => [keyId, reason, route])).toContainEqual([
      ...[userIdOf(provider.url, 'eve'), 'no_role', 'GET /login/callback'],
    ]);
  });

  it('who says no at the provider learns it', async () => {
    await start();
    const { state } = await begin();
    const iss = encodeURIComponent(provider.url);
    const answer = await browser.visit(`${origin}/login/callback?error=access_denied&state=${state}&iss=${iss}`);
    expect(answer.headers.get('location')).toBe('/?sign-in=denied');
  });
});

describe('a session', () => {
  it('is known to every gateway of the log, also to one that starts later, and ends in all as fast as the log', async () => {
    await start();
    await signIn();
    const port = await freePort();
    const other = await startGateway({ log, gateway: { ...settings(), port } });
    const elsewhere = `http://127.0.0.1:${port}`;
    const cookie = `seam-session=${browser.cookies(origin).get('seam-session')!}`;
    const there = (): Promise<Response> => fetch(`${elsewhere}/api/me`, { headers: { cookie } });
    expect((await there()).status).toBe(200);
    const stream = await fetch(`${elsewhere}/api/events`, { headers: { cookie } });
    await signOutUser(log, userIdOf(provider.url, PERSON), { by: 'bob', reason: 'left the team' }, systemClock);
    await stream.text();
    await until(async () => (await statusOf('/api/me')) === 401 && (await there()).status === 401);
    await other.stop();
    // Whom no one has blocked at the provider comes in again.
    expect(await signIn()).toBe(`${origin}/`);
    expect(await statusOf('/api/me')).toBe(200);
  });

  it('ends by itself, and so does the stream that it opened', async () => {
    await start({ sessionMs: 1_500 });
    await signIn();
    const cookies = browser.cookies(origin);
    const secret = cookies.get('seam-session')!;
    const stream = await browser.ask(`${origin}/api/stream`);
    expect(stream.status).toBe(200);
    await stream.text();
    cookies.set('seam-session', secret);
    const answer = await browser.ask(`${origin}/api/me`);
    expect(await answer.json()).toMatchObject({ error: { code: 'session_ended' } });
  });

  it('is not opened by a forged or changed cookie', async () => {
    await start();
    await signIn();
    const secret = browser.cookies(origin).get('seam-session')!;
    const [{ sessionId } = { sessionId: '' }] = await eventsOf(log, 'SessionStarted');
    const last = secret.endsWith('A') ? 'B' : 'A';
    const changed = [
      `${secret.slice(0, -1)}${last}`,
      `${secret}A`,
      secret.slice(1),
      sessionId,
      'A'.repeat(43),
      '',
      '%00',
    ];
    for (const forged of changed) {
      browser.cookies(origin).set('seam-session', forged);
      expect([forged, await statusOf('/api/me')]).toEqual([forged, 401]);
    }
    browser.cookies(origin).set('seam-session', secret);
    expect(await statusOf('/api/me')).toBe(200);
  });

  it('does nothing for pages of other sites, and a key that is sent counts before it', async () => {
    await start();
    provider.person = { id: PERSON, groups: ['platform'] };
    await signIn();
    const body = JSON.stringify({ prompt: 'Why?' });
    const cookie = `seam-session=${browser.cookies(origin).get('seam-session')!}`;
    const post = (headers: Record<string, string>) =>
      fetch(`${origin}/api/problems`, {
        method: 'POST',
        body,
        headers: { cookie, 'content-type': 'application/json', ...headers },
      });
    for (const headers of [
      {},
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `${origin}.evil.example` },
      { origin: origin.replace('127.0.0.1', 'localhost') },
      { origin, 'sec-fetch-site': 'same-site' },
      { origin, 'sec-fetch-site': 'cross-site' },
      { origin, 'sec-fetch-site': 'none' },
    ])
      expect([headers, (await post(headers)).status]).toEqual([headers, 403]);
    for (const site of ['same-site', 'cross-site'])
      expect(await statusOf('/api/me', { headers: { 'sec-fetch-site': site } })).toBe(403);
    expect(await eventsOf(log, 'ProblemPublished')).toEqual([]);
    expect((await post({ origin, 'sec-fetch-site': 'same-origin' })).status).toBe(202);
    const { key, keyId } = await issueKey(log, { name: 'n', role: 'viewer', by: 'ada', expiresAt: null }, systemClock);
    await until(async () => {
      const me = await browser.ask(`${origin}/api/me`, { headers: { authorization: `Bearer ${key}` } });
      return ((await me.json()) as { readonly id?: string }).id === keyId;
    });
    expect(await statusOf('/api/me', { headers: { authorization: 'Bearer nonsense' } })).toBe(401);
  });
});

describe('a login that is attacked', () => {
  it('ends without a session where the state is not the one of this browser', async () => {
    await start();
    const { back } = await arrived();
    const mallory = new FakeBrowser();
    // The victim has begun no login, or another one.
    expect((await mallory.visit(back)).headers.get('location')).toBe('/?sign-in=expired');
    await mallory.visit(`${origin}/login`);
    expect((await mallory.visit(back)).headers.get('location')).toBe('/?sign-in=failed');
    for (const state of ['', 'A'.repeat(43)]) {
      const { back: own } = await arrived();
      const changed = new URL(own);
      changed.searchParams.set('state', state);
      expect((await browser.visit(changed.href)).headers.get('location')).toBe('/?sign-in=failed');
    }
    expect(await eventsOf(log, 'SessionStarted')).toEqual([]);
    await gateway!.stop();
    const refused = await eventsOf(log, 'AccessRefused');
    expect(refused.map(({ reason }) => reason).toSorted()).toEqual(['login_expired', 'login_failed']);
  });

  it('ends without a session where the code was used before, or is of another login', async () => {
    await start();
    const { back } = await arrived();
    const kept = browser.cookies(origin).get('seam-login')!;
    expect((await browser.visit(back)).headers.get('location')).toBe('/');
    browser.cookies(origin).set('seam-login', kept);
    expect((await browser.visit(back)).headers.get('location')).toBe('/?sign-in=failed');
    const [first, second] = [await arrived(), await arrived()];
    const mixed = new URL(second.back);
    mixed.searchParams.set('code', new URL(first.back).searchParams.get('code')!);
    expect((await browser.visit(mixed.href)).headers.get('location')).toBe('/?sign-in=failed');
    expect(await eventsOf(log, 'SessionStarted')).toHaveLength(1);
  });

  it.each(['nonce', 'code_challenge'])('ends without a session where the %s is that of another login', async (name) => {
    await start();
    const { address } = await begin();
    const other = await begin(new FakeBrowser());
    const changed = new URL(address);
    changed.searchParams.set(name, new URL(other.address).searchParams.get(name)!);
    const back = await browser.follow(changed.href, isCallback);
    expect((await browser.visit(back)).headers.get('location')).toBe('/?sign-in=failed');
    expect(await eventsOf(log, 'SessionStarted')).toEqual([]);
  });

  it('ends without a session where the answer names another issuer, or none', async () => {
    await start();
    for (const issuer of ['https://evil.example', undefined]) {
      const { back } = await arrived();
      const changed = new URL(back);
      if (issuer === undefined) changed.searchParams.delete('iss');
      else changed.searchParams.set('iss', issuer);
      expect((await browser.visit(changed.href)).headers.get('location')).toBe('/?sign-in=failed');
    }
  });

  it.each([
    '//evil.example',
    'https://evil.example/',
    '/\\evil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
    '/..//evil.example',
  ])('leads to the first page where it is to end elsewhere: %s', async (to) => {
    await start();
    expect(await signIn(to)).toBe(`${origin}/`);
  });

  it('never leads to another origin, for any address that is asked for', () => {
    const piece = fc.constantFrom(
      '/',
      '\\',
      '//',
      '.',
      '..',
      '@',
      ':',
      '?',
      '#',
      '%2f',
      '\t',
      '\n',
      'evil.example',
      'http:',
      'x',
    );
    const asked = fc.oneof(
      fc.string({ maxLength: 4_000, size: 'max' }),
      fc.webUrl(),
      fc.constantFrom('/login?to=/login?to=/', '/login', '/login/callback?code=a', '/a/../login'),
      fc.array(piece, { maxLength: 8 }).map((pieces) => `/${pieces.join('')}`),
    );
    fc.assert(
      fc.property(asked, (to) => {
        const address = returnAddress(to, 'https://seam.example');
        expect(address).toMatch(/^\/(?!\/)[\x21-\x7e]*$/);
        expect(address.length).toBeLessThanOrEqual(3_072);
        expect(new URL(address, 'https://seam.example').origin).toBe('https://seam.example');
        expect(address).not.toMatch(/^\/login(\/|\?|$)/);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a provider that gives no answer', () => {
  it('is asked by few logins at a time, and each ends in bounded time', async () => {
    const silent = await FakeIssuer.start();
    const ends = { authorization_endpoint: `${silent.url}/login`, token_endpoint: `${silent.url}/token` };
    silent.metadata = ends;
    gateway = await startGateway({
      log,
      gateway: { ...settings(), issuer: { ...settings().issuer, url: silent.url } },
    });
    const browsers = Array.from({ length: 20 }, () => new FakeBrowser());
    const states = await Promise.all(browsers.map((each) => begin(each)));
    silent.isSilent = true;
    const [asked, begunMs] = [silent.asked, Date.now()];
    const back = (at: number) => browsers[at]!.visit(`${origin}/login/callback?code=x&state=${states[at]!.state}`);
    const answers = await Promise.all(browsers.map((_, at) => back(at)));
    expect(answers.map(({ headers }) => headers.get('location'))).toEqual(browsers.map(() => '/?sign-in=unavailable'));
    expect(silent.asked - asked).toBe(8);
    expect(Date.now() - begunMs).toBeLessThan(8_000);
    await silent.stop();
  });
});

describe('a cookie', () => {
  it('by https is sent by https alone, and set by no other host', () => {
    const cookie = new Cookie('seam-session', 'https://seam.example');
    expect(cookie.set('x', 1_000)).toBe('__Host-seam-session=x; Max-Age=1; Path=/; HttpOnly; Secure; SameSite=Lax');
    expect(cookie.in('seam-session=forged; other=1')).toBeUndefined();
    expect(cookie.in('other=1; __Host-seam-session=x')).toBe('x');
  });
});

describe('a gateway without a login', () => {
  it('has no such address', async () => {
    gateway = await startGateway({ log, gateway: { access: 'keys' } });
    expect((await fetch(`${gateway.url}/login`)).status).toBe(404);
    expect((await fetch(`${gateway.url}/api/me`)).headers.get('x-seam-sign-in')).toBeNull();
  });

  it.each([
    ['its own address', { login: { clientId: 'seam' } }, 'expected clientId and publicUrl'],
    [
      'a provider',
      { issuer: {}, login: { clientId: 'seam', publicUrl: 'https://seam.example' } },
      'expected the provider',
    ],
    ['https', { login: { clientId: 'seam', publicUrl: 'http://seam.example' } }, 'expected https'],
    ['an address at the root', { login: { clientId: 'seam', publicUrl: 'https://seam.example/x' } }, 'without a path'],
    ['openid', { login: { clientId: 'seam', publicUrl: 'https://seam.example', scope: 'groups' } }, 'expected openid'],
  ])('is not asked to have one without %s', (_, changes, message) => {
    expect(() => gatewayConfigSchema.parse({ gateway: { ...settings(), ...changes } })).toThrow(message);
  });
});

const settings = (login: Readonly<Record<string, unknown>> = {}) => ({
  ...{ access: 'keys', port: Number(new URL(origin).port), experienceWithinMs: 0 },
  issuer: { url: provider.url, audience: 'https://seam.example', roles: { staff: 'viewer', platform: 'admin' } },
  login: {
    ...{ clientId: 'seam', publicUrl: origin, scope: 'openid groups' },
    ...{ secretVariable: 'SEAM_LOGIN_SECRET_OF_A_TEST', ...login },
  },
});

async function start(login?: Readonly<Record<string, unknown>>): Promise<void> {
  gateway = await startGateway({ log, gateway: settings(login) });
}

const isCallback = (address: string): boolean => address.startsWith(`${origin}/login/callback`);

/** Where the provider is asked, and the state of the login. */
async function begin(of = browser, to?: string): Promise<{ readonly address: string; readonly state: string }> {
  const answer = await of.visit(`${origin}/login${to === undefined ? '' : `?to=${encodeURIComponent(to)}`}`);
  const address = answer.headers.get('location')!;
  return { address, state: new URL(address).searchParams.get('state')! };
}

/** The address to which the provider sends the browser back; it is not visited. */
async function arrived(): Promise<{ readonly back: string }> {
  return { back: await browser.follow((await begin()).address, isCallback) };
}

/** The whole way. @returns where it ends */
async function signIn(to?: string): Promise<string> {
  const { address } = await begin(browser, to);
  const back = await browser.follow(address, isCallback);
  const answer = await browser.visit(back);
  return new URL(answer.headers.get('location')!, origin).href;
}

async function statusOf(path: string, init?: RequestInit): Promise<number> {
  const answer = await browser.ask(`${origin}${path}`, init);
  await answer.text();
  return answer.status;
}
