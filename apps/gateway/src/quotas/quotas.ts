/**
 * Limits of clients. A request with limits reserves its worst case in the log, reads whether the log admits it, and settles with its result.
 * So instances agree without a word to each other, and one that starts again knows what was used.
 */
import type { EventLog } from '@seamstream/event-log';
import {
  clientIn,
  type EncodedEvent,
  type EventOf,
  encodeEvent,
  originMeta,
  type SeamEvent,
  TOPIC,
  tenantOf,
} from '@seamstream/events';
import { type Clock, newId } from '@seamstream/kernel';
import {
  type DeclaredLimits,
  type LimitFill,
  limitsFor,
  moneyOf,
  priceAt,
  UsageLedger,
  type UsageVerdict,
  usageStart,
} from '@seamstream/operations/quotas';
import type { Principal } from '../access/principal.js';
import { SOURCE } from '../chat/chat-events.decide.js';
import { followTopic } from '../follow-topic.js';
import type { ApiError } from '../http/api-error.js';
import { type Charge, ReservedCharge, UNLIMITED } from './charge.js';
import { limitHeaders, quotaRefusal, shadowHeader, undecided } from './refusal.decide.js';
import type { WorstCase } from './worst-case.decide.js';

/** Longest wait for the log's word. */
const DECIDED_WITHIN_MS = 5_000;
/** Beyond the longest request, for a settlement that the log takes late. */
const GRACE_MS = 60_000;
const FORGET_EVERY_MS = 60_000;

export interface QuotasWorld {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly declared: () => DeclaredLimits;
  /** Learns of each limit without room. */
  readonly onExceeded: (limit: EventOf<'UsageReserved'>['limits'][number]) => void;
}

/** Who uses: without an id the gateway is open, and has no limits. */
type QuotaClient = Pick<Principal, 'id' | 'tenant'>;

export interface QuotasSettings {
  /** Longest time for a whole answer: then a reservation without a settlement is charged as it is. */
  readonly answerWithinMs: number;
  readonly decidedWithinMs?: number;
}

export class Quotas {
  private readonly ledger = new UsageLedger();
  /** By reservation: who learns whether it is admitted. */
  private readonly waiting = new Map<string, (verdict: UsageVerdict) => void>();

  private forgottenAtMs = 0;

  private constructor(
    private readonly world: QuotasWorld,
    private readonly settings: QuotasSettings,
  ) {}

  /** Knows what was used in the present windows. @returns the quotas, and the reading, which ends with the signal */
  static async open(
    world: QuotasWorld,
    settings: QuotasSettings,
    signal: AbortSignal,
  ): Promise<[Quotas, Promise<void>]> {
    const quotas = new Quotas(world, settings);
    const { reading } = await followTopic(
      world.log,
      { topic: TOPIC.usage, sinceMs: usageStart(world.clock.now()), apply: (events) => quotas.apply(events) },
      signal,
    );
    return [quotas, reading];
  }

  /**
   * Room for one request; a client without limits needs none.
   * @param worstCase asked where there are limits: it reads the whole request
   * @param models executors that may answer: the dearest counts
   * @throws ApiError 429 without room, 503 where the log does not say
   */
  async reserve(client: QuotaClient, worstCase: () => WorstCase, models: readonly string[]): Promise<Charge> {
    const { clock, declared, log } = this.world;
    const { id, tenant } = client;
    const limits = id === null ? [] : limitsFor(declared(), clientIn(tenant, id));
    if (id === null || limits.length === 0) return UNLIMITED;
    const reserved = this.reservation({ id, tenant }, worstCase(), models, limits);
    // A flood above a limit is refused without a record. Where this instance knows too little, the log decides.
    const foreseen = this.ledger.verdictOn({ ...reserved, atMs: reserved.meta.occurredAt });
    if (!foreseen.isAdmitted) throw this.refusal(reserved, foreseen);
    const charge = (headers: Charge['headers']) => new ReservedCharge(headers, reserved, declared, clock);
    const decision = this.decisionOn(reserved, () => this.settle(charge({}).released()));
    try {
      await log.append([encodeEvent(reserved)]);
    } catch (error) {
      // It may be in the log all the same.
      decision.abandon();
      throw error;
    }
    const verdict = await decision.within(this.settings.decidedWithinMs ?? DECIDED_WITHIN_MS);
    if (verdict === undefined) throw undecided();
    if (!verdict.isAdmitted) throw this.refusal(reserved, verdict);
    verdict.exceeded.forEach(this.world.onExceeded);
    return charge({ ...this.headersOf(reserved), ...shadowHeader(verdict.exceeded) });
  }

  /** Of each kind of limit the client that is nearest to it. */
  fullest(): readonly LimitFill[] {
    const declared = this.world.declared();
    return this.ledger.fullestAt((client) => limitsFor(declared, client), this.world.clock.now());
  }

  /** Records the end of a charge that has no result in the log. */
  async settle(records: readonly EncodedEvent[]): Promise<void> {
    if (records.length > 0) await this.world.log.append(records);
  }

  private reservation(
    { id: keyId, tenant }: QuotaClient & { readonly id: string },
    worst: WorstCase,
    models: readonly string[],
    limits: EventOf<'UsageReserved'>['limits'],
  ): EventOf<'UsageReserved'> {
    const nowMs = this.world.clock.now();
    const reservationId = newId();
    return {
      type: 'UsageReserved',
      meta: originMeta({
        ...{ messageId: reservationId, correlationId: reservationId, source: SOURCE, occurredAt: nowMs },
        ...{ sourceClass: 'user', subject: keyId, tenant },
      }),
      ...{ keyId, reservationId, limits, problems: worst.problems },
      tokens: worst.promptTokens + worst.responseTokens,
      money: dearest(this.world.declared(), worst, models, nowMs),
      lapsesAt: nowMs + this.settings.answerWithinMs + GRACE_MS,
    };
  }

  private refusal(reserved: EventOf<'UsageReserved'>, { exceeded }: UsageVerdict): ApiError {
    exceeded.forEach(this.world.onExceeded);
    const { tokens, money, problems = 0, meta } = reserved;
    return quotaRefusal(exceeded, { requests: 1, tokens, money, problems }, this.headersOf(reserved), meta.occurredAt);
  }

  private headersOf({ keyId, limits, meta }: EventOf<'UsageReserved'>): Readonly<Record<string, string>> {
    const client = clientIn(tenantOf(meta), keyId);
    return limitHeaders(this.ledger.usesOf(client, limits, meta.occurredAt), meta.occurredAt);
  }

  /** The log's word on a reservation. One that no request waits for any longer is released when the log admits it. */
  private decisionOn({ reservationId, lapsesAt, meta }: EventOf<'UsageReserved'>, release: () => Promise<void>) {
    const { promise, resolve } = Promise.withResolvers<UsageVerdict | undefined>();
    this.waiting.set(reservationId, resolve);
    const abandon = (): void => {
      this.waiting.set(reservationId, ({ isAdmitted }) => {
        // Without it the reservation lapses, and is charged as it is.
        if (isAdmitted) void release().catch(() => undefined);
      });
      setTimeout(() => this.waiting.delete(reservationId), lapsesAt - meta.occurredAt).unref();
      resolve(undefined);
    };
    const within = async (ms: number): Promise<UsageVerdict | undefined> => {
      const timer = setTimeout(abandon, ms);
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
      }
    };
    return { abandon, within };
  }

  private apply(events: readonly SeamEvent[]): void {
    for (const event of events) {
      const verdict = this.ledger.apply(event);
      if (verdict === undefined || event.type !== 'UsageReserved') continue;
      const told = this.waiting.get(event.reservationId);
      this.waiting.delete(event.reservationId);
      told?.(verdict);
    }
    const nowMs = this.world.clock.now();
    if (nowMs < this.forgottenAtMs + FORGET_EVERY_MS) return;
    this.forgottenAtMs = nowMs;
    this.ledger.forgetBefore(nowMs);
  }
}

/** The most that the worst case may cost; null where the price of one executor is unknown. */
function dearest(
  declared: DeclaredLimits,
  { promptTokens: prompt, responseTokens: completion }: WorstCase,
  models: readonly string[],
  atMs: number,
): number | null {
  const prices = models.map((model) => priceAt(declared, model, atMs));
  const known = prices.filter((price) => price !== undefined);
  if (known.length < prices.length) return null;
  return Math.max(0, ...known.map((price) => moneyOf(price, { prompt, cached: 0, completion })));
}
