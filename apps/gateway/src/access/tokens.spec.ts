/** Tokens as attackers make them, and issuers as they fail; on real sockets. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { ManualClock, type SeamError } from '@seamstream/kernel';
import { userIdOf } from '@seamstream/operations/access';
import { until } from '@seamstream/testing';
import fc from 'fast-check';
import { exportSPKI, importJWK } from 'jose';
import { gatewayConfigSchema, type IssuerSettings } from '../config.js';
import { AUDIENCE, FakeIssuer, newSigningKey, type TokenChanges } from './issuer.fake.js';
import type { KeyRhythm } from './issuer-keys.js';
import { RefusedError } from './refused-error.js';
import { Tokens } from './tokens.js';

let issuer: FakeIssuer;
let stop: AbortController;
beforeEach(async () => {
  issuer = await FakeIssuer.start();
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await issuer.stop();
});

describe('a genuine token', () => {
  it('has the highest role of its groups, and a name that is the same for each token of one subject', async () => {
    const tokens = await open();
    const told = await tokens.principalOf(await issuer.token({ claims: { groups: ['staff', 'platform', 'x'] } }));
    expect(told).toMatchObject({ role: 'admin', id: userIdOf(issuer.url, 'ada') });
    expect(told.id).toMatch(/^user-[\w-]{22}$/);
    expect((await tokens.principalOf(await issuer.token())).id).toBe(told.id);
    expect((await tokens.principalOf(await issuer.token({ claims: { sub: 'bob' } }))).id).not.toBe(told.id);
    expect(userIdOf(`${issuer.url}/2`, 'ada')).not.toBe(told.id);
  });

  it.each([
    ['groups', { groups: 'other staff' }, 'viewer'],
    ['realm_access.roles', { realm_access: { roles: ['staff'] } }, 'viewer'],
    ['https://seam.example/groups', { 'https://seam.example/groups': ['staff'] }, 'viewer'],
    ['groups', { groups: ['toString', '__proto__', 7, null, ['staff']] }, 403],
    ['groups', { groups: { 0: 'staff' } }, 403],
    ['constructor.name', {}, 403],
    ['groups', { groups: undefined }, 403],
  ])('has its groups in a claim by name or path: %s in %j', async (rolesClaim, claims, expected) => {
    const tokens = await open({ rolesClaim });
    expect(await resultOf(tokens, { claims })).toBe(expected);
  });

  it.each([
    [{}, {}, 'default'],
    [{ tenants: { staff: 'acme' } }, {}, 'acme'],
    [{ tenants: { house: 'default' } }, {}, 403],
    [{ tenants: { a: 'acme', b: 'acme' } }, { groups: ['staff', 'a', 'b'] }, 'acme'],
    [{ tenants: { a: 'acme', b: 'globex' } }, { groups: ['staff', 'a', 'b'] }, 403],
    [{ tenantsClaim: 'org.name', tenants: { x: 'acme' } }, { org: { name: 'x' } }, 'acme'],
    [{ tenantsClaim: 'org', tenants: { x: 'acme' } }, { org: 7 }, 403],
    [{ tenantsClaim: 'org', tenants: { x: 'acme' } }, { org: 'constructor default acme' }, 403],
    [{ tenantsClaim: 'org', tenants: { x: 'acme' } }, { org: 'we love x' }, 403],
    [{ tenantsClaim: 'org', tenants: { 'Acme Corp': 'acme' } }, { org: 'Acme Corp' }, 'acme'],
  ])(
    'belongs to the one tenant that it names, and opens nothing without: %j, %j',
    async (settings, claims, expected) => {
      const tokens = await open(settings);
      const told = await tokens.principalOf(await issuer.token({ claims })).catch((error: unknown) => error);
      expect(told instanceof RefusedError ? told.status : (told as { tenant: string }).tenant).toBe(expected);
    },
  );

  it('belongs to no tenant where it has more groups than are read', async () => {
    const tokens = await open({ tenants: { staff: 'acme', other: 'globex' } });
    const groups = (number: number) => ['staff', ...Array.from({ length: number - 1 }, (_, at) => `group-${at}`)];
    expect(await resultOf(tokens, { claims: { groups: groups(1_000) } })).toBe('viewer');
    expect(await resultOf(tokens, { claims: { groups: [...groups(1_000), 'other'] } })).toBe(403);
    expect(await resultOf(tokens, { claims: { groups: groups(1_001) } })).toBe(403);
  });

  it.each([
    ['several audiences', () => ({ claims: { aud: ['other', AUDIENCE] } })],
    ['the type JWT', () => ({ header: { typ: 'JWT' } })],
    ['no type', () => ({ header: { typ: undefined } })],
    ['no name of a key', () => ({ header: { kid: undefined } })],
    ['an end some seconds ago', () => ({ claims: { exp: seconds(-3) } })],
    ['a begin in some seconds', () => ({ claims: { nbf: seconds(3) } })],
  ])('is taken as issuers write it, and where clocks differ: with %s', async (_, changes) => {
    expect(await resultOf(await open(), changes())).toBe('viewer');
  });

  it('is checked by each algorithm that is allowed by name, and no other', async () => {
    for (const alg of ['PS256', 'ES256', 'EdDSA', 'RS384']) {
      const key = await newSigningKey(alg, alg);
      issuer.keys = [key.publicKey];
      const allowed = await open({ algorithms: [alg as 'ES256'] });
      const others = await open({ algorithms: ['RS256', 'RS512'] });
      expect([alg, await resultOf(allowed, { key, header: { alg } })]).toEqual([alg, 'viewer']);
      expect([alg, await resultOf(others, { key, header: { alg } })]).toEqual([alg, 401]);
    }
  });
});

describe('a forged token', () => {
  const changed: readonly [string, TokenChanges][] = [
    ['another audience', { claims: { aud: 'https://other.example' } }],
    ['no audience', { claims: { aud: undefined } }],
    ['an audience that begins alike', { claims: { aud: `${AUDIENCE}.evil.example` } }],
    ['another issuer', { claims: { iss: 'https://evil.example' } }],
    ['no issuer', { claims: { iss: undefined } }],
    ['no subject', { claims: { sub: undefined } }],
    ['an empty subject', { claims: { sub: '' } }],
    ['a subject that is no text', { claims: { sub: 7 } }],
    ['a subject that is a list', { claims: { sub: ['ada'] } }],
    ['a very long subject', { claims: { sub: 'x'.repeat(256) } }],
    ['an end in the past', { claims: { exp: seconds(-10) } }],
    ['no end', { claims: { exp: undefined } }],
    ['an end that is no number', { claims: { exp: 'tomorrow' } }],
    ['a begin to come', { claims: { nbf: seconds(60) } }],
    ['the type of another purpose', { header: { typ: 'logout+jwt' } }],
    ['a key that no one publishes', { header: { kid: 'nobody' } }],
  ];
  it.each(changed)('is refused for %s', async (_, changes) => {
    expect(await resultOf(await open(), changes)).toBe(401);
  });

  it('is refused where it has no signature, or that of a key that the token brings along', async () => {
    const tokens = await open();
    const [, payload] = (await issuer.token()).split('.') as [string, string];
    const own = await newSigningKey('first');
    const header = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url');
    const forged = [
      `${header({ alg: 'none' })}.${payload}.`,
      `${header({ alg: 'nOnE', kid: 'first' })}.${payload}.`,
      `${header({ alg: 'RS256', kid: 'first' })}.${payload}.`,
      await issuer.token({ key: own }),
      await issuer.token({ key: own, header: { jwk: own.publicKey, jku: `${issuer.url}/keys`, x5u: issuer.url } }),
      `${(await issuer.token()).slice(0, -4)}AAAA`,
      `${await issuer.token()}.${payload}`,
      `${header({ alg: 'RS256', kid: 'first', crit: ['b64'], b64: false })}.${payload}.AAAA`,
      '..',
      'a.b.c',
    ];
    for (const token of forged) expect([token, await statusOf(tokens, token)]).toEqual([token, 401]);
    expect(await resultOf(tokens, {})).toBe('viewer');
  });

  it('is refused where the public key is taken for a shared secret, or the issuer publishes a secret', async () => {
    const { key } = issuer;
    const pem = await exportSPKI(
      (await importJWK(key.publicKey, 'RS256', { extractable: true })) as FakeIssuer['key']['privateKey'],
    );
    const shared = { kty: 'oct', kid: 'shared', alg: 'HS256', k: Buffer.alloc(32, 7).toString('base64url') };
    issuer.keys = [key.publicKey, shared];
    const tokens = await open();
    for (const [kid, secret] of [
      ['first', Buffer.from(pem)],
      ['first', Buffer.from(JSON.stringify(key.publicKey))],
      ['shared', Buffer.alloc(32, 7)],
    ] as const)
      expect(await resultOf(tokens, { key: { kid, privateKey: secret }, header: { alg: 'HS256' } })).toBe(401);
    const settings = (algorithms: readonly string[]) =>
      gatewayConfigSchema.safeParse({ gateway: { access: 'keys', issuer: { ...settingsOf(), algorithms } } }).success;
    expect([settings(['ES256']), settings(['HS256']), settings(['none']), settings([])]).toEqual([
      ...[true, false, false, false],
    ]);
  });

  it('is refused where its key is too short to be trusted', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    issuer.keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'short', alg: 'RS256' }, issuer.key.publicKey];
    const tokens = await open();
    const [, payload] = (await issuer.token()).split('.') as [string, string];
    const header = Buffer.from(JSON.stringify({ alg: 'RS256', kid: 'short' })).toString('base64url');
    const signature = sign('sha256', Buffer.from(`${header}.${payload}`), privateKey).toString('base64url');
    expect(await statusOf(tokens, `${header}.${payload}.${signature}`)).toBe(401);
  });

  it('is refused for any change of a genuine one, and for any other text', async () => {
    const tokens = await open();
    const genuine = await issuer.token();
    const { id } = await tokens.principalOf(genuine);
    const changed = fc
      .tuple(fc.nat(genuine.length - 1), fc.constantFrom('A', 'b', '9', '_', '-', '.', '='), fc.constantFrom(0, 1))
      .map(([at, letter, removed]) => genuine.slice(0, at) + letter + genuine.slice(at + removed));
    const other = fc.stringMatching(/^[!-~]{1,300}$/);
    await fc.assert(
      fc.asyncProperty(fc.oneof(changed, other), async (token) => {
        const result = await tokens.principalOf(token).then(({ id: user }) => user, statusIn);
        // The last letter of a part may hold bits that count for nothing.
        expect([401, id]).toContain(result);
        if (result !== 401) expect(signedPartOf(token)).toBe(signedPartOf(genuine));
      }),
      { numRuns: 1000 },
    );
  });

  it('says what is at fault to the bearer of a genuine one alone', async () => {
    const tokens = await open();
    const own = await newSigningKey('first');
    const claims = { aud: 'https://other.example' };
    await expect(tokens.principalOf(await issuer.token({ claims }))).rejects.toThrow('another audience');
    await expect(tokens.principalOf(await issuer.token({ claims, key: own }))).rejects.not.toThrow('audience,');
    await expect(tokens.principalOf(await issuer.token({ claims: { exp: 1 } }))).rejects.toMatchObject({
      body: { error: { code: 'token_expired' } },
    });
  });
});

describe('an identity token', () => {
  it('signs in whom the issuer names, where it is for this client and the issuer signed it', async () => {
    const tokens = await open();
    const signIn = async (changes: TokenChanges): Promise<unknown> => {
      const token = await issuer.token({ ...changes, claims: { aud: 'seam', ...changes.claims } });
      return tokens.signedIn(token, 'seam').then(({ role }) => role, statusIn);
    };
    expect(await signIn({ header: { typ: undefined } })).toBe('viewer');
    expect(await signIn({ claims: { aud: AUDIENCE } })).toBe(401);
    expect(await signIn({ key: await newSigningKey('first') })).toBe(401);
    expect(await signIn({ claims: { exp: seconds(-10) } })).toBe(401);
    expect(await signIn({ claims: { groups: ['others'] } })).toBe(403);
  });
});

describe('the keys of an issuer', () => {
  it('that are new open at once, and those that it no longer publishes open nothing after the next reading', async () => {
    const tokens = await open({}, { everyMs: 50 });
    const before = await issuer.token();
    const second = await newSigningKey('second');
    issuer.keys = [issuer.key.publicKey, second.publicKey];
    expect(await resultOf(tokens, { key: second })).toBe('viewer');
    expect(await statusOf(tokens, before)).toBe(200);
    issuer.keys = [second.publicKey];
    await until(async () => (await statusOf(tokens, before)) === 401);
    expect(await resultOf(tokens, { key: second })).toBe('viewer');
  });

  it('are not asked for by each token with an unknown key', async () => {
    const tokens = await open();
    const before = issuer.asked;
    await Promise.all(
      Array.from({ length: 200 }, async (_, index) => resultOf(tokens, { header: { kid: `nobody-${index}` } })),
    );
    for (let index = 0; index < 20; index++) await resultOf(tokens, { header: { kid: `later-${index}` } });
    // One reading is two requests.
    expect(issuer.asked - before).toBe(2);
  });

  it('hold while the issuer gives no answer, for an hour; then tokens have to wait, and are taken when it is back', async () => {
    const clock = new ManualClock(Date.now());
    const failures: (SeamError | undefined)[] = [];
    const onRead = (error: SeamError | undefined) => failures.push(error);
    const tokens = await open({}, { everyMs: 20, againAfterMs: 20 }, { clock, onRead });
    const token = await issuer.token({ claims: { exp: seconds(7200) } });
    issuer.status = 503;
    await until(async () => failures.at(-1) !== undefined);
    expect(await statusOf(tokens, token)).toBe(200);
    expect(await resultOf(tokens, { key: await newSigningKey('unseen') })).toBe(503);
    clock.advance(3_600_001);
    expect(await statusOf(tokens, token)).toBe(503);
    issuer.status = 200;
    await until(async () => (await statusOf(tokens, token)) === 200);
    expect(failures.at(-1)).toBeUndefined();
  });

  it.each([
    [
      'another name',
      { metadata: { issuer: 'https://other.example' } },
      'INVALID_CONFIGURATION',
      'that it names itself so',
    ],
    ['no address of keys', { metadata: { jwks_uri: 7 } }, 'INVALID_CONFIGURATION', 'its description and keys'],
    ['keys in clear', { metadata: { jwks_uri: 'http://keys.example/' } }, 'INVALID_CONFIGURATION', 'keys by https'],
    ['no description', { status: 404 }, 'INVALID_CONFIGURATION', 'got status 404'],
    ['a redirect', { movedTo: '/elsewhere' }, 'INVALID_CONFIGURATION', 'got status 302'],
    ['no keys', { keys: [] }, 'INVALID_CONFIGURATION', 'public keys'],
    ['a secret', { keys: [{ kty: 'oct', k: 'AAAA' }] }, 'INVALID_CONFIGURATION', 'public keys'],
    [
      'too many keys',
      { keys: Array.from({ length: 300 }, () => ({ kty: 'RSA' })) },
      'INVALID_CONFIGURATION',
      'another answer',
    ],
  ])('of another than this issuer end the start: %s', async (_, state, code, message) => {
    Object.assign(issuer, state);
    await expect(open()).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });

  it.each([
    ['fails', { status: 500 }, 'got status 500'],
    ['says too much', { metadata: { padding: 'x'.repeat(600_000) } }, 'more than 524288 bytes'],
    ['is silent', { isSilent: true }, 'timeout'],
  ])('that %s at the start are waited for, and tokens are taken as soon as it answers', async (_, state, message) => {
    Object.assign(issuer, state);
    const failures: (SeamError | undefined)[] = [];
    const begunMs = Date.now();
    const tokens = await open({}, {}, { onRead: (error) => failures.push(error) });
    // Two answers of 5 seconds at most, regardless of the issuer.
    expect(Date.now() - begunMs).toBeLessThan(12_000);
    expect(failures[0]).toMatchObject({ code: 'ENDPOINT_UNAVAILABLE', message: expect.stringContaining(message) });
    expect(await resultOf(tokens, {})).toBe(503);
    expect(tokens.keys.fault?.code).toBe('ENDPOINT_UNAVAILABLE');
    Object.assign(issuer, { status: 200, metadata: {}, isSilent: false });
    await until(async () => (await resultOf(tokens, {})) === 'viewer');
    expect(tokens.keys.fault).toBeUndefined();
  });

  it('that cannot be reached at the start are waited for', async () => {
    const settings = settingsOf();
    await issuer.stop();
    const failures: (SeamError | undefined)[] = [];
    const tokens = await open(settings, {}, { onRead: (error) => failures.push(error) });
    expect(failures).toMatchObject([{ code: 'ENDPOINT_UNAVAILABLE' }]);
    issuer = await FakeIssuer.start(Number(new URL(settings.url).port));
    await until(async () => (await resultOf(tokens, {})) === 'viewer');
  });

  it('stay known while the issuer answers nonsense', async () => {
    const failures: (SeamError | undefined)[] = [];
    const tokens = await open({}, { everyMs: 20, againAfterMs: 20 }, { onRead: (error) => failures.push(error) });
    for (const state of [
      { status: 404 },
      { status: 200, keys: [] },
      { metadata: { issuer: 'https://evil.example' } },
    ]) {
      Object.assign(issuer, state);
      const seen = failures.length;
      await until(async () => failures.slice(seen + 1).some((error) => error !== undefined));
      expect([state, await resultOf(tokens, {})]).toEqual([state, 'viewer']);
    }
  });
});

const ROLES = { staff: 'viewer', platform: 'admin' } as const;

function settingsOf(changes: Partial<IssuerSettings> = {}): IssuerSettings {
  const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;
  return {
    url: issuer.url,
    audience: AUDIENCE,
    rolesClaim: 'groups',
    roles: ROLES,
    tenantsClaim: 'groups',
    tenants: {},
    algorithms: [...algorithms],
    ...changes,
  };
}

async function open(
  changes: Partial<IssuerSettings> = {},
  rhythm: Partial<KeyRhythm> = {},
  world: Partial<Parameters<typeof Tokens.open>[1]> = {},
): Promise<Tokens> {
  const slow = { everyMs: 60_000, againAfterMs: 30_000, untilFirstMs: 20, keptMs: 3_600_000 };
  const [tokens] = await Tokens.open(
    settingsOf(changes),
    { clock: new ManualClock(Date.now()), onRead: () => undefined, ...world },
    stop.signal,
    { ...slow, ...rhythm },
  );
  return tokens;
}

/** The role, or the status of the refusal. */
async function resultOf(tokens: Tokens, changes: TokenChanges): Promise<unknown> {
  const token = await issuer.token(changes);
  return tokens.principalOf(token).then(({ role }) => role, statusIn);
}

function statusOf(tokens: Tokens, token: string): Promise<number> {
  return tokens.principalOf(token).then(() => 200, statusIn);
}

function seconds(fromNow: number): number {
  return Math.floor(Date.now() / 1000) + fromNow;
}

function statusIn(error: unknown): number {
  return (error as { status: number }).status;
}

/** What the signature is over, without bits that count for nothing. */
function signedPartOf(token: string): string {
  const [header = '', payload = ''] = token.split('.');
  return [header, payload].map((part) => Buffer.from(part, 'base64url').toString()).join('.');
}
