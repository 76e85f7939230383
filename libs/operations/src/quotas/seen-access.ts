/** What a reader of the dashboard sees of who may use the gateway, and how much (docs/adr/0129). Pure. */
import { clientIn, clientNamed } from '@seamstream/events';
import { type ListedKey, listedKeys, ROLES, type Role, type SignedInUser } from '../access/index.js';
import type { Act } from '../audit/index.js';
import {
  type AccessFacts,
  allClients,
  type ClientLimits,
  clientLimitsOf,
  currencyOf,
  type ListedTenant,
  type QuotaStatus,
  quotasOf,
  tenantsOf,
} from './access-report.js';
import { type DeclaredLimits, EACH_CLIENT, WHOLE_TENANT } from './declared-limits.js';

export interface AccessReader {
  /** Null where the gateway is open. */
  readonly id: string | null;
  readonly role: Role;
  readonly tenant: string;
  /** Whether the whole system is theirs to see, with all tenants. */
  readonly isOfAll: boolean;
}

export interface SeenAccess {
  readonly you: AccessReader;
  /** Null: not for the role of the reader. An operator sees clients and limits, an admin also who may do what. */
  readonly keys: readonly ListedKey[] | null;
  readonly users: readonly SignedInUser[] | null;
  readonly tenants: readonly ListedTenant[] | null;
  readonly quotas: readonly QuotaStatus[] | null;
  /** Of a viewer and a publisher their own client, and their tenant as a whole. */
  readonly clients: readonly ClientLimits[];
  readonly currency: string | null;
  /** Of all tenants; null for those who do not see all. */
  readonly openReservations: number | null;
  /** The newest first. Of a viewer and a publisher their own requests. */
  readonly refused: readonly Act[];
}

const isAtLeast = (role: Role, least: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(least);

/** @param refused lately, in all tenants, the newest first @param nowMs milliseconds since the Unix epoch */
export function accessSeenBy(
  you: AccessReader,
  facts: AccessFacts,
  refused: readonly Act[],
  nowMs: number,
): SeenAccess {
  const { id, role, tenant, isOfAll } = you;
  const [isOperator, isAdmin] = [isAtLeast(role, 'operator'), isAtLeast(role, 'admin')];
  const isTheirs = (each: { readonly tenant: string }): boolean => isOfAll || each.tenant === tenant;
  const isOfTheirs = (client: string): boolean => isTheirs({ tenant: clientNamed(client)[0] });
  // A look costs by what its reader sees, however many keys and limits others have: it is asked every few seconds, by anyone with a key.
  const seen = isOperator ? quotasOf({ ...facts, declared: limitsSeen(facts, isOfTheirs) }, nowMs) : null;
  const own = [...(id === null ? [] : [clientIn(tenant, id)]), clientIn(tenant, WHOLE_TENANT)];
  const all = (): readonly string[] | undefined => (isOfAll ? undefined : allClients(facts, nowMs).filter(isOfTheirs));
  const among = isOperator ? all() : own;
  return {
    you,
    keys: isAdmin ? listedKeys(facts.keys, nowMs).filter(isTheirs) : null,
    users: isAdmin ? facts.users.filter(isTheirs) : null,
    tenants: isOperator ? tenantsOf(facts, nowMs).filter(isTheirs) : null,
    quotas: seen?.quotas ?? null,
    clients: clientLimitsOf(facts, nowMs, among),
    currency: currencyOf(facts.declared),
    openReservations: isOfAll ? (seen?.openReservations ?? null) : null,
    refused: refused.filter((act) => isTheirs(act) && (isOperator || (id !== null && act.by === id))),
  };
}

/** The limit of each client holds for the clients of every tenant. */
function limitsSeen({ declared }: AccessFacts, isOfTheirs: (client: string) => boolean): DeclaredLimits {
  const seen = [...declared.limits].filter(([, { keyId }]) => keyId === EACH_CLIENT || isOfTheirs(keyId));
  return { ...declared, limits: new Map(seen) };
}
