/** By how much validation flatters an adapter: who is promoted was lucky a little. Pure. */
import type { Report } from './report.types.js';

type Rates = Readonly<Record<string, number>>;

/**
 * Mean success over the domains that are held out as well, so that equals are compared.
 * @param rates fractions by domain: at the promotion, as the parent in comparisons since (empty before one), and held out
 * @returns null where no domain has both a promotion and held-out problems
 */
export function optimismOf(rates: {
  readonly atPromotion: Rates;
  readonly since: Rates;
  readonly heldOut: Rates;
}): Report['optimism'] {
  const domains = Object.keys(rates.heldOut).filter((domain) => domain in rates.atPromotion);
  if (domains.length === 0) return null;
  const mean = (of: Rates): number => domains.reduce((sum, domain) => sum + (of[domain] ?? 0), 0) / domains.length;
  return {
    atPromotion: mean(rates.atPromotion),
    since: domains.every((domain) => domain in rates.since) ? mean(rates.since) : null,
    heldOut: mean(rates.heldOut),
  };
}
