/** What readers of several tenants and roles see of access: nothing of another tenant, for all that it did, and no more than their role may. */
import { clientIn, type SeamEvent } from '@seamstream/events';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import fc from 'fast-check';
import { KnownSessions, keysAfter, ROLES } from '../access/index.js';
import { type Act, actAt } from '../audit/index.js';
import type { AccessFacts } from './access-report.js';
import { limitsAfter } from './declared-limits.js';
import { type AccessReader, accessSeenBy, type SeenAccess } from './seen-access.js';
import { UsageLedger } from './usage-ledger.js';

describe('What a reader sees of access', () => {
  it('is the same whether or not another tenant has keys, limits, users, use and refusals', () => {
    fc.assert(
      fc.property(
        eventsArbitrary,
        fc.constantFrom(...ROLES),
        fc.constantFrom('acme', 'default'),
        (all, role, tenant) => {
          const reader = { id: 'key-1', role, tenant, isOfAll: false };
          const without = all.filter(({ meta }) => meta.tenant !== 'globex');
          expect(seen(reader, all)).toEqual(seen(reader, without));
        },
      ),
    );
  });

  it('is all of all tenants for an admin who runs the system, and reached by each part of the log', () => {
    const admin: AccessReader = { id: null, role: 'admin', tenant: 'default', isOfAll: true };
    const { keys, users, tenants, quotas, clients, refused, openReservations } = seen(admin, eventsOfAll());
    expect(keys?.map(({ tenant, state }) => `${tenant} ${state}`)).toEqual([
      'default open',
      'acme revoked',
      'globex open',
    ]);
    expect(users?.map(({ tenant, sessions }) => `${tenant} ${sessions}`)).toEqual(['acme 1', 'globex 2']);
    expect(tenants).toEqual([
      { tenant: 'default', openKeys: 1, closedKeys: 0, users: 0, limits: 1 },
      { tenant: 'acme', openKeys: 0, closedKeys: 1, users: 1, limits: 1 },
      { tenant: 'globex', openKeys: 1, closedKeys: 0, users: 1, limits: 1 },
    ]);
    expect(quotas?.map(({ keyId, used, left }) => [keyId, used, left])).toEqual([
      ['*', null, null],
      ['acme/whole', 60, 40],
      ['globex/whole', 0, 100],
    ]);
    expect(clients.map(({ client, kind }) => `${kind} ${client}`)).toEqual([
      ...['key key-0', 'tenant acme/whole', `user acme/${USER}`],
      ...['tenant globex/whole', 'key globex/key-2', `user globex/${USER}`],
    ]);
    expect([refused.length, openReservations]).toEqual([3, 1]);
  });

  it.each([
    ['viewer', []],
    ['publisher', []],
    ['operator', ['tenants', 'quotas']],
    ['admin', ['tenants', 'quotas', 'keys', 'users']],
  ] as const)('is for a %s of a tenant no more than %j, next to their own use', (role, parts) => {
    const answer = seen({ id: USER, role, tenant: 'acme', isOfAll: false }, eventsOfAll());
    const shown = (['tenants', 'quotas', 'keys', 'users'] as const).filter((part) => answer[part] !== null);
    expect(shown).toEqual(parts);
    expect(answer.clients.map(({ client }) => client)).toEqual(['acme/whole', `acme/${USER}`]);
    expect(answer.openReservations).toBeNull();
    // Those of a key of the tenant are not a viewer's.
    expect(answer.refused).toHaveLength(parts.length === 0 ? 0 : 1);
  });

  it('of limits is for a viewer that of their client and of their tenant as a whole, for an operator that of each client', () => {
    const events = [issued('acme', 'key-0', 1), issued('acme', 'key-9', 2), limited('acme', 'whole', 9)];
    for (const [role, clients] of [
      ['publisher', ['acme/whole', 'acme/key-0']],
      ['operator', ['acme/whole', 'acme/key-0', 'acme/key-9']],
    ] as const) {
      const answer = seen({ id: 'key-0', role, tenant: 'acme', isOfAll: false }, events);
      expect(answer.clients.map(({ client }) => client)).toEqual(clients);
    }
  });

  it('of limits is for a viewer of them what an operator sees, for all that happened', () => {
    fc.assert(
      fc.property(eventsArbitrary, fc.constantFrom('acme', 'default'), (all, tenant) => {
        const reader = { id: 'key-1', tenant, isOfAll: false };
        const own = new Set([clientIn(tenant, 'key-1'), clientIn(tenant, 'whole')]);
        const { clients } = seen({ ...reader, role: 'operator' }, all);
        expect(seen({ ...reader, role: 'viewer' }, all).clients).toEqual(clients.filter((of) => own.has(of.client)));
      }),
    );
  });

  it('costs a viewer no more where others have thousands of keys with limits, and an operator a moment', () => {
    const events = Array.from({ length: 2_000 }, (_, n) => [
      issued(`t${n % 50}`, `key-${n}`, n),
      limited(`t${n % 50}`, `key-${n}`, 9),
    ]).flat();
    const facts = factsOf(events);
    const msFor = (reader: AccessReader, clients: number): number => {
      const began = performance.now();
      expect(accessSeenBy(reader, facts, [], NOW).clients).toHaveLength(clients);
      return performance.now() - began;
    };
    // Where each client was compared with each limit it took seconds.
    expect(msFor({ id: 'key-0', role: 'admin', tenant: 'default', isOfAll: true }, 2_000)).toBeLessThan(1_000);
    expect(msFor({ id: 'key-0', role: 'viewer', tenant: 't0', isOfAll: false }, 1)).toBeLessThan(100);
  });

  it.each([
    ['keys', keysAfter],
    ['limits', limitsAfter],
  ] as const)('is folded in a moment where there are many thousands of %s', (_, fold) => {
    const events = Array.from({ length: 10_000 }, (_, n) => [
      issued(`t${n % 50}`, `key-${n}`, n),
      limited(`t${n % 50}`, `key-${n}`, 9),
    ]).flat();
    const began = performance.now();
    fold(events);
    // Where a map was copied for each event it took ten seconds.
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it('of refusals is for a viewer what was refused to them', () => {
    const events = [0, 1].map((n) => refused('acme', `key-${n}`));
    for (const [role, by] of [
      ['viewer', ['key-0']],
      ['operator', ['key-0', 'key-1']],
    ] as const)
      expect(seen({ id: 'key-0', role, tenant: 'acme', isOfAll: false }, events).refused.map((act) => act.by)).toEqual(
        by,
      );
  });

  it('says of a limit of each client which one holds, and how it stands for each', () => {
    const events = [
      issued('acme', 'key-0', 1),
      limited('acme', '*', 100),
      limited('default', '*', 7),
      reserved('acme', 'key-0', 60),
    ];
    const { clients, quotas } = seen({ id: 'key-0', role: 'operator', tenant: 'acme', isOfAll: false }, events);
    expect(clients).toMatchObject([
      { client: 'acme/key-0', limits: [{ declaredFor: 'acme/*', limit: 100, used: 60, reserved: 60, left: 40 }] },
    ]);
    expect(quotas?.map(({ keyId, used }) => [keyId, used])).toEqual([
      ['acme/*', null],
      ['*', null],
    ]);
  });
});

const NOW = Date.UTC(2028, 4, 17, 12);
const USER = 'user-Yk3dE6gH9jK2mN5pQ8sT1v';
const OTHER_USER = 'user-Zk3dE6gH9jK2mN5pQ8sT1v';

function seen(reader: AccessReader, events: readonly SeamEvent[]): SeenAccess {
  const record = { topic: 'seam.usage', partition: 0, offset: 0 } as never;
  const acts = events.filter(({ type }) => type === 'AccessRefused').map((event): Act => actAt({ event, record })!);
  return accessSeenBy(reader, factsOf(events), acts, NOW);
}

function factsOf(events: readonly SeamEvent[]): AccessFacts {
  const [ledger, sessions] = [new UsageLedger(), new KnownSessions()];
  for (const event of events) {
    ledger.apply(event);
    sessions.apply(event);
  }
  return {
    ...{ ledger, users: sessions.usersAt(NOW) },
    keys: keysAfter(events),
    declared: limitsAfter(events),
  };
}

const metaIn = (tenant: string, occurredAt = NOW - 1_000) => ({
  ...EXAMPLE_EVENTS.ApiKeyIssued.meta,
  ...{ tenant: tenant === 'default' ? null : tenant, occurredAt },
});

const issued = (tenant: string, keyId: string, at: number): SeamEvent => ({
  ...EXAMPLE_EVENTS.ApiKeyIssued,
  ...{ keyId, expiresAt: null, meta: metaIn(tenant, NOW - at) },
});

const revoked = (tenant: string, keyId: string): SeamEvent => ({
  ...EXAMPLE_EVENTS.ApiKeyRevoked,
  ...{ keyId, meta: metaIn(tenant) },
});

const limited = (tenant: string, keyId: string, limit: number | null): SeamEvent => ({
  ...EXAMPLE_EVENTS.QuotaDeclared,
  ...{ keyId, limit, measure: 'tokens', per: 'day', mode: 'enforced', meta: metaIn(tenant) },
});

const reserved = (tenant: string, keyId: string, tokens: number): SeamEvent => ({
  ...EXAMPLE_EVENTS.UsageReserved,
  ...{ keyId, tokens, reservationId: `${tenant}/${keyId}`, limits: [], lapsesAt: NOW + 1_000, meta: metaIn(tenant) },
});

const signedIn = (tenant: string, n: number, userId = USER): SeamEvent => ({
  ...EXAMPLE_EVENTS.SessionStarted,
  ...{ userId, sessionId: `${tenant}-${n}`, expiresAt: NOW + 1_000, meta: metaIn(tenant, NOW - 1_000 - n) },
});

const refused = (tenant: string, keyId: string): SeamEvent => ({
  ...EXAMPLE_EVENTS.AccessRefused,
  ...{ keyId, meta: metaIn(tenant) },
});

const eventsOfAll = (): readonly SeamEvent[] => [
  ...[
    issued('default', 'key-0', 1),
    issued('acme', 'key-1', 2),
    issued('globex', 'key-2', 3),
    revoked('acme', 'key-1'),
  ],
  ...[limited('default', '*', 5), limited('acme', 'whole', 100), limited('globex', 'whole', 100)],
  ...[signedIn('acme', 0), signedIn('globex', 1), signedIn('globex', 2), reserved('acme', 'whole', 60)],
  ...['default', 'acme', 'globex'].map((tenant) => refused(tenant, 'key-1')),
];

/** Names are shared by tenants on purpose, but those of keys, which are random. */
const eventsArbitrary: fc.Arbitrary<readonly SeamEvent[]> = fc.array(
  fc
    .record({
      tenant: fc.constantFrom('default', 'acme', 'globex'),
      key: fc.integer({ min: 0, max: 3 }),
      word: fc.constantFrom('*', 'whole', undefined),
      n: fc.integer({ min: 0, max: 200 }),
      kind: fc.constantFrom('issued', 'revoked', 'limited', 'reserved', 'signedIn', 'refused'),
    })
    .filter(({ kind, tenant, word }) => !(kind === 'limited' && tenant === 'globex' && word === undefined))
    .map(({ tenant, key, word, n, kind }): SeamEvent => {
      const keyId = tenant === 'globex' ? `globex-${key}` : tenant === 'acme' && key > 1 ? `acme-${key}` : `key-${key}`;
      if (kind === 'issued') return issued(tenant, keyId, n);
      if (kind === 'revoked') return revoked(tenant, keyId);
      if (kind === 'limited') return limited(tenant, word ?? keyId, n === 0 ? null : n);
      if (kind === 'reserved') return reserved(tenant, word === '*' ? keyId : (word ?? keyId), n);
      // Of one user 16 sessions are open, in all tenants together.
      if (kind === 'signedIn') return signedIn(tenant, n, tenant === 'globex' ? OTHER_USER : USER);
      return refused(tenant, keyId);
    }),
  { maxLength: 40, size: 'max' },
);
