/** What an executor says that a request used, and what that costs. Pure. */
import { cachedTokens, type DeclaredLimits, moneyAt } from '@seamstream/operations/quotas';
import { type ReportedUsage, tokensIn } from './reported-tokens.js';

/** What an executor said that a request used. */
export interface Spent {
  readonly usage: ReportedUsage;
  /** The executor that answered. */
  readonly model: string;
}

export interface Used {
  /** Null: unknown. */
  readonly prompt: number | null;
  readonly completion: number | null;
  /** Millionths of the currency; null where tokens or price are unknown. */
  readonly money: number | null;
}

/** @param atMs the price of that moment counts; milliseconds since the Unix epoch */
export function usedBy({ usage, model }: Spent, declared: DeclaredLimits, atMs: number): Used {
  const [prompt, completion] = [tokensIn(usage, 'prompt_tokens'), tokensIn(usage, 'completion_tokens')];
  const money =
    prompt === null || completion === null
      ? null
      : moneyAt(declared, model, atMs, { prompt, cached: cachedTokens(usage), completion });
  return { prompt, completion, money };
}
