/**
 * Sessions of browsers. The log holds each by the digest of its cookie's secret, so all gateways know them, also after a start, and what is
 * ended in the log opens nothing from then on.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { EventLog } from '@seamstream/event-log';
import { encodeEvent, originMeta, type SeamEvent, TOPIC } from '@seamstream/events';
import { type Clock, canonicalJson, newId, SeamError, sha256 } from '@seamstream/kernel';
import { type KnownSession, KnownSessions, LONGEST_SESSION_MS, type SignedInUser } from '@seamstream/operations/access';
import type { IssuerSettings } from '../config.js';
import { followTopic } from '../follow-topic.js';
import { Cookie } from '../http/cookies.js';
import { SOURCE } from '../source.js';
import type { Principal } from './principal.js';
import { RefusedError } from './refused-error.js';

const SECRET_BYTES = 32;
const SECRET = /^[A-Za-z0-9_-]{43}$/;
/** A session that another gateway began a moment ago is in the log, and not read yet. */
const READ_WITHIN_MS = 1_000;
/** Longest wait for a session that begins here. */
const BEGUN_WITHIN_MS = 5_000;
/** Requests that wait for a session at a time: cookies that no gateway gave are no flood of them. */
const MOST_WAITING = 64;
const FORGET_EVERY_MS = 60_000;

/** For the dashboard: its reader can sign in, and where. */
export const SIGN_IN_HERE = { 'x-seam-sign-in': '/login' };

export interface SessionsWorld {
  readonly log: EventLog;
  readonly clock: Clock;
  /** Scheme, host and port of the gateway as browsers know it. */
  readonly origin: string;
  /** What says to which tenant a user belongs. A session that began under another table is not open. */
  readonly issuer: Pick<IssuerSettings, 'tenantsClaim' | 'tenants'>;
}

export class Sessions {
  readonly cookie: Cookie;
  private readonly known = new KnownSessions();
  /** By session: who waits for it. */
  private readonly waiting = new Map<string, Set<() => void>>();
  private waiters = 0;
  private forgottenAtMs = 0;
  private onChange: () => void = () => undefined;

  private constructor(private readonly world: SessionsWorld) {
    this.cookie = new Cookie('seam-session', world.origin);
  }

  /** Knows which are open now. @returns the sessions, and the reading of later ones, which ends with the signal */
  static async open(world: SessionsWorld, signal: AbortSignal): Promise<[Sessions, Promise<void>]> {
    const sessions = new Sessions(world);
    const sinceMs = world.clock.now() - LONGEST_SESSION_MS;
    const apply = (events: readonly SeamEvent[]): void => sessions.apply(events);
    const { reading } = await followTopic(world.log, { topic: TOPIC.usage, sinceMs, apply }, signal);
    return [sessions, reading];
  }

  /** @param onChange is called when sessions may have ended */
  watch(onChange: () => void): void {
    this.onChange = onChange;
  }

  /** Who is signed in now. */
  users(): readonly SignedInUser[] {
    return this.known.usersAt(this.world.clock.now());
  }

  isOpen(sessionId: string): boolean {
    return this.openOf(sessionId) !== undefined;
  }

  /**
   * Who asks with a cookie; undefined where the request has none.
   * @throws RefusedError 401 for a session that is not open, 403 for what a page of another site asks
   */
  async principalOf({ headers, method }: IncomingMessage): Promise<Principal | undefined> {
    const secret = this.cookie.in(headers.cookie);
    if (secret === undefined) return undefined;
    const sessionId = this.idOf(secret);
    const session = SECRET.test(secret) ? await this.whenOpen(sessionId, READ_WITHIN_MS) : undefined;
    if (session === undefined) throw sessionEnded();
    const { userId, role, tenant, expiresAt } = session;
    if (!this.isOwnPage(headers, method)) throw foreignSite(userId, tenant);
    return { id: userId, role, tenant, expiresAt, sessionId };
  }

  /**
   * Begins a session, and waits until the log says so.
   * @returns the secret for the cookie
   * @throws LOG_UNAVAILABLE where the log does not say so in time
   */
  async begin({ id: userId, role, tenant }: Principal & { readonly id: string }, lifetimeMs: number): Promise<string> {
    const { log, clock } = this.world;
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    const sessionId = this.idOf(secret);
    const nowMs = clock.now();
    const meta = metaOf(userId, tenant, nowMs);
    const expiresAt = nowMs + lifetimeMs;
    await log.append([encodeEvent({ type: 'SessionStarted', meta, userId, sessionId, role, expiresAt })]);
    if ((await this.whenOpen(sessionId, BEGUN_WITHIN_MS, 'own')) !== undefined) return secret;
    throw new SeamError('LOG_UNAVAILABLE', 'Cannot begin a session: expected it in the log, got no word in time.');
  }

  /** A person signs out. */
  async end({ id, tenant, sessionId }: Principal & { readonly id: string; readonly sessionId: string }): Promise<void> {
    const meta = metaOf(id, tenant, this.world.clock.now());
    const ended = { userId: id, sessionId, endedBy: id, reason: 'signed out' };
    await this.world.log.append([encodeEvent({ type: 'SessionEnded', meta, ...ended })]);
    this.apply([{ type: 'SessionEnded', meta, ...ended }]);
  }

  private idOf(secret: string): string {
    const { tenantsClaim, tenants } = this.world.issuer;
    const hasTable = Object.keys(tenants).length > 0;
    return sha256(hasTable ? `${secret} ${canonicalJson({ tenantsClaim, tenants })}` : secret);
  }

  private openOf(sessionId: string): KnownSession | undefined {
    const session = this.known.openOf(sessionId);
    return session !== undefined && session.expiresAt > this.world.clock.now() ? session : undefined;
  }

  /** @param whose `own`: begun here, so that cookies of strangers do not take its place */
  private async whenOpen(
    sessionId: string,
    withinMs: number,
    whose: 'own' | 'any' = 'any',
  ): Promise<KnownSession | undefined> {
    const places = whose === 'own' ? 0 : 1;
    if (this.known.knows(sessionId) || this.waiters + places > MOST_WAITING) return this.openOf(sessionId);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const others = this.waiting.get(sessionId) ?? new Set<() => void>();
    const wake = (): void => resolve(undefined);
    this.waiting.set(sessionId, others.add(wake));
    this.waiters += places;
    const timer = setTimeout(wake, withinMs);
    await promise;
    clearTimeout(timer);
    this.waiters -= places;
    others.delete(wake);
    if (others.size === 0) this.waiting.delete(sessionId);
    return this.openOf(sessionId);
  }

  /**
   * A browser sends the cookie along with what pages of other hosts of the domain ask, and with links. What changes something names its
   * origin; of the rest a browser says where it comes from (https://www.w3.org/TR/fetch-metadata/).
   */
  private isOwnPage({ origin, 'sec-fetch-site': site }: IncomingMessage['headers'], method = ''): boolean {
    const isRead = method === 'GET' || method === 'HEAD';
    if (origin === undefined && !isRead) return false;
    if (origin !== undefined && origin !== this.world.origin) return false;
    return site === undefined || site === 'same-origin' || (site === 'none' && isRead);
  }

  private apply(events: readonly SeamEvent[]): void {
    for (const event of events) {
      this.known.apply(event);
      if (event.type === 'SessionStarted') for (const told of this.waiting.get(event.sessionId) ?? []) told();
    }
    this.onChange();
    const nowMs = this.world.clock.now();
    if (nowMs < this.forgottenAtMs + FORGET_EVERY_MS) return;
    this.forgottenAtMs = nowMs;
    this.known.forgetBefore(nowMs);
  }
}

function metaOf(userId: string, tenant: string, nowMs: number) {
  const messageId = newId();
  return originMeta({
    ...{ messageId, correlationId: userId, source: SOURCE, occurredAt: nowMs },
    ...{ sourceClass: 'user', subject: userId, tenant },
  });
}

function sessionEnded(): RefusedError {
  const message = 'Cannot answer: expected a session that is open, got one that has ended. Sign in again.';
  return new RefusedError({ status: 401, message, code: 'session_ended', headers: SIGN_IN_HERE }, null);
}

function foreignSite(id: string, tenant: string): RefusedError {
  const message = 'Cannot answer: expected a request of the dashboard, got one that another site made.';
  return new RefusedError({ status: 403, message, code: 'foreign_site' }, { id, tenant });
}
