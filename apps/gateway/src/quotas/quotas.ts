/**
 * Limits of clients, and of tenants as a whole. A request with limits reserves its worst case in the log, reads whether the log admits it, and
 * settles with its result. So instances agree without a word to each other, and one that starts again knows what was used.
 *
 * A tenant has a separate reservation, as if it were one more client: each is decided from the records of one partition. Both are appended
 * at once. The request is answered where both are admitted; where one is not, the other is released.
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
import type { PlacedEvent } from '@seamstream/log-reader';
import {
  type DeclaredLimits,
  type LimitFill,
  limitsFor,
  moneyOf,
  type Payer,
  payersOf,
  priceAt,
  UsageLedger,
  type UsageVerdict,
  usageStart,
} from '@seamstream/operations/quotas';
import type { Principal } from '../access/principal.js';
import { followTopic } from '../follow-topic.js';
import type { ApiError } from '../http/api-error.js';
import { SOURCE } from '../source.js';
import { type Charge, ReservedCharge, UNLIMITED } from './charge.js';
import { limitHeaders, type PayerUse, payerNamed, quotaRefusal, shadowHeader, undecided } from './refusal.decide.js';
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
  /** Learns of all that is read of seam.usage, so that no one else needs to read it. */
  readonly onRead?: (placed: readonly PlacedEvent[]) => void;
}

type Reserved = EventOf<'UsageReserved'>;

/** Who uses: without an id the gateway is open, and has no limits. */
type QuotaClient = Pick<Principal, 'id' | 'tenant'>;

export interface QuotasSettings {
  /** Longest time for a whole answer: then a reservation without a settlement is charged as it is. */
  readonly answerWithinMs: number;
  readonly decidedWithinMs?: number;
}

export class Quotas {
  /** What clients have used. */
  readonly ledger = new UsageLedger();
  /** Grows with what is read. */
  changes = 0;
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
      { topic: TOPIC.usage, sinceMs: usageStart(world.clock.now()), apply: (...read) => quotas.apply(...read) },
      signal,
    );
    return [quotas, reading];
  }

  /**
   * Room for one request; a client without limits needs none, unless its tenant has some.
   * @param worstCase asked where there are limits: it reads the whole request
   * @param models executors that may answer: the dearest counts
   * @throws ApiError 429 without room, 503 where the log does not say
   */
  async reserve(client: QuotaClient, worstCase: () => WorstCase, models: readonly string[]): Promise<Charge> {
    const { clock, declared, log } = this.world;
    const { id, tenant } = client;
    const payers = id === null ? [] : payersOf(declared(), tenant, id);
    if (id === null || payers.length === 0) return UNLIMITED;
    const reserved = this.reservations({ id, tenant }, worstCase(), models, payers);
    // A flood above a limit is refused without a record. Where this instance knows too little, the log decides.
    const foreseen = reserved.map((each) => this.ledger.verdictOn({ ...each, atMs: each.meta.occurredAt }));
    if (!foreseen.every(({ isAdmitted }) => isAdmitted)) throw this.refusal(reserved, foreseen);
    const charge = (of: typeof reserved, headers = {}) => new ReservedCharge(headers, of, declared, clock);
    const decisions = reserved.map((each) => this.decisionOn(each, () => this.settle(charge([each]).released())));
    try {
      await log.append(reserved.map(encodeEvent));
    } catch (error) {
      // They may be in the log all the same.
      for (const { abandon } of decisions) abandon();
      throw error;
    }
    const withinMs = this.settings.decidedWithinMs ?? DECIDED_WITHIN_MS;
    const verdicts = await Promise.all(decisions.map(({ within }) => within(withinMs)));
    const admitted = reserved.filter((_, at) => verdicts[at]?.isAdmitted === true);
    if (admitted.length < reserved.length) {
      // Without it they lapse, and are charged as they are.
      await this.settle(charge(admitted).released()).catch(() => undefined);
      throw verdicts.some((each) => each?.isAdmitted === false) ? this.refusal(reserved, verdicts) : undecided();
    }
    const exceeded = exceededOf(reserved, verdicts);
    exceeded.forEach(this.world.onExceeded);
    return charge(reserved, { ...this.headersOf(reserved), ...shadowHeader(exceeded) });
  }

  /** Of each kind of limit the client or tenant that is nearest to it. */
  fullest(): readonly LimitFill[] {
    const declared = this.world.declared();
    return this.ledger.fullestAt((client) => limitsFor(declared, client), this.world.clock.now());
  }

  /** Records the end of a charge that has no result in the log. */
  async settle(records: readonly EncodedEvent[]): Promise<void> {
    if (records.length > 0) await this.world.log.append(records);
  }

  private reservations(
    { id: subject, tenant }: QuotaClient & { readonly id: string },
    worst: WorstCase,
    models: readonly string[],
    payers: readonly Payer[],
  ): readonly Reserved[] {
    const nowMs = this.world.clock.now();
    const wanted = {
      problems: worst.problems,
      tokens: worst.promptTokens + worst.responseTokens,
      money: dearest(this.world.declared(), worst, models, nowMs),
      lapsesAt: nowMs + this.settings.answerWithinMs + GRACE_MS,
    };
    return payers.map((payer) => {
      const reservationId = newId();
      const meta = originMeta({
        ...{ messageId: reservationId, correlationId: reservationId, source: SOURCE, occurredAt: nowMs },
        ...{ sourceClass: 'user', subject, tenant },
      });
      return { type: 'UsageReserved', meta, ...payer, reservationId, ...wanted };
    });
  }

  private refusal(reserved: readonly Reserved[], verdicts: readonly (UsageVerdict | undefined)[]): ApiError {
    const exceeded = exceededOf(reserved, verdicts);
    exceeded.forEach(this.world.onExceeded);
    const { tokens, money, problems = 0, meta } = reserved[0]!;
    const wanted = { requests: 1, tokens, money, problems };
    const who = { id: meta.subject!, tenant: tenantOf(meta) };
    return quotaRefusal(exceeded, wanted, this.headersOf(reserved), { who, atMs: meta.occurredAt });
  }

  private headersOf(reserved: readonly Reserved[]): Readonly<Record<string, string>> {
    const uses = reserved.flatMap(({ keyId, limits, meta }) =>
      this.ledger.usesOf(clientIn(tenantOf(meta), keyId), limits, meta.occurredAt),
    );
    return limitHeaders(uses, reserved[0]!.meta.occurredAt);
  }

  /** The log's word on a reservation. One that no request waits for any longer is released when the log admits it. */
  private decisionOn({ reservationId, lapsesAt, meta }: Reserved, release: () => Promise<void>) {
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
      const timer = setTimeout(abandon, ms).unref();
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
      }
    };
    return { abandon, within };
  }

  private apply(events: readonly SeamEvent[], placed: readonly PlacedEvent[]): void {
    this.changes++;
    this.world.onRead?.(placed);
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

/** Limits without room, each with whose it is. */
function exceededOf(
  reserved: readonly Reserved[],
  verdicts: readonly (UsageVerdict | undefined)[],
): readonly PayerUse[] {
  return reserved.flatMap(({ keyId }, at) =>
    (verdicts[at]?.exceeded ?? []).map((use) => ({ ...use, payer: payerNamed(keyId) })),
  );
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
