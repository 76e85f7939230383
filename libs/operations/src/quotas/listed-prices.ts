/** Prices as people see them: with the time for which each is valid. Pure. */
import type { DeclaredLimits, Price } from './declared-limits.js';

export interface ListedPrice extends Price {
  /** When the next one of its model begins, in milliseconds since the Unix epoch; null: none is declared. It may never have been valid. */
  readonly validUntil: number | null;
}

/** Every declaration, in its order in the log. Of several for one moment the last counts. */
export function listedPrices({ prices }: DeclaredLimits): readonly ListedPrice[] {
  const nextOf = new Map<Price, number>();
  for (const own of Map.groupBy(prices, ({ model }) => model).values()) {
    // Sorting keeps the order of the log where moments are equal.
    const byMoment = own.toSorted((a, b) => a.validFrom - b.validFrom);
    for (const [at, price] of byMoment.entries())
      if (at + 1 < byMoment.length) nextOf.set(price, byMoment[at + 1]!.validFrom);
  }
  return prices.map((price) => ({ ...price, validUntil: nextOf.get(price) ?? null }));
}
