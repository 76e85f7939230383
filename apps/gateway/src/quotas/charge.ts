/** Room that a request has reserved of its client and of its tenant, until its end is in the log. */
import { deriveMeta, type EncodedEvent, type EventOf, encodeEvent } from '@seamstream/events';
import type { Clock } from '@seamstream/kernel';
import type { DeclaredLimits } from '@seamstream/operations/quotas';
import { tokensIn } from './reported-tokens.js';
import { type Spent, usedBy } from './used.decide.js';

export interface Charge {
  /** For the client: what is left. */
  readonly headers: Readonly<Record<string, string>>;
  /** The executor is asked from now on: what it did not report is charged as it was reserved. */
  begin(): void;
  /** What the log gets with the result of the request. */
  charged(spent: Spent): readonly EncodedEvent[];
  /** The same, where no executor is asked: requests and problems count, tokens and money do not. */
  taken(): readonly EncodedEvent[];
  /** The same, where nothing was done. */
  released(): readonly EncodedEvent[];
}

/** Of a client without limits, in a tenant without limits: nothing is reserved. */
export const UNLIMITED: Charge = {
  headers: {},
  begin: () => undefined,
  charged: () => [],
  taken: () => [],
  released: () => [],
};

export class ReservedCharge implements Charge {
  private hasBegun = false;

  constructor(
    readonly headers: Readonly<Record<string, string>>,
    /** One moment's, at least one. */
    private readonly reserved: readonly EventOf<'UsageReserved'>[],
    private readonly declared: () => DeclaredLimits,
    private readonly clock: Clock,
  ) {}

  begin(): void {
    this.hasBegun = true;
  }

  charged(spent: Spent): readonly EncodedEvent[] {
    if (!this.hasBegun && spent.usage === null) return this.released();
    const { prompt, completion, money } = usedBy(spent, this.declared(), this.reserved[0]!.meta.occurredAt);
    const tokens = prompt !== null && completion !== null ? prompt + completion : tokensIn(spent.usage, 'total_tokens');
    return this.settled({ outcome: 'charged', tokens, money });
  }

  taken(): readonly EncodedEvent[] {
    return this.settled({ outcome: 'charged', tokens: 0, money: 0 });
  }

  released(): readonly EncodedEvent[] {
    return this.settled({ outcome: 'released', tokens: null, money: null });
  }

  private settled(how: Pick<EventOf<'UsageSettled'>, 'outcome' | 'tokens' | 'money'>): readonly EncodedEvent[] {
    return this.reserved.map(({ meta, keyId, reservationId }) => {
      const settled = deriveMeta(meta, { role: 'settled', source: meta.source, occurredAt: this.clock.now() });
      return encodeEvent({ type: 'UsageSettled', meta: settled, keyId, reservationId, ...how });
    });
  }
}
