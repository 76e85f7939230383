/**
 * How much a success owes to its entry. A pair from a group that mostly failed carries information that the others
 * lacked; a success in a domain whose problems are solved without any entry carries little.
 */
import type { BufferConfig } from './buffer.config.js';
import type { Difficulty } from './buffer.types.js';
import { type Group, resultsOf } from './group.js';

/** Verdicts of a set of results. Infrastructure failures do not count. */
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
 * Success rate of the group, 0 … 1. One verdict alone gives no contrast (a deployed answer, or a group whose other
 * members failed). Then it is 1/2, which says nothing in either direction.
 */
export function groupSuccessRate({ solved, judged }: Tally): number {
  return judged < 2 ? 0.5 : solved / judged;
}

/** Success rates per domain of problems answered without an entry, kept up to date group by group. */
export class ControlRates {
  private readonly groups = new Map<string, Tally>();
  private readonly domains = new Map<string, Tally>();

  /** Takes in how a group of the control arm is now. */
  set(group: Group): void {
    const before = this.groups.get(group.groupId) ?? { solved: 0, judged: 0 };
    const now = tallyOf(group);
    const sum = this.domains.get(group.domain) ?? { solved: 0, judged: 0 };
    this.domains.set(group.domain, {
      solved: sum.solved - before.solved + now.solved,
      judged: sum.judged - before.judged + now.judged,
    });
    if (group.members.size > 0) this.groups.set(group.groupId, now);
    else this.groups.delete(group.groupId);
  }

  /** Undefined for a domain without a verdict. */
  rateOf(domain: string): number | undefined {
    const tally = this.domains.get(domain);
    return tally === undefined || tally.judged === 0 ? undefined : tally.solved / tally.judged;
  }
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
