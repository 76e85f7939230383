/** Which keys open the gateway, as the log says: a fold over seam.access, and what is asked of it. */
import { timingSafeEqual } from 'node:crypto';
import { DEFAULT_TENANT, type EventOf, isTenant, type SeamEvent, tenantOf } from '@seamstream/events';
import { sha256 } from '@seamstream/kernel';

/** Each may do what those before it may. */
export const ROLES = ['viewer', 'publisher', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Whether a role may do what another one may. */
export function isAtLeast(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

export interface KnownKey extends Omit<EventOf<'ApiKeyIssued'>, 'type' | 'meta'> {
  readonly tenant: string;
  readonly issuedAt: number;
  /** Null: not revoked. */
  readonly revoked: { readonly at: number; readonly by: string; readonly reason: string } | null;
}

/** By public part. A revocation without its key is kept too: it may be read before it. */
export interface ApiKeys {
  readonly issued: ReadonlyMap<string, Omit<KnownKey, 'revoked'>>;
  readonly revoked: ReadonlyMap<string, NonNullable<KnownKey['revoked']>>;
  /** Whether one was ever issued for another tenant than the default one. */
  readonly hasTenants: boolean;
}

/** Takes in events in place: each costs the same, however many keys there are. */
export class FoldedKeys implements ApiKeys {
  readonly issued = new Map<string, Omit<KnownKey, 'revoked'>>();
  readonly revoked = new Map<string, NonNullable<KnownKey['revoked']>>();
  hasTenants = false;

  /** The first event about a key counts: none takes the place of another, and none comes back. */
  apply(event: SeamEvent): void {
    if (event.type === 'ApiKeyIssued' && !this.issued.has(event.keyId)) {
      const { keyId, digest, name, role, expiresAt, issuedBy, meta } = event;
      const tenant = tenantOf(meta);
      // It belongs to no one.
      if (!isTenant(tenant)) return;
      this.issued.set(keyId, { keyId, digest, name, role, tenant, expiresAt, issuedBy, issuedAt: meta.occurredAt });
      this.hasTenants ||= tenant !== DEFAULT_TENANT;
    }
    if (event.type === 'ApiKeyRevoked' && !this.revoked.has(event.keyId)) {
      const { keyId, meta, revokedBy: by, reason } = event;
      this.revoked.set(keyId, { at: meta.occurredAt, by, reason });
    }
  }
}

export function keysAfter(events: Iterable<SeamEvent>): ApiKeys {
  const keys = new FoldedKeys();
  for (const event of events) keys.apply(event);
  return keys;
}

/** `sk-seam-<12 public>-<43 secret>`: letters and figures of base64url. */
const FORM = /^sk-seam-([A-Za-z0-9_-]{12})-([A-Za-z0-9_-]{43})$/;

/** The key that a text is, open or not. Its digest is compared in constant time; whether it is known is no secret. */
export function keyOf(keys: ApiKeys, text: string): KnownKey | undefined {
  const [, keyId = '', secret = ''] = FORM.exec(text) ?? [];
  const key = keys.issued.get(keyId);
  if (key === undefined) return undefined;
  const [given, known] = [Buffer.from(sha256(secret)), Buffer.from(key.digest)];
  const isIt = given.length === known.length && timingSafeEqual(given, known);
  return isIt ? { ...key, revoked: keys.revoked.get(keyId) ?? null } : undefined;
}

/** Why a key opens nothing now; undefined where it does open. */
export function closedBy(
  { revoked, expiresAt }: Pick<KnownKey, 'revoked' | 'expiresAt'>,
  nowMs: number,
): 'revoked' | 'expired' | undefined {
  if (revoked !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= nowMs ? 'expired' : undefined;
}

/** A key as people see it: without its digest. */
export interface ListedKey extends Omit<KnownKey, 'digest'> {
  readonly state: 'open' | 'expired' | 'revoked';
}

/** Every key that was issued, the newest first. */
export function listedKeys({ issued, revoked }: ApiKeys, nowMs: number): readonly ListedKey[] {
  return [...issued.values()]
    .map(({ digest: _, ...rest }): ListedKey => {
      const key = { ...rest, revoked: revoked.get(rest.keyId) ?? null };
      return { ...key, state: closedBy(key, nowMs) ?? 'open' };
    })
    .sort((a, b) => b.issuedAt - a.issuedAt);
}
