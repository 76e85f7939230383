/**
 * Which algorithm runs next, from recorded facts alone. GRPO needs groups with both better and worse entries; where
 * nearly all fail it has nothing to compare and its few live groups pull the policy into a corner, so
 * the buffer's successes are imitated first. Where the preferred algorithm brought nothing, the other one has its turn:
 * imitation cannot unlearn, comparing cannot reach what the policy no longer tries.
 */

import { definiteResults } from '@seamstream/experience-groups';
import { z } from 'zod';
import type { ResultEvent } from './learning.types.js';

const fields = {
  /** Imitate (sft) while the explored success rate is below this, then compare (grpo). */
  imitateBelow: z.number().min(0).max(1),
  /** Whose rate is meant: that of all problems, or of the domain that does worst. */
  measure: z.enum(['overall', 'worst-domain']),
  /** Weight of the last round in the running mean of rates; 1 forgets all earlier rounds. */
  smoothing: z.number().gt(0).max(1),
  /** Algorithm until the success rates are high enough. */
  warmUp: z.string(),
  /** Algorithm from then on. */
  refine: z.string(),
  /**
   * The preferred algorithm rests once so many of its last runs in a row were not promoted, for as long as the other's are. 0: it has its
   * turn again after each promotion of the other.
   */
  restAfter: z.int().min(0),
};

export const curriculumConfigSchema = z.strictObject({
  imitateBelow: fields.imitateBelow.default(0.5),
  measure: fields.measure.default('overall'),
  smoothing: fields.smoothing.default(0.5),
  warmUp: fields.warmUp.default('sft'),
  refine: fields.refine.default('grpo'),
  restAfter: fields.restAfter.default(0),
});

/** What differs from a preset. It has no defaults, which would be laid over the preset's values. */
export const curriculumChangesSchema = z.strictObject(fields).partial();

export type CurriculumConfig = z.infer<typeof curriculumConfigSchema>;

/** Running means over rounds, of exploration only. */
export interface CurriculumState {
  readonly rounds: number;
  /** Success rate per domain, 0 … 1. */
  readonly rates: Readonly<Record<string, number>>;
  /** Success rate of all; null before the first verdict. */
  readonly overall: number | null;
}

export const initialCurriculum: CurriculumState = { rounds: 0, rates: {}, overall: null };

/** Folds the results of one round, in any order and however often each is reported: mean ← smoothing · rate + (1 − smoothing) · mean. */
export function evolveCurriculum(
  state: CurriculumState,
  results: readonly ResultEvent[],
  { smoothing }: CurriculumConfig,
): CurriculumState {
  const explored = [...definiteResults(results).values()]
    .filter((result) => result.type === 'OutcomeRecorded')
    .filter(({ arm }) => arm === 'explore');
  // Once an adapter serves, the base model's entries are scouts and say nothing about it.
  const isServed = explored.some(({ adapterDigest }) => adapterDigest !== null);
  const judged = isServed ? explored.filter(({ adapterDigest }) => adapterDigest !== null) : explored;
  const rates: Record<string, number> = { ...state.rates };
  const mixed = (before: number | null | undefined, rate: number): number =>
    before === null || before === undefined ? rate : smoothing * rate + (1 - smoothing) * before;
  for (const [domain, ofDomain] of Map.groupBy(judged, ({ problem }) => problem.domain)) {
    rates[domain] = mixed(rates[domain], successRate(ofDomain));
  }
  const overall = judged.length === 0 ? state.overall : mixed(state.overall, successRate(judged));
  return { rounds: state.rounds + 1, rates, overall };
}

/** What became of a run. */
export interface PreviousRun {
  readonly algorithm: string;
  /** Its adapter serves; otherwise it was refused, rejected or failed. */
  readonly promoted: boolean;
}

/**
 * The algorithm to run after the folded rounds, and the reason in words.
 * @param earlier runs of the windows before, oldest first
 */
export function decideAlgorithm(
  state: CurriculumState,
  { imitateBelow, measure, warmUp, refine, restAfter }: CurriculumConfig,
  earlier: readonly PreviousRun[],
): { readonly algorithm: string; readonly reason: string } {
  const rate =
    measure === 'overall' ? (state.overall ?? 0) : Math.min(...Object.values(state.rates), state.overall ?? 0);
  const [preferred, other] = rate < imitateBelow ? [warmUp, refine] : [refine, warmUp];
  const previous = earlier.at(-1);
  const isRefused = previous?.algorithm === preferred && !previous.promoted;
  // What the other one brings is something new to learn from only until it stops: then the preferred one is tried again.
  const isResting =
    restAfter > 0 && previous?.algorithm === other && previous.promoted && hasFailed(preferred, restAfter, earlier);
  const algorithm = isRefused || isResting ? other : preferred;
  const figures = `explored success ${(rate * 100).toFixed(1)} % (${measure}), threshold ${(imitateBelow * 100).toFixed(1)} %`;
  const what = algorithm === warmUp ? 'imitate successes' : 'compare within groups';
  return {
    algorithm,
    reason: `${figures}: ${what}${isRefused ? `, since the last run of ${preferred} was not promoted` : ''}${isResting ? `, since the last ${restAfter} runs of ${preferred} were not promoted and the last one of ${other} was` : ''}`,
  };
}

/** Whether none of an algorithm's last so many runs was promoted, and there were as many. */
function hasFailed(algorithm: string, runs: number, earlier: readonly PreviousRun[]): boolean {
  const last = earlier.filter((run) => run.algorithm === algorithm).slice(-runs);
  return last.length === runs && last.every(({ promoted }) => !promoted);
}

function successRate(outcomes: readonly { readonly success: boolean }[]): number {
  return outcomes.filter(({ success }) => success).length / outcomes.length;
}
