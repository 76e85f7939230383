import { clientIn } from '@seamstream/events';
import type { Role } from '@seamstream/operations/access';

/** Who asks, and what they may. */
export interface Principal {
  /** Public part of a key, or the name of a user; null where the gateway is open. */
  readonly id: string | null;
  readonly role: Role;
  /** Whose events they publish, and read. No request names it: key, token or session do. */
  readonly tenant: string;
  /** When the key, the token or the session ends, in milliseconds since the Unix epoch; null: never. */
  readonly expiresAt: number | null;
  /** The session of a browser; absent where the request has a key or a token. */
  readonly sessionId?: string;
}

/** What belongs to one client under a name that the client chooses: conversations, repeated requests. A user may change tenants. */
export function scopeOf({ id, tenant }: Pick<Principal, 'id' | 'tenant'>): string | null {
  return id === null ? null : clientIn(tenant, id);
}
