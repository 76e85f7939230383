/** What tokens cost now: as a person says for one command, or else as the log declares. Pure. */
import { type DeclaredLimits, moneyOf, type Price, priceAt } from '../quotas/index.js';

/** Of a million tokens, in millionths of the currency. */
export type GivenPrice = Pick<Price, 'promptPerMillion' | 'completionPerMillion'>;

interface ReadAndWritten {
  readonly prompt: number;
  readonly completion: number;
}

/** By the name that answers or entries record for a model. */
export type GivenPrices = ReadonlyMap<string, GivenPrice>;

export interface KnownPrices {
  /** Of the log's prices; null where it has none. */
  readonly currency: string | null;
  /** In millionths; null where the model has no price. What was not used costs nothing, with and without a price. */
  moneyOf(model: string, used: ReadAndWritten): number | null;
}

/** @param atMs the moment whose declared prices count */
export function knownPrices(declared: DeclaredLimits, given: GivenPrices, atMs: number): KnownPrices {
  return {
    currency: declared.prices[0]?.currency ?? null,
    moneyOf(model, used) {
      if (used.prompt + used.completion === 0) return 0;
      const price = given.get(model) ?? priceAt(declared, model, atMs);
      if (price === undefined) return null;
      return moneyOf({ cachedPromptPerMillion: null, ...price }, { ...used, cached: 0 });
    },
  };
}
