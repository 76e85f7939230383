/** What one problem has cost: its attempts, and the entries that were written for it. Pure. */
import { attemptIdOf, type EventOf } from '@seamstream/events';
import { type DeclaredLimits, moneyAt } from '../quotas/index.js';
import { NO_COST, type PartCost, plusItem } from './extra-solved.decide.js';
import { type Executed, moneyOfAttempt } from './spent-cost.js';

export interface ProblemCost {
  /** Null: no price is declared. */
  readonly currency: string | null;
  readonly executor: PartCost;
  readonly generator: PartCost;
}

export const NO_PROBLEM_COST: ProblemCost = { currency: null, executor: NO_COST, generator: NO_COST };

/** @param events of one problem of one tenant, answers before outcomes */
export function problemCostOf(
  events: readonly (Executed | EventOf<'ExperienceGenerated'>)[],
  declared: DeclaredLimits,
): ProblemCost {
  let { executor, generator } = NO_PROBLEM_COST;
  // An answer that feedback settled is an outcome as well. It was asked once.
  const seen = new Set<string>();
  for (const event of events) {
    const id = event.type === 'ExperienceGenerated' ? `entry ${event.experienceId}` : attemptIdOf(event);
    if (seen.has(id)) continue;
    seen.add(id);
    if (event.type === 'ExperienceGenerated') generator = plusItem(generator, moneyOfEntry(event, declared));
    else executor = plusItem(executor, moneyOfAttempt(event, declared));
  }
  return { currency: declared.prices[0]?.currency ?? null, executor, generator };
}

/** The price of a generator's model is declared under the digest of its base model, as entries record it. */
export function moneyOfEntry(entry: EventOf<'ExperienceGenerated'>, declared: DeclaredLimits): number | null {
  const used = { prompt: entry.promptTokenIds.length, cached: 0, completion: entry.tokenIds.length };
  return moneyAt(declared, entry.baseModelDigest, entry.meta.occurredAt, used);
}
