/**
 * Which sessions of the dashboard are open, as seam.usage says. All gateways that have read as far agree, and so does one that starts again.
 * The cookie of a session holds a secret, the log its digest. Pure.
 */
import { type EventOf, isTenant, type SeamEvent, tenantOf } from '@seamstream/events';
import { compareText } from '@seamstream/kernel';
import { ROLES, type Role } from './known-keys.js';

/** No session is longer: a gateway that starts reads so much of the log. */
export const LONGEST_SESSION_MS = 86_400_000;
/** One more closes the user's oldest. */
const MOST_OF_A_USER = 16;
/** Clocks of gateways may differ by so much before a session is forgotten too early. */
const KEPT_MS = 3_600_000;

export interface KnownSession {
  readonly userId: string;
  readonly role: Role;
  readonly tenant: string;
  /** Milliseconds since the Unix epoch, as is the end. */
  readonly startedAt: number;
  readonly expiresAt: number;
}

/** A user with an open session, in one role of one tenant. */
export interface SignedInUser {
  readonly userId: string;
  readonly role: Role;
  readonly tenant: string;
  readonly sessions: number;
  /** Start of the newest session, in milliseconds since the Unix epoch. */
  readonly signedInAt: number;
  /** When the last of them ends by itself. */
  readonly expiresAt: number;
}

export class KnownSessions {
  /** By id. One that has ended stays until it would have expired, so that a second copy of its start opens nothing. */
  private readonly sessions = new Map<string, KnownSession & { hasEnded: boolean }>();

  apply(event: SeamEvent): void {
    if (event.type === 'SessionStarted') this.start(event);
    else if (event.type === 'SessionEnded') this.end(event);
  }

  /** Undefined where it is unknown or was ended. One that has expired is not left out: the reader's clock decides. */
  openOf(sessionId: string): KnownSession | undefined {
    const session = this.sessions.get(sessionId);
    return session?.hasEnded === false ? session : undefined;
  }

  /** Who is signed in at a moment, who came last first. */
  usersAt(nowMs: number): readonly SignedInUser[] {
    const users = new Map<string, SignedInUser>();
    for (const { userId, role, tenant, startedAt, expiresAt, hasEnded } of this.sessions.values()) {
      if (hasEnded || expiresAt <= nowMs) continue;
      const name = `${tenant}/${role}/${userId}`;
      const known = users.get(name);
      users.set(name, {
        ...{ userId, role, tenant, sessions: (known?.sessions ?? 0) + 1 },
        signedInAt: Math.max(startedAt, known?.signedInAt ?? 0),
        expiresAt: Math.max(expiresAt, known?.expiresAt ?? 0),
      });
    }
    return [...users.values()].sort((a, b) => b.signedInAt - a.signedInAt || compareText(a.userId, b.userId));
  }

  knows(sessionId: string): boolean {
    return this.sessions.has(sessionId);
  }

  forgetBefore(nowMs: number): void {
    for (const [id, { expiresAt }] of this.sessions) if (expiresAt + KEPT_MS < nowMs) this.sessions.delete(id);
  }

  private start({ meta, sessionId, userId, role: named, expiresAt }: EventOf<'SessionStarted'>): void {
    const role = ROLES.find((each) => each === named);
    const tenant = tenantOf(meta);
    if (this.sessions.has(sessionId) || role === undefined || !isTenant(tenant)) return;
    const latest = Math.min(expiresAt, meta.occurredAt + LONGEST_SESSION_MS);
    const startedAt = meta.occurredAt;
    this.sessions.set(sessionId, { userId, role, tenant, startedAt, expiresAt: latest, hasEnded: false });
    // A map keeps the order in which they began.
    const open = this.openOfUser(userId);
    for (const session of open.slice(0, Math.max(0, open.length - MOST_OF_A_USER))) session.hasEnded = true;
  }

  private end({ sessionId, userId }: EventOf<'SessionEnded'>): void {
    const one = sessionId === null ? undefined : this.sessions.get(sessionId);
    const ended = sessionId === null ? this.openOfUser(userId) : one?.userId === userId ? [one] : [];
    for (const session of ended) session.hasEnded = true;
  }

  private openOfUser(userId: string): readonly { hasEnded: boolean }[] {
    return [...this.sessions.values()].filter((session) => session.userId === userId && !session.hasEnded);
  }
}
