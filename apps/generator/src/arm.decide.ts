/** What is to become of a published problem: nothing any more, no experience, a group to learn from, or one answer. */
import { type Assignment, CONTROL_ARM, isControl, type ProblemPublished } from '@seamstream/events';

export type ArmAssignment = 'expired' | 'control' | 'explore' | 'deploy';

/** How the arm of a problem is drawn: as its publisher says, else by the problem's id alone. */
export function assignmentOf(
  { problem: { problemId }, assignment }: ProblemPublished,
  controlShare: number,
): Assignment {
  return assignment ?? { experiment: CONTROL_ARM, unit: problemId, controlShare };
}

/**
 * The control arm is decided by the unit alone, so that the same unit is always in the same arm, for every caller.
 * @param nowMs milliseconds since the epoch
 * @param controlShare fraction of problems in the control arm
 */
export function assignArm(published: ProblemPublished, nowMs: number, controlShare: number): ArmAssignment {
  const { mode, expiresAt } = published;
  if (expiresAt !== null && expiresAt <= nowMs) return 'expired';
  return isControl(assignmentOf(published, controlShare)) ? 'control' : mode;
}
