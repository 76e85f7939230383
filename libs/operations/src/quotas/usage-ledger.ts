/**
 * What clients have used, as seam.usage says. The log decides which reservations are admitted: all gateways that have read as far agree, and so
 * does one that starts again.
 *
 *   reserved ─┬─► refused: counts for nothing
 *             └─► admitted ─┬─► released: counts for nothing
 *                           ├─► charged with what was reported
 *                           └─► charged as reserved: nothing was reported, or its gateway died
 *
 * A reservation counts in the windows that hold the moment it was made, whenever it is settled. So for each enforced limit and window: what is
 * charged ≤ the limit + what admitted requests used above their reservation.
 */
import {
  clientIn,
  type EventMeta,
  type EventOf,
  type QuotaMeasure,
  type QuotaWindow,
  type SeamEvent,
  tenantOf,
  type UsageLimit,
} from '@seamstream/events';
import { QUOTA_WINDOWS, windowAt } from './windows.js';

/** Use by measure. Money is in millionths of the currency; unknown prices add nothing. */
export type Amounts = Readonly<Record<QuotaMeasure, number>>;

const NOTHING: Amounts = { requests: 0, tokens: 0, money: 0, problems: 0 };

/** A limit, and what is used of it. */
export interface LimitUse extends UsageLimit {
  /** Before the request in question. */
  readonly used: number;
  /** When the window ends, in milliseconds since the Unix epoch. */
  readonly endsMs: number;
}

/** A limit now: what counts against it, how much of that is reserved by requests under way, and what is left. */
export interface LimitStanding extends LimitUse {
  readonly reserved: number;
  /** At least 0: requests may use more than they reserved. */
  readonly left: number;
}

/** How full a limit of a kind is: what is used as a fraction of it. */
export interface LimitFill extends Pick<UsageLimit, 'measure' | 'per' | 'mode'> {
  readonly fraction: number;
}

export interface UsageVerdict {
  /** Without room under an enforced limit a request is not admitted. */
  readonly isAdmitted: boolean;
  /** Limits without room, also those in shadow mode. */
  readonly exceeded: readonly LimitUse[];
}

/** A request that asks for room. */
export interface UsageWanted {
  readonly keyId: string;
  readonly meta: Pick<EventMeta, 'tenant'>;
  readonly tokens: number;
  readonly problems?: number | undefined;
  /** Null: unknown. Under a limit of money there is no room for it. */
  readonly money: number | null;
  readonly limits: readonly UsageLimit[];
  readonly atMs: number;
}

interface OpenReservation {
  readonly client: string;
  readonly atMs: number;
  readonly amounts: Amounts;
  readonly lapsesAt: number;
}

/** Clocks of gateways may differ by so much before a window is forgotten too early. */
const KEPT_MS = 3_600_000;

export class UsageLedger {
  /** By client, window and its start. */
  private readonly windows = new Map<string, { readonly endMs: number; amounts: Amounts }>();
  private readonly open = new Map<string, OpenReservation>();

  /** Reservations that are admitted and neither settled nor lapsed. */
  openAt(nowMs: number): number {
    return [...this.open.values()].filter(({ lapsesAt }) => lapsesAt > nowMs).length;
  }

  /** @returns whether a reservation is admitted; undefined for other events, and for one that was read before */
  apply(event: SeamEvent): UsageVerdict | undefined {
    if (event.type === 'UsageReserved') return this.reserve(event);
    if (event.type === 'UsageSettled') this.settle(event);
    return undefined;
  }

  /** Whether there would be room now. The log has the last word. */
  verdictOn({ tokens, money, problems = 0, limits, atMs, ...who }: UsageWanted): UsageVerdict {
    const wanted = { requests: 1, tokens, money, problems };
    const exceeded = this.usesOf(clientOf(who), limits, atMs).filter(({ measure, limit, used }) => {
      const amount = wanted[measure];
      return amount === null || used + amount > limit;
    });
    return { isAdmitted: exceeded.every(({ mode }) => mode === 'shadow'), exceeded };
  }

  /**
   * Of each limit what is used, in the windows that hold the moment.
   * @param client of its tenant, as clientIn names it
   */
  usesOf(client: string, limits: readonly UsageLimit[], atMs: number): readonly LimitUse[] {
    return limits.map((limit) => ({
      ...limit,
      used: (this.windows.get(nameOf(client, limit.per, atMs))?.amounts ?? NOTHING)[limit.measure],
      endsMs: windowAt(limit.per, atMs).endMs,
    }));
  }

  /**
   * How the limits of clients stand at a moment. A reservation whose gateway died is used, and not reserved any more.
   * @returns a question about one client, named as clientIn does: all its answers are of one look at what is reserved
   */
  standingsAt(nowMs: number): (client: string, limits: readonly UsageLimit[]) => readonly LimitStanding[] {
    const reserved = new Map<string, Amounts>();
    for (const { client, atMs, amounts, lapsesAt } of this.open.values())
      if (lapsesAt > nowMs)
        for (const per of QUOTA_WINDOWS) {
          const name = nameOf(client, per, atMs);
          reserved.set(name, sumOf(reserved.get(name) ?? NOTHING, amounts, 1));
        }
    return (client, limits) =>
      this.usesOf(client, limits, nowMs).map((use) => ({
        ...use,
        reserved: (reserved.get(nameOf(client, use.per, nowMs)) ?? NOTHING)[use.measure],
        left: Math.max(0, use.limit - use.used),
      }));
  }

  /** Clients, and tenants as a whole, that asked for room in a window that holds the moment. Named as clientIn does. */
  clientsAt(nowMs: number): ReadonlySet<string> {
    const isNow = (name: string, endMs: number): boolean => endMs > nowMs && Number(name.split('/')[1]) <= nowMs;
    return new Set(
      [...this.windows].flatMap(([name, { endMs }]) => (isNow(name, endMs) ? [clientOfWindow(name)] : [])),
    );
  }

  /** Whether it is one of clientsAt. @param client of its tenant, as clientIn names it */
  hasAskedAt(client: string, nowMs: number): boolean {
    return QUOTA_WINDOWS.some((per) => this.windows.has(nameOf(client, per, nowMs)));
  }

  /** Of each kind of limit the client that is nearest to it. Its name is not said. */
  fullestAt(limitsOf: (client: string) => readonly UsageLimit[], atMs: number): readonly LimitFill[] {
    const clients = new Set([...this.windows.keys()].map(clientOfWindow));
    const fullest = new Map<string, LimitFill>();
    for (const client of clients)
      for (const { measure, per, mode, limit, used } of this.usesOf(client, limitsOf(client), atMs)) {
        const kind = `${measure}/${per}/${mode}`;
        const fill = { measure, per, mode, fraction: limit === 0 ? 1 : used / limit };
        if (fill.fraction >= (fullest.get(kind)?.fraction ?? 0)) fullest.set(kind, fill);
      }
    return [...fullest.values()];
  }

  /** Forgets windows that are over, and reservations that no gateway settles any more: they stay charged as they are. */
  forgetBefore(nowMs: number): void {
    for (const [name, { endMs }] of this.windows) if (endMs + KEPT_MS < nowMs) this.windows.delete(name);
    for (const [id, { lapsesAt }] of this.open) if (lapsesAt + KEPT_MS < nowMs) this.open.delete(id);
  }

  private reserve(event: EventOf<'UsageReserved'>): UsageVerdict | undefined {
    const { keyId, reservationId, tokens, money, problems = 0, limits, lapsesAt, meta } = event;
    if (this.open.has(reservationId)) return undefined;
    const atMs = meta.occurredAt;
    const verdict = this.verdictOn({ keyId, meta, tokens, money, problems, limits, atMs });
    if (verdict.isAdmitted) {
      const amounts = { requests: 1, tokens, money: money ?? 0, problems };
      const client = clientOf(event);
      this.open.set(reservationId, { client, atMs, amounts, lapsesAt });
      this.add(client, atMs, amounts, 1);
    }
    return verdict;
  }

  private settle({ reservationId, keyId, outcome, tokens, money, meta }: EventOf<'UsageSettled'>): void {
    const reservation = this.open.get(reservationId);
    if (reservation?.client !== clientOf({ keyId, meta })) return;
    // Readers that have forgotten it by then count as those that have not.
    if (meta.occurredAt > reservation.lapsesAt) return;
    this.open.delete(reservationId);
    const { client, atMs, amounts } = reservation;
    this.add(client, atMs, amounts, -1);
    if (outcome === 'released') return;
    this.add(client, atMs, { ...amounts, tokens: tokens ?? amounts.tokens, money: money ?? amounts.money }, 1);
  }

  private add(client: string, atMs: number, added: Amounts, sign: 1 | -1): void {
    for (const per of QUOTA_WINDOWS) {
      const name = nameOf(client, per, atMs);
      const { amounts } = this.windows.get(name) ?? { amounts: NOTHING };
      this.windows.set(name, { endMs: windowAt(per, atMs).endMs, amounts: sumOf(amounts, added, sign) });
    }
  }
}

function sumOf(one: Amounts, other: Amounts, sign: 1 | -1): Amounts {
  return {
    requests: one.requests + sign * other.requests,
    tokens: one.tokens + sign * other.tokens,
    money: one.money + sign * other.money,
    problems: one.problems + sign * other.problems,
  };
}

function nameOf(client: string, per: QuotaWindow, atMs: number): string {
  return `${per}/${windowAt(per, atMs).startMs}/${client}`;
}

/** The client may have a slash. */
const clientOfWindow = (name: string): string => name.split('/').slice(2).join('/');

/** Nothing of a tenant is paid by another one. */
function clientOf({ keyId, meta }: Pick<UsageWanted, 'keyId' | 'meta'>): string {
  return clientIn(tenantOf(meta), keyId);
}
