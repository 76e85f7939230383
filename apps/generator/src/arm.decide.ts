/** What is to become of a published problem: nothing any more, no experience, a group to learn from, or one answer. */
import type { ProblemPublished } from '@seamstream/events';
import { Random } from '@seamstream/kernel';

export type ArmAssignment = 'expired' | 'control' | 'explore' | 'deploy';

/**
 * The control arm is decided by the problem's id alone, so that the same problem is always in the same arm, for every caller.
 * @param nowMs milliseconds since the epoch
 * @param controlShare fraction of problems in the control arm
 */
export function assignArm(
  { problem, mode, expiresAt }: ProblemPublished,
  nowMs: number,
  controlShare: number,
): ArmAssignment {
  if (expiresAt !== null && expiresAt <= nowMs) return 'expired';
  return Random.of('control arm', problem.problemId).float() < controlShare ? 'control' : mode;
}
