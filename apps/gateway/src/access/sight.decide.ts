/** What of the log a client sees. Pure. */
import { DEFAULT_TENANT, type EventMeta, tenantOf } from '@seamstream/events';
import { isAtLeast } from '@seamstream/operations/access';
import type { Principal } from './principal.js';

export interface Sight {
  /** Whose problems, and what followed from them. Undefined: those of all tenants. */
  readonly tenant: string | undefined;
  /** Also what belongs to no tenant alone: counts of the whole log, adapters, training, dead letters. */
  readonly isWhole: boolean;
}

/**
 * Operators of the default tenant run the whole system, and see it. Where there is no other tenant, all that there is belongs to the default
 * one, so its viewers see the whole too.
 * @param hasOthers whether there is a tenant besides the default one
 */
export function sightOf({ tenant, role }: Pick<Principal, 'tenant' | 'role'>, hasOthers: boolean): Sight {
  if (tenant !== DEFAULT_TENANT) return { tenant, isWhole: false };
  const isOperator = isAtLeast(role, 'operator');
  return isOperator ? { tenant: undefined, isWhole: true } : { tenant, isWhole: !hasOthers };
}

/** The tenant that an answer is confined to; undefined for a client that sees the whole system. */
export function confinedTo({ tenant, isWhole }: Sight): string | undefined {
  return isWhole ? undefined : tenant;
}

export function sees({ tenant }: Sight, meta: Pick<EventMeta, 'tenant'>): boolean {
  return tenant === undefined || tenant === tenantOf(meta);
}
