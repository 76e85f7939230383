/** Who asks, and what they may: every request passes here before its body is read. */
import type { IncomingMessage } from 'node:http';
import type { EventLog } from '@seamstream/event-log';
import { DEFAULT_TENANT, type SeamEvent, TOPIC } from '@seamstream/events';
import { type Clock, SeamError } from '@seamstream/kernel';
import { type ApiKeys, closedBy, FoldedKeys, isAtLeast, keyOf, type Role } from '@seamstream/operations/access';
import { type AccessReader, type DeclaredLimits, FoldedLimits } from '@seamstream/operations/quotas';
import type { GatewayConfig } from '../config.js';
import { followTopic } from '../follow-topic.js';
import type { Door } from '../http/door.port.js';
import type { Principal } from './principal.js';
import { originOf } from './refusal-counts.decide.js';
import type { Refusals } from './refusals.js';
import { NoRoomError, RefusedError } from './refused-error.js';
import { type Sessions, SIGN_IN_HERE } from './sessions.js';
import { type Sight, sightOf } from './sight.decide.js';
import type { Tokens } from './tokens.js';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/;
/** Routes that hold data. The files of the page hold none. */
const GUARDED = /^\/(v1|api)\//;
/** The longest token: providers stay below the some 8 KiB that servers take for all headers. */
const BEARER = /^Bearer ([\x21-\x7e]{1,8192})$/;
const KEY_BEGINS = 'sk-seam-';
/** Some 24 days, the most that a timer of Node's holds: a stream that is older begins again. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Who asks where the gateway is open. */
const ANYONE: Principal = { id: null, role: 'admin', tenant: DEFAULT_TENANT, expiresAt: null };

/** What opens next to keys. */
export interface OtherDoors {
  /** Undefined: no token opens. */
  readonly tokens: Tokens | undefined;
  /** Undefined: no one signs in. */
  readonly sessions: Sessions | undefined;
}

export class Access implements Door {
  private readonly keys = new FoldedKeys();
  private readonly limits = new FoldedLimits();
  /** Grows with what is read: what it says of access may be another then. */
  changes = 0;
  /** Who asks, and what they saw when they were let in: an answer that begins late ends all the same when a tenant came meanwhile. */
  private readonly admitted = new WeakMap<IncomingMessage, { readonly principal: Principal; readonly sight: Sight }>();
  /** What ends with its key or session, who asked, and what they saw then. */
  private readonly held = new Map<AbortController, Principal & { readonly id: string; readonly sight: Sight }>();

  private constructor(
    private readonly isOpen: boolean,
    readonly doors: OtherDoors,
    private readonly refusals: Pick<Refusals, 'add'>,
    private readonly clock: Clock,
  ) {}

  /** Reads the keys, and follows the log for later ones until the signal aborts. */
  static async open(
    { access }: Pick<GatewayConfig['gateway'], 'access'>,
    doors: OtherDoors,
    refusals: Pick<Refusals, 'add'>,
    log: EventLog,
    clock: Clock,
    signal: AbortSignal,
  ): Promise<[Access, Promise<void>]> {
    const opened = new Access(access === 'open', doors, refusals, clock);
    doors.sessions?.watch(() => opened.closeRevoked());
    // A revocation that is in the log counts from the first request on.
    const apply = (events: readonly SeamEvent[]): void => {
      for (const event of events) {
        opened.keys.apply(event);
        opened.limits.apply(event);
      }
      opened.changes++;
      opened.closeRevoked();
    };
    const { reading } = await followTopic(log, { topic: TOPIC.access, apply }, signal);
    return [opened, reading];
  }

  /** Keys that were issued and revoked, as the log says. */
  get known(): ApiKeys {
    return this.keys;
  }

  /** Limits and prices, as the log says. */
  get declared(): DeclaredLimits {
    return this.limits;
  }

  /**
   * @param route as it is declared: an address may be spelled in many ways
   * @throws ApiError: 401 without a key or token that opens, 403 for what a browser was made to ask by another site, and for a token
   * without a role
   */
  async admit(request: IncomingMessage, route: string | undefined): Promise<void> {
    if (!isGuarded(route)) return;
    try {
      if (this.isOpen) assertOwnSite(request);
      const principal = this.isOpen ? ANYONE : await this.principalOpening(request);
      this.admitted.set(request, { principal, sight: this.sightNow(principal) });
    } catch (error) {
      if (error instanceof RefusedError) this.count(error, request, route);
      throw error;
    }
  }

  private async principalOpening(request: IncomingMessage): Promise<Principal> {
    const { tokens, sessions } = this.doors;
    const { authorization } = request.headers;
    // What a program sends by itself counts before what a browser adds.
    const signedIn = authorization === undefined ? await sessions?.principalOf(request) : undefined;
    if (signedIn !== undefined) return signedIn;
    const text = BEARER.exec(authorization ?? '')?.[1];
    if (text !== undefined && tokens !== undefined && !text.startsWith(KEY_BEGINS)) return tokens.principalOf(text);
    const key = text === undefined ? undefined : keyOf(this.keys, text);
    const closed = key === undefined ? undefined : closedBy(key, this.clock.now());
    if (key !== undefined && closed === undefined) {
      const { keyId: id, role, tenant, expiresAt } = key;
      return { id, role, tenant, expiresAt };
    }
    const opens = tokens === undefined ? 'a key that is open' : 'a key or a token that opens';
    throw new RefusedError(
      {
        status: 401,
        message: `Cannot answer: expected "Authorization: Bearer" and ${opens}, got none.`,
        code: 'invalid_api_key',
        headers: { 'www-authenticate': 'Bearer', ...(sessions === undefined ? {} : SIGN_IN_HERE) },
      },
      key === undefined ? null : { id: key.keyId, tenant: key.tenant },
      closed === undefined ? undefined : `key_${closed}`,
    );
  }

  /** @param route as it is declared @throws ApiError 403 for a role that may not */
  assertMay(request: IncomingMessage, role: Role, route: string | undefined): void {
    const principal = this.principalOf(request);
    if (isAtLeast(principal.role, role)) return;
    const facts = {
      status: 403,
      message: `Cannot answer: expected the role ${role}, got ${principal.role}. Ask an admin for another.`,
      code: 'forbidden',
    };
    this.refuse(request, route, facts);
  }

  /** What executors were paid is for operators, as on the page of costs. */
  seesCosts(request: IncomingMessage): boolean {
    return isAtLeast(this.principalOf(request).role, 'operator');
  }

  /** What the client of a request saw when it was let in. */
  sightOf(request: IncomingMessage): Sight {
    return this.admittedOf(request).sight;
  }

  /** Who reads a page, and of whom it may be. */
  readerOf(request: IncomingMessage): AccessReader {
    const { id, role, tenant } = this.principalOf(request);
    return { id, role, tenant, isOfAll: this.sightOf(request).tenant === undefined };
  }

  /** @param route as it is declared @throws ApiError 403 for a client that does not see the whole system */
  assertSeesWhole(request: IncomingMessage, route: string | undefined): void {
    const principal = this.principalOf(request);
    if (this.sightNow(principal).isWhole) return;
    const { role, tenant } = principal;
    const facts = {
      status: 403,
      message: `Cannot answer: expected an operator of the tenant ${DEFAULT_TENANT}, since this is of all tenants, got the role ${role} in ${tenant}.`,
      code: 'whole_system',
    };
    this.refuse(request, route, facts);
  }

  private refuse(
    request: IncomingMessage,
    route: string | undefined,
    facts: ConstructorParameters<typeof RefusedError>[0],
  ): never {
    const { id, tenant } = this.principalOf(request);
    const error = new RefusedError(facts, id === null ? null : { id, tenant });
    this.count(error, request, route);
    throw error;
  }

  private sightNow(principal: Principal): Sight {
    return sightOf(principal, this.doors.tokens?.hasTenants === true || this.keys.hasTenants);
  }

  /** Who is refused at the door was counted there: of the errors further in, those of a request without room count as refusals. */
  failed(error: unknown, request: IncomingMessage, route: string | undefined): void {
    if (error instanceof NoRoomError) this.count(error, request, route);
  }

  /** Counts a request that was refused elsewhere than here. */
  count({ who, reason }: RefusedError, { method, socket }: IncomingMessage, route: string | undefined): void {
    const { id, tenant } = who ?? { id: null, tenant: DEFAULT_TENANT };
    this.refusals.add({ id, tenant, reason, route: `${method} ${route}`, origin: originOf(socket.remoteAddress) });
  }

  principalOf(request: IncomingMessage): Principal {
    return this.admittedOf(request).principal;
  }

  private admittedOf(request: IncomingMessage): { readonly principal: Principal; readonly sight: Sight } {
    const admitted = this.admitted.get(request);
    if (admitted !== undefined) return admitted;
    throw new SeamError('INTERNAL', 'Cannot say who asks: expected an admitted request, got another.');
  }

  /**
   * Of an answer without an end: aborts when the key that opened it is revoked or the session ends, when key, token or session expire, and when
   * its client no longer sees the whole system, since a tenant came.
   * @param gone when the answer ends by itself
   */
  untilClosed(request: IncomingMessage, gone: AbortSignal): AbortSignal {
    const principal = this.principalOf(request);
    const { id, expiresAt } = principal;
    const closed = new AbortController();
    if (id === null || gone.aborted) return closed.signal;
    this.held.set(closed, { ...principal, id, sight: this.sightOf(request) });
    const left = expiresAt === null ? LONGEST_TIMER_MS : Math.min(expiresAt - this.clock.now(), LONGEST_TIMER_MS);
    const timer = setTimeout(() => closed.abort(), left).unref();
    gone.addEventListener('abort', () => {
      clearTimeout(timer);
      this.held.delete(closed);
    });
    this.closeRevoked();
    return closed.signal;
  }

  private closeRevoked(): void {
    for (const [closed, { sight, ...principal }] of this.held) {
      const { id, sessionId } = principal;
      if (sight.isWhole && !this.sightNow(principal).isWhole) closed.abort();
      if (this.keys.revoked.has(id)) closed.abort();
      if (sessionId !== undefined && this.doors.sessions?.isOpen(sessionId) !== true) closed.abort();
    }
  }
}

/** Whether an address to listen on is one of this machine alone. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

export function isGuarded(route: string | undefined): boolean {
  return GUARDED.test(route ?? '');
}

/**
 * Without keys, being on this machine is what opens. A page of another site that runs in a browser here is on this machine too: its requests
 * name it as their origin, or, where its name was made to lead here, as their host.
 */
function assertOwnSite({ headers }: IncomingMessage): void {
  const host = headers.host ?? '';
  const isHere = isLoopback(host.replace(/:\d{1,5}$/, ''));
  const isOwn = headers.origin === undefined || headers.origin === `http://${host}`;
  if (isHere && isOwn) return;
  const message =
    'Cannot answer: expected a request of this machine, got one that another site made. Use the address that the gateway printed.';
  throw new RefusedError({ status: 403, message, code: 'foreign_site' }, null);
}
