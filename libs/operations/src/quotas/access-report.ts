/** Who may use the gateway, how much, and what is used of it now. The command line and the dashboard answer from the same functions. */
import type { EventLog } from '@seamstream/event-log';
import { clientIn, clientNamed, DEFAULT_TENANT, isTenant, isUserId, TOPIC } from '@seamstream/events';
import { type Clock, compareText } from '@seamstream/kernel';
import { collectEvents, rangesSince, storedRanges } from '@seamstream/log-reader';
import {
  type ApiKeys,
  closedBy,
  KnownSessions,
  keysAfter,
  LONGEST_SESSION_MS,
  type Role,
  type SignedInUser,
} from '../access/index.js';
import {
  type DeclaredLimit,
  type DeclaredLimits,
  declaredFor,
  EACH_CLIENT,
  isNamedIn,
  limitsAfter,
  WHOLE_TENANT,
} from './declared-limits.js';
import { type LimitStanding, UsageLedger } from './usage-ledger.js';
import { windowAt } from './windows.js';

/** What the log says of access: a gateway holds it in memory, a command reads it. */
export interface AccessFacts {
  readonly keys: ApiKeys;
  readonly users: readonly SignedInUser[];
  readonly declared: DeclaredLimits;
  readonly ledger: UsageLedger;
}

export interface QuotaStatus extends DeclaredLimit {
  /** In the present window, with what is reserved; null for the limit of each client, which is counted for each. So are the two that follow. */
  readonly used: number | null;
  readonly reserved: number | null;
  readonly left: number | null;
  readonly endsMs: number;
}

export interface QuotasStatus {
  readonly quotas: readonly QuotaStatus[];
  /** Admitted, and not settled yet. A request with limits of its client and of its tenant has two. */
  readonly openReservations: number;
  readonly currency: string | null;
}

/** A limit that holds for a client, and how it stands. */
export interface HeldLimit extends LimitStanding {
  /** As it was declared: the client, each client of its tenant, each client, or the tenant as a whole. */
  readonly declaredFor: string;
  readonly declaredBy: string;
  readonly declaredAt: number;
}

export interface ClientLimits {
  /** As clientIn names it. */
  readonly client: string;
  readonly tenant: string;
  readonly kind: 'tenant' | 'key' | 'user';
  /** Of a key its name and role, of a user who is signed in the role; null where the log does not say. */
  readonly name: string | null;
  readonly role: Role | null;
  /** None: it may use as much as it likes, and nothing is counted. */
  readonly limits: readonly HeldLimit[];
}

export interface ListedTenant {
  readonly tenant: string;
  readonly openKeys: number;
  readonly closedKeys: number;
  /** With an open session. */
  readonly users: number;
  /** Declared for it as a whole, for each of its clients, or for one of them. */
  readonly limits: number;
}

/** Clocks of gateways and brokers may differ by so much before a use is missed. */
const MARGIN_MS = 3_600_000;

const DAY_MS = 86_400_000;

/** From where on the log has to be read to know the present windows, of which the longest is a month, and what was refused in the last day. */
export function usageStart(nowMs: number): number {
  return Math.min(windowAt('month', nowMs).startMs, nowMs - DAY_MS) - MARGIN_MS;
}

/** Folds what the log has of keys, limits, sessions and use. */
export async function readAccessFacts(log: EventLog, clock: Clock): Promise<AccessFacts> {
  const nowMs = clock.now();
  const placed = await collectEvents(log, await storedRanges(log, TOPIC.access), { undecodable: 'skip' });
  const access = placed.map(({ event }) => event);
  const since = Math.min(usageStart(nowMs), nowMs - LONGEST_SESSION_MS);
  const ranges = await rangesSince(log, await storedRanges(log, TOPIC.usage), since);
  const [ledger, sessions] = [new UsageLedger(), new KnownSessions()];
  for (const { event } of await collectEvents(log, ranges, { undecodable: 'skip' })) {
    ledger.apply(event);
    sessions.apply(event);
  }
  return {
    keys: keysAfter(access),
    users: sessions.usersAt(nowMs),
    declared: limitsAfter(access),
    ledger,
  };
}

/** Every limit that is declared, with what is used of it now. */
export function quotasOf({ declared, ledger }: Pick<AccessFacts, 'declared' | 'ledger'>, nowMs: number): QuotasStatus {
  const standings = ledger.standingsAt(nowMs);
  const quotas = [...declared.limits.values()].map((limit): QuotaStatus => {
    const [standing] = standings(limit.keyId, [limit]) as readonly [LimitStanding];
    const isOfEach = clientNamed(limit.keyId)[1] === EACH_CLIENT;
    const { used, reserved, left, endsMs } = standing;
    return { ...limit, ...(isOfEach ? { used: null, reserved: null, left: null } : { used, reserved, left }), endsMs };
  });
  return { quotas, openReservations: ledger.openAt(nowMs), currency: currencyOf(declared) };
}

export function currencyOf({ prices }: DeclaredLimits): string | null {
  return prices[0]?.currency ?? null;
}

/** @see quotasOf */
export async function quotasStatus(log: EventLog, clock: Clock): Promise<QuotasStatus> {
  return quotasOf(await readAccessFacts(log, clock), clock.now());
}

/**
 * How much each client, and each tenant with limits as a whole, may still use. Clients are keys that are open, users who are signed in, and all
 * that a limit names or that asked for room in a present window. By tenant; its whole first, then keys as they are listed, then users.
 * @param among asks about these alone, named as clientIn does: the work does not grow with the clients that others have
 */
export function clientLimitsOf(facts: AccessFacts, nowMs: number, among?: readonly string[]): readonly ClientLimits[] {
  const { keys, users, declared, ledger } = facts;
  const roles = new Map(users.map(({ tenant, userId, role }) => [clientIn(tenant, userId), role] as const));
  const nameOf = (client: string): Pick<ClientLimits, 'name' | 'role'> => {
    const [tenant, keyId] = clientNamed(client);
    const key = keys.issued.get(keyId);
    if (key?.tenant !== tenant) return { name: null, role: roles.get(client) ?? null };
    return { name: key.name, role: isOpen(keys, keyId, nowMs) ? key.role : null };
  };
  const isListed = (client: string): boolean =>
    nameOf(client).role !== null || isNamedIn(declared, client) || ledger.hasAskedAt(client, nowMs);
  const clients = among?.filter(isListed) ?? allClients(facts, nowMs);
  const standings = ledger.standingsAt(nowMs);
  return clients
    .map((client): ClientLimits => {
      const [tenant, keyId] = clientNamed(client);
      const kind = keyId === WHOLE_TENANT ? 'tenant' : isUserId(keyId) ? 'user' : 'key';
      const holding = declaredFor(declared, client);
      const limits = standings(client, holding).map(({ measure, per, limit, mode, ...standing }, at): HeldLimit => {
        const { keyId: of, declaredBy, declaredAt } = holding[at]!;
        const { used, reserved, left, endsMs } = standing;
        return {
          ...{ measure, per, limit, mode, used, reserved, left, endsMs },
          declaredFor: of,
          declaredBy,
          declaredAt,
        };
      });
      return { client, tenant, kind, ...nameOf(client), limits };
    })
    .sort(byTenantAndKind);
}

/** Named as clientIn does. */
export function allClients({ keys, users, declared, ledger }: AccessFacts, nowMs: number): readonly string[] {
  const open = [...keys.issued.values()].filter(({ keyId }) => isOpen(keys, keyId, nowMs));
  const clients = new Set([
    ...[...declared.limits.values()].map(({ keyId }) => keyId),
    ...open.map(({ tenant, keyId }) => clientIn(tenant, keyId)),
    ...users.map(({ tenant, userId }) => clientIn(tenant, userId)),
    ...ledger.clientsAt(nowMs),
  ]);
  return [...clients].filter((client) => clientNamed(client)[1] !== EACH_CLIENT);
}

function isOpen({ issued, revoked }: ApiKeys, keyId: string, nowMs: number): boolean {
  const key = issued.get(keyId);
  return key !== undefined && closedBy({ ...key, revoked: revoked.get(keyId) ?? null }, nowMs) === undefined;
}

const KINDS = ['tenant', 'key', 'user'] as const;

function byTenantAndKind(a: ClientLimits, b: ClientLimits): number {
  return (
    compareTenants(a.tenant, b.tenant) ||
    KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
    compareText(a.name ?? a.client, b.name ?? b.client) ||
    compareText(a.client, b.client)
  );
}

/** The default tenant first. */
function compareTenants(a: string, b: string): number {
  return Number(b === DEFAULT_TENANT) - Number(a === DEFAULT_TENANT) || compareText(a, b);
}

/** Every tenant that a key, an open session or a limit names, and the default one. */
export function tenantsOf({ keys, users, declared }: AccessFacts, nowMs: number): readonly ListedTenant[] {
  const listed = new Map<string, Counted>();
  const of = (tenant: string): Counted => {
    const counted = listed.get(tenant) ?? { openKeys: 0, closedKeys: 0, limits: 0, userIds: new Set<string>() };
    listed.set(tenant, counted);
    return counted;
  };
  of(DEFAULT_TENANT);
  for (const { tenant, keyId } of keys.issued.values())
    of(tenant)[isOpen(keys, keyId, nowMs) ? 'openKeys' : 'closedKeys']++;
  for (const { tenant, userId } of users) of(tenant).userIds.add(userId);
  for (const { keyId } of declared.limits.values()) {
    const [tenant] = clientNamed(keyId);
    if (isTenant(tenant)) of(tenant).limits++;
  }
  return [...listed]
    .map(([tenant, { userIds, ...counts }]): ListedTenant => ({ tenant, ...counts, users: userIds.size }))
    .sort((a, b) => compareTenants(a.tenant, b.tenant));
}

interface Counted {
  openKeys: number;
  closedKeys: number;
  limits: number;
  readonly userIds: Set<string>;
}
