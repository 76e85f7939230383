/** Who may use how much, and what it costs, as the log says. Pure: a fold over seam.access. */
import type { EventOf, QuotaMeasure, QuotaWindow, SeamEvent, UsageLimit } from '@seamstream/events';

export const QUOTA_MEASURES = ['requests', 'tokens', 'money', 'problems'] as const satisfies readonly QuotaMeasure[];

/** In place of a client: each one without a separate limit. */
export const EACH_CLIENT = '*';

export interface DeclaredLimit extends UsageLimit {
  readonly keyId: string;
  readonly declaredBy: string;
  readonly declaredAt: number;
}

export type Price = Omit<EventOf<'PriceDeclared'>, 'type' | 'meta'>;

export interface DeclaredLimits {
  /** By client, measure and window. */
  readonly limits: ReadonlyMap<string, DeclaredLimit>;
  /** In their order in the log. */
  readonly prices: readonly Price[];
}

export const NO_LIMITS: DeclaredLimits = { limits: new Map(), prices: [] };

const placeOf = (keyId: string, measure: QuotaMeasure, per: QuotaWindow): string => `${measure}/${per}/${keyId}`;

/** The last declaration counts. */
export function declaredLimitsAfter(declared: DeclaredLimits, event: SeamEvent): DeclaredLimits {
  if (event.type === 'QuotaDeclared') {
    const { keyId, measure, per, limit, mode, declaredBy, meta } = event;
    const limits = new Map(declared.limits);
    const place = placeOf(keyId, measure, per);
    if (limit === null) limits.delete(place);
    else limits.set(place, { keyId, measure, per, limit, mode, declaredBy, declaredAt: meta.occurredAt });
    return { ...declared, limits };
  }
  if (event.type === 'PriceDeclared') {
    const { type: _, meta: __, ...price } = event;
    return { ...declared, prices: [...declared.prices, price] };
  }
  return declared;
}

/** The limits of a client: its separate ones, and those of each client for the rest. */
export function limitsFor({ limits }: DeclaredLimits, keyId: string): readonly UsageLimit[] {
  return [...limits.values()]
    .filter(
      (each) =>
        each.keyId === keyId || (each.keyId === EACH_CLIENT && !limits.has(placeOf(keyId, each.measure, each.per))),
    )
    .map(({ measure, per, limit, mode }) => ({ measure, per, limit, mode }));
}

/** What a model's tokens cost at a moment; undefined: none is declared. Of several declarations for one moment the last counts. */
export function priceAt({ prices }: DeclaredLimits, model: string, atMs: number): Price | undefined {
  return prices
    .filter((price) => price.model === model && price.validFrom <= atMs)
    .reduce<Price | undefined>(
      (latest, price) => (latest === undefined || price.validFrom >= latest.validFrom ? price : latest),
      undefined,
    );
}

/** Tokens that were used. */
export interface TokensUsed {
  readonly prompt: number;
  /** Of the prompt's. */
  readonly cached: number;
  readonly completion: number;
}

const MILLION = 1_000_000;

/** Price of one request in millionths of the currency, rounded up: a request that costs something never costs 0. */
export function moneyOf(price: Price, { prompt, cached, completion }: TokensUsed): number {
  const fromCache = Math.min(cached, prompt);
  const cachedPrice = price.cachedPromptPerMillion ?? price.promptPerMillion;
  return Math.ceil(
    ((prompt - fromCache) * price.promptPerMillion +
      fromCache * cachedPrice +
      completion * price.completionPerMillion) /
      MILLION,
  );
}

/** The same at the price of a moment; null where none is declared. @param atMs milliseconds since the Unix epoch */
export function moneyAt(declared: DeclaredLimits, model: string, atMs: number, used: TokensUsed): number | null {
  const price = priceAt(declared, model, atMs);
  return price === undefined ? null : moneyOf(price, used);
}

/**
 * Of the prompt's tokens those that the server had in its cache, as its usage says (`prompt_tokens_details.cached_tokens`). 0 where it names
 * none: then all cost the full price.
 */
export function cachedTokens(usage: unknown): number {
  const details = (usage as { readonly prompt_tokens_details?: unknown } | null)?.prompt_tokens_details;
  const cached = (details as { readonly cached_tokens?: unknown } | null | undefined)?.cached_tokens;
  return Number.isSafeInteger(cached) && (cached as number) >= 0 ? (cached as number) : 0;
}
