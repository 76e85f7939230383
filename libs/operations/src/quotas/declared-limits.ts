/** Who may use how much, and what it costs, as the log says: a fold over seam.access, and what is asked of it. */
import {
  clientIn,
  clientNamed,
  type EventOf,
  type QuotaMeasure,
  type QuotaWindow,
  type SeamEvent,
  tenantOf,
  type UsageLimit,
} from '@seamstream/events';
import { QUOTA_WINDOWS } from './windows.js';

export const QUOTA_MEASURES = ['requests', 'tokens', 'money', 'problems'] as const satisfies readonly QuotaMeasure[];

/** In place of a client: each one without a separate limit. Behind a tenant (`acme/*`): each of that tenant. */
export const EACH_CLIENT = '*';

/** In place of a client: its tenant as a whole (`acme/whole`). No key and no user has such a name. */
export const WHOLE_TENANT = 'whole';

export interface DeclaredLimit extends UsageLimit {
  /** The client of its tenant, as clientIn names it. */
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

const placeOf = (client: string, measure: QuotaMeasure, per: QuotaWindow): string => `${measure}/${per}/${client}`;

/** Takes in events in place: each costs the same, however many limits there are. */
export class FoldedLimits implements DeclaredLimits {
  readonly limits = new Map<string, DeclaredLimit>();
  readonly prices: Price[] = [];

  /** The last declaration counts. */
  apply(event: SeamEvent): void {
    if (event.type === 'QuotaDeclared') {
      const { keyId, measure, per, limit, mode, declaredBy, meta } = event;
      const client = clientIn(tenantOf(meta), keyId);
      const place = placeOf(client, measure, per);
      if (limit === null) this.limits.delete(place);
      else
        this.limits.set(place, { keyId: client, measure, per, limit, mode, declaredBy, declaredAt: meta.occurredAt });
    }
    if (event.type === 'PriceDeclared') {
      const { type: _, meta: __, ...price } = event;
      this.prices.push(price);
    }
  }
}

export function limitsAfter(events: Iterable<SeamEvent>): DeclaredLimits {
  const declared = new FoldedLimits();
  for (const event of events) declared.apply(event);
  return declared;
}

/** Who is charged for a request: a client, or a tenant as a whole. */
export interface Payer {
  /** The client, or WHOLE_TENANT. */
  readonly keyId: string;
  /** At least one. */
  readonly limits: readonly UsageLimit[];
}

/** Who has limits of a client and its tenant, the client first. */
export function payersOf(declared: DeclaredLimits, tenant: string, client: string): readonly Payer[] {
  return [client, WHOLE_TENANT]
    .map((keyId) => ({ keyId, limits: limitsFor(declared, clientIn(tenant, keyId)) }))
    .filter(({ limits }) => limits.length > 0);
}

/**
 * The declarations that hold for a client: its separate ones, for the rest those of each client of its tenant, and for the rest those of each
 * client. A tenant as a whole has its own alone. By measure and window. The work does not grow with the limits of others.
 * @param client of its tenant, as clientIn names it
 */
export function declaredFor({ limits }: DeclaredLimits, client: string): readonly DeclaredLimit[] {
  const [tenant, keyId] = clientNamed(client);
  const names = keyId === WHOLE_TENANT ? [client] : [client, clientIn(tenant, EACH_CLIENT), EACH_CLIENT];
  return QUOTA_MEASURES.flatMap((measure) =>
    QUOTA_WINDOWS.flatMap((per) => {
      const holding = names.find((name) => limits.has(placeOf(name, measure, per)));
      return holding === undefined ? [] : [limits.get(placeOf(holding, measure, per))!];
    }),
  );
}

/** Whether a limit names just this client. @param client of its tenant, as clientIn names it */
export function isNamedIn(declared: DeclaredLimits, client: string): boolean {
  return declaredFor(declared, client).some(({ keyId }) => keyId === client);
}

/** The limits of a client, without who declared them. @param client of its tenant, as clientIn names it */
export function limitsFor(declared: DeclaredLimits, client: string): readonly UsageLimit[] {
  return declaredFor(declared, client).map(({ measure, per, limit, mode }) => ({ measure, per, limit, mode }));
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

type TokenPrices = Pick<Price, 'promptPerMillion' | 'cachedPromptPerMillion' | 'completionPerMillion'>;

/** Price of one request in millionths of the currency, rounded up: a request that costs something never costs 0. */
export function moneyOf(price: TokenPrices, { prompt, cached, completion }: TokensUsed): number {
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
