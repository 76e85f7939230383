/** What a token says of its user's groups, and the role and the tenant that follow. Pure. */
import { DEFAULT_TENANT } from '@seamstream/events';
import { ROLES, type Role } from '@seamstream/operations/access';

/** Of a token with very many groups; a provider's own limit is some 200. */
const MOST_GROUPS = 1_000;

/**
 * The highest role that a group of the claims has; undefined without one.
 * @param claim a claim's name, or a path to it with dots (realm_access.roles). It holds a list of names, or names with spaces between them
 */
export function roleOfClaims(
  claims: Readonly<Record<string, unknown>>,
  claim: string,
  roles: Readonly<Record<string, Role>>,
): Role | undefined {
  const known = new Map(Object.entries(roles));
  const had = new Set(groupsIn(claimAt(claims, claim)).map((group) => known.get(group)));
  return ROLES.findLast((role) => had.has(role));
}

/**
 * The tenant that the claim names; undefined where it names none that is known, or several, or holds more names than are read.
 * @param claim as above, but a text is one name: of words that a user may have chosen no one counts by itself
 */
export function tenantOfClaims(
  claims: Readonly<Record<string, unknown>>,
  claim: string,
  tenants: Readonly<Record<string, string>>,
): string | undefined {
  const known = new Map(Object.entries(tenants));
  if (known.size === 0) return DEFAULT_TENANT;
  const value = claimAt(claims, claim);
  const names: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (names.length > MOST_GROUPS) return undefined;
  const named = new Set(names.flatMap((name) => (typeof name === 'string' ? (known.get(name) ?? []) : [])));
  return named.size === 1 ? [...named][0] : undefined;
}

/** A name with dots may be one claim: providers ask for names that are addresses. */
function claimAt(claims: Readonly<Record<string, unknown>>, claim: string): unknown {
  if (Object.hasOwn(claims, claim)) return claims[claim];
  return claim
    .split('.')
    .reduce<unknown>(
      (value, name) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, name)
          ? (value as Record<string, unknown>)[name]
          : undefined,
      claims,
    );
}

function groupsIn(value: unknown): readonly string[] {
  const names = typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? (value as unknown[]) : [];
  return names.slice(0, MOST_GROUPS).filter((name) => typeof name === 'string');
}
