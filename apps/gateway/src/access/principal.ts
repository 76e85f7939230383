import type { Role } from '@seamstream/operations/access';

/** Who asks, and what they may. */
export interface Principal {
  /** Public part of a key, or the name of a user; null where the gateway is open. */
  readonly id: string | null;
  readonly role: Role;
  /** When the key, the token or the session ends, in milliseconds since the Unix epoch; null: never. */
  readonly expiresAt: number | null;
  /** The session of a browser; absent where the request has a key or a token. */
  readonly sessionId?: string;
}
