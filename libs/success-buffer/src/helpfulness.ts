/**
 * How much a success owes to its entry. A pair from a group that mostly failed carries information that the others
 * lacked; a success in a domain whose problems are solved without any entry carries little.
 */
import type { BufferConfig } from './buffer.config.js';
import type { Difficulty } from './buffer.types.js';
import { type Group, resultsOf } from './buffer-state.js';

/** Verdicts of a set of results; infrastructure failures are none. */
export interface Tally {
  readonly solved: number;
  readonly judged: number;
}

export function tallyOf(group: Group): Tally {
  let solved = 0;
  let judged = 0;
  for (const member of resultsOf(group)) {
    if (member.status === 'failed') continue;
    judged++;
    if (member.status === 'solved') solved++;
  }
  return { solved, judged };
}

/**
 * Success rate of the group, 0 … 1. One verdict alone is no contrast (a deployed answer, or a group whose other
 * members failed): 1/2, which says nothing in either direction.
 */
export function groupSuccessRate({ solved, judged }: Tally): number {
  return judged < 2 ? 0.5 : solved / judged;
}

/** Success rate per domain of problems answered without an entry; domains without a verdict are absent. */
export function controlSuccessRates(controls: Iterable<Group>): ReadonlyMap<string, number> {
  const tallies = new Map<string, Tally>();
  for (const group of controls) {
    const tally = tallyOf(group);
    const sum = tallies.get(group.domain) ?? { solved: 0, judged: 0 };
    tallies.set(group.domain, { solved: sum.solved + tally.solved, judged: sum.judged + tally.judged });
  }
  const rates = new Map<string, number>();
  for (const [domain, { solved, judged }] of tallies) if (judged > 0) rates.set(domain, solved / judged);
  return rates;
}

/** (1 − group success rate) × (1 − the control arm's success rate in the domain, 0 where it is unknown). */
export function helpfulness(groupRate: number, controlRate: number | undefined): number {
  return (1 - groupRate) * (1 - (controlRate ?? 0));
}

/**
 * Preference class of a pair, 0 (least) … classes − 1. Only the group counts: the control's rate is the same for the
 * whole stratum and cannot change an order within it.
 */
export function helpfulnessClass({ solved, judged }: Tally, classes: number): number {
  const [failures, total] = judged < 2 ? [1, 2] : [judged - solved, judged];
  return Math.min(classes - 1, Math.floor((failures * classes) / total));
}

export function difficultyOf(groupRate: number, { difficulty }: BufferConfig): Difficulty {
  if (groupRate <= difficulty.hardUpTo) return 'hard';
  return groupRate >= difficulty.easyFrom ? 'easy' : 'medium';
}
