/** What is to become of a published problem: nothing any more, no experience, a group to learn from, or one answer. */
import {
  type Assignment,
  CONTROL_ARM,
  type GuardMark,
  isControl,
  type ProblemPublished,
  type ReleaseDraw,
} from '@seamstream/events';
import { controlShareIn, type GuardInForce } from '@seamstream/release';

export type ArmAssignment = 'expired' | 'control' | 'explore' | 'deploy';

/**
 * How the arm of a problem is drawn: as its publisher says, else by the problem's id alone, with a larger control arm where its domain is muted.
 * Groups to learn from are never muted: no client gets their answers.
 */
export function assignmentOf(
  { mode, problem: { problemId, domain }, assignment }: ProblemPublished,
  controlShare: number,
  guard: GuardInForce | undefined,
): Assignment {
  const share = mode === 'deploy' ? controlShareIn(guard, domain, controlShare) : controlShare;
  return assignment ?? { experiment: CONTROL_ARM, unit: problemId, controlShare: share };
}

/**
 * The control arm is decided by the unit alone, so that the same unit is always in the same arm, for every caller.
 * @param nowMs milliseconds since the epoch
 */
export function assignArm({ mode, expiresAt }: ProblemPublished, nowMs: number, assignment: Assignment): ArmAssignment {
  if (expiresAt !== null && expiresAt <= nowMs) return 'expired';
  return isControl(assignment) ? 'control' : mode;
}

/**
 * The guard that counts a problem, in either arm alike; null where none does. Where a release draws its candidate for the unit, the served adapter
 * is not what is measured.
 */
export function guardMarkOf(
  { mode }: ProblemPublished,
  draw: ReleaseDraw | null,
  guard: GuardInForce | undefined,
): GuardMark | null {
  if (guard === undefined || mode !== 'deploy' || draw?.isCandidate === true) return null;
  return { guardId: guard.guardId, adapterDigest: guard.adapterDigest };
}
