/** Who asks, and what they may: every request passes here before its body is read. */
import type { IncomingMessage } from 'node:http';
import type { EventLog } from '@seamstream/event-log';
import { type SeamEvent, TOPIC } from '@seamstream/events';
import { type Clock, SeamError } from '@seamstream/kernel';
import { apiKeysAfter, keyOpening, NO_KEYS, ROLES, type Role } from '@seamstream/operations/access';
import { type DeclaredLimits, declaredLimitsAfter, NO_LIMITS } from '@seamstream/operations/quotas';
import type { GatewayConfig } from '../config.js';
import { followTopic } from '../follow-topic.js';
import { ApiError } from '../http/api-error.js';

export interface Principal {
  /** Public part of the key; null where the gateway is open. */
  readonly key: string | null;
  readonly role: Role;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/;
/** Routes that hold data. The files of the page hold none. */
const GUARDED = /^\/(v1|api)\//;
/** Some 24 days, the most that a timer of Node's holds: a stream that is older begins again. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export class Access {
  private keys = NO_KEYS;
  private limits = NO_LIMITS;
  private readonly principals = new WeakMap<IncomingMessage, Principal>();
  /** What ends with its key, by the key's public part. */
  private readonly held = new Map<AbortController, string>();

  private constructor(
    private readonly isOpen: boolean,
    private readonly clock: Clock,
  ) {}

  /**
   * Reads the keys, and follows the log for later ones until the signal aborts.
   * @throws INVALID_CONFIGURATION where other machines could ask without a key, or in clear
   */
  static async open(
    { host, access, allowPlaintext }: GatewayConfig['gateway'],
    log: EventLog,
    clock: Clock,
    signal: AbortSignal,
  ): Promise<[Access, Promise<void>]> {
    if (!LOOPBACK.test(host)) {
      if (access !== 'keys')
        throw new SeamError(
          'INVALID_CONFIGURATION',
          `Cannot listen at ${host}: expected keys where other machines may ask, got SEAM_GATEWAY_ACCESS=${access}. Set it to keys, and issue one (seam gateway keys issue).`,
        );
      if (!allowPlaintext)
        throw new SeamError(
          'INVALID_CONFIGURATION',
          `Cannot listen at ${host}: expected that a proxy before it speaks TLS, got no such word. SEAM_GATEWAY_ALLOW_PLAINTEXT=true says so.`,
        );
    }
    const opened = new Access(access === 'open', clock);
    // A revocation that is in the log counts from the first request on.
    const apply = (events: readonly SeamEvent[]): void => {
      opened.keys = events.reduce(apiKeysAfter, opened.keys);
      opened.limits = events.reduce(declaredLimitsAfter, opened.limits);
      opened.closeRevoked();
    };
    const { reading } = await followTopic(log, { topic: TOPIC.access, apply }, signal);
    return [opened, reading];
  }

  /** Limits and prices, as the log says. */
  get declared(): DeclaredLimits {
    return this.limits;
  }

  /**
   * @param route as it is declared: an address may be spelled in many ways
   * @throws ApiError: 401 without a key that opens, 403 for what a browser was made to ask by another site
   */
  admit(request: IncomingMessage, route: string | undefined): void {
    if (!isGuarded(route)) return;
    if (this.isOpen) {
      assertOwnSite(request);
      this.principals.set(request, { key: null, role: 'admin' });
      return;
    }
    const text = /^Bearer ([\x21-\x7e]{1,256})$/.exec(request.headers.authorization ?? '')?.[1];
    const key = text === undefined ? undefined : keyOpening(this.keys, text, this.clock.now());
    if (key === undefined)
      throw new ApiError({
        status: 401,
        message: 'Cannot answer: expected "Authorization: Bearer" and a key that is open, got none.',
        code: 'invalid_api_key',
        headers: { 'www-authenticate': 'Bearer' },
      });
    this.principals.set(request, { key: key.keyId, role: key.role });
  }

  /** @throws ApiError 403 for a role that may not */
  assertMay(request: IncomingMessage, role: Role): void {
    const principal = this.principalOf(request);
    if (ROLES.indexOf(principal.role) >= ROLES.indexOf(role)) return;
    throw new ApiError({
      status: 403,
      message: `Cannot answer: expected a key with the role ${role}, got ${principal.role}. Ask an admin for another.`,
      code: 'forbidden',
    });
  }

  principalOf(request: IncomingMessage): Principal {
    const principal = this.principals.get(request);
    if (principal !== undefined) return principal;
    throw new SeamError('INTERNAL', 'Cannot say who asks: expected an admitted request, got another.');
  }

  /**
   * Of an answer without an end: aborts when the key that opened it is revoked or expires.
   * @param gone when the answer ends by itself
   */
  untilClosed(request: IncomingMessage, gone: AbortSignal): AbortSignal {
    const { key } = this.principalOf(request);
    const closed = new AbortController();
    if (key === null || gone.aborted) return closed.signal;
    this.held.set(closed, key);
    const expiresAt = this.keys.issued.get(key)?.expiresAt ?? null;
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
    for (const [closed, key] of this.held) if (this.keys.revoked.has(key)) closed.abort();
  }
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
  const isHere = LOOPBACK.test(host.replace(/:\d{1,5}$/, ''));
  const isOwn = headers.origin === undefined || headers.origin === `http://${host}`;
  if (isHere && isOwn) return;
  throw new ApiError({
    status: 403,
    message:
      'Cannot answer: expected a request of this machine, got one that another site made. Use the address that the gateway printed.',
    code: 'foreign_site',
  });
}
