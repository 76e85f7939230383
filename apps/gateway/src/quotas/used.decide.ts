/** What an executor says that a request used, and what that costs. Pure. */
import { cachedTokens, type DeclaredLimits, moneyAt } from '@seamstream/operations/quotas';
import { type Answered, tokensIn } from '../chat/answered.decide.js';

/** What an executor said that a request used. */
export interface Spent {
  /** As the server said; null where it said nothing. */
  readonly usage: Answered['usage'];
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
