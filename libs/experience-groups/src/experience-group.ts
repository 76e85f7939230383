/**
 * The group: all attempts at one problem that were asked for at once. A trainer compares its members, so everybody must agree on which
 * result of a member counts and on when the group is complete. Both are functions of the set of results: neither order nor repetition matters.
 *
 *   verdict (OutcomeRecorded)  ›  none (ExecutionFailed, AttemptUngraded)      of two of a kind: the smaller id
 */
import { areOfOneRevision, attemptIdOf, type EventOf, type SeamEvent } from '@seamstream/events';
import { compareText } from '@seamstream/kernel';

/** What an attempt came to. One that failed in execution, or that was not judged, is in and has no verdict. */
export type AttemptResult = EventOf<'OutcomeRecorded'> | EventOf<'ExecutionFailed'> | EventOf<'AttemptUngraded'>;

export function isAttemptResult(event: SeamEvent): event is AttemptResult {
  return event.type === 'OutcomeRecorded' || event.type === 'ExecutionFailed' || event.type === 'AttemptUngraded';
}

interface Definiteness {
  readonly hasVerdict: boolean;
  /** Of the result; equal ids are the same result repeated. */
  readonly id: string;
}

/** Negative where `a` counts before `b`. */
export function compareDefiniteness(a: Definiteness, b: Definiteness): number {
  return Number(b.hasVerdict) - Number(a.hasVerdict) || compareText(a.id, b.id);
}

const definitenessOf = ({ type, meta }: AttemptResult): Definiteness => ({
  hasVerdict: type === 'OutcomeRecorded',
  id: meta.messageId,
});

/** By attempt the result that counts. Of results with one id the first given stays. */
export function definiteResults(results: Iterable<AttemptResult>): ReadonlyMap<string, AttemptResult> {
  const definite = new Map<string, AttemptResult>();
  for (const result of results) {
    const attemptId = attemptIdOf(result);
    const known = definite.get(attemptId);
    if (known === undefined || compareDefiniteness(definitenessOf(result), definitenessOf(known)) < 0)
      definite.set(attemptId, result);
  }
  return definite;
}

/** Whether every attempt that was asked for has a result. @param members attempts that have one */
export function isComplete({ groupSize, members }: { readonly groupSize: number; readonly members: number }): boolean {
  return members >= groupSize;
}

/** Whether results can be compared: their verdicts are of one model in one revision. One that is no model's opinion goes with any. */
export function areJudgedAlike(results: Iterable<Pick<EventOf<'OutcomeRecorded'>, 'judge'>>): boolean {
  return areOfOneRevision([...results].map(({ judge }) => judge));
}

/** What the results of a group say, as far as they are in. */
export interface GroupStanding {
  readonly groupSize: number;
  /** Attempts that have a result. */
  readonly members: number;
  /** Whether an attempt succeeded, whether one has a verdict, and whether one is left without a verdict because no person judged it in time. */
  readonly isSolved: boolean;
  readonly isJudged: boolean;
  readonly isUngraded: boolean;
}

/** By the result of each attempt that counts. */
export function standingOfGroup(groupSize: number, results: Iterable<AttemptResult>): GroupStanding {
  const counting = [...definiteResults(results).values()];
  return {
    ...{ groupSize, members: counting.length },
    isSolved: counting.some((result) => result.type === 'OutcomeRecorded' && result.success),
    isJudged: counting.some(({ type }) => type === 'OutcomeRecorded'),
    isUngraded: counting.some(({ type }) => type === 'AttemptUngraded'),
  };
}

/**
 * What the groups of one problem came to: one success solves it, at any time; otherwise all attempts must be in. One that no person judged is
 * ungraded, unless another attempt has a verdict. Null as long as it is open.
 */
export function settledAs(groups: readonly GroupStanding[]): 'solved' | 'failed' | 'ungraded' | null {
  if (groups.some(({ isSolved }) => isSolved)) return 'solved';
  if (groups.length === 0 || !groups.every(isComplete)) return null;
  const isUngraded = groups.some((group) => group.isUngraded) && !groups.some(({ isJudged }) => isJudged);
  return isUngraded ? 'ungraded' : 'failed';
}
