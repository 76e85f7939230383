/** Which adapter writes for a problem while a release is tried. */
import { isAnsweredElsewhere, isControl, type ProblemPublished, type ReleaseDraw } from '@seamstream/events';
import type { ReleaseStage } from '@seamstream/release';

/** The stage of a release that runs now. */
export interface RunningStage {
  readonly releaseId: string;
  readonly stage: number;
  readonly planned: ReleaseStage;
}

/**
 * The draw of a problem; undefined where it has no part in the release. Only one answer that is deployed is tried: groups are for learning from the
 * served adapter. Both adapters write for a shadow, but not where a client waits for the answer elsewhere.
 * A release is its own salt, and a larger share keeps the units that a smaller one had: no unit changes back and forth.
 */
export function releaseDrawOf(
  published: ProblemPublished,
  { releaseId, stage, planned }: RunningStage,
): ReleaseDraw | undefined {
  const { mode, assignment, problem } = published;
  if (mode !== 'deploy') return undefined;
  const unit = assignment?.unit ?? problem.problemId;
  switch (planned.kind) {
    case 'validation':
      return undefined;
    case 'shadow':
      return isAnsweredElsewhere(published) ? undefined : { releaseId, stage, unit, share: null, isCandidate: false };
    case 'canary': {
      const { share } = planned;
      return {
        releaseId,
        stage,
        unit,
        share,
        isCandidate: !isControl({ experiment: releaseId, unit, controlShare: 1 - share }),
      };
    }
  }
}
