/** The records of a release as people, generators and executors write them, for tests of who decides on it. */
import { type EventOf, originMeta, type ReleaseDraw, type SeamEvent } from '@seamstream/events';
import { canonicalJson } from '@seamstream/kernel';
import { generated, published, recorded } from './log-of.js';

export interface PlannedFacts {
  readonly releaseId: string;
  readonly candidate: string;
  readonly parent?: string | null;
  readonly slot?: string;
  /** As a person's plan file has it, whole. */
  readonly plan: object;
}

export function releasePlanned({
  releaseId,
  candidate,
  parent = null,
  slot = 'generator',
  plan,
}: PlannedFacts): EventOf<'ReleasePlanned'> {
  return {
    ...{ type: 'ReleasePlanned', releaseId, slot, candidate, parent, plan: canonicalJson(plan) },
    meta: originMeta({
      messageId: `plan-${releaseId}`,
      correlationId: candidate,
      source: 'seam/test',
      occurredAt: 1,
      sourceClass: 'user',
    }),
    ...{ plannedBy: 'ada', reason: 'it learned the new domain', attestation: null },
  };
}

export interface TriedFacts {
  readonly releaseId: string;
  readonly stage?: number;
  readonly share?: number;
  readonly isCandidate: boolean;
  readonly solved: number;
  readonly failed: number;
}

let next = 0;

/** Deployed problems that one adapter of a canary was drawn for, each with its result. */
export function triedProblems({
  releaseId,
  stage = 0,
  share = 0.25,
  isCandidate,
  solved,
  failed,
}: TriedFacts): readonly SeamEvent[] {
  return Array.from({ length: solved + failed }, (_, i): SeamEvent[] => {
    const id = `tried-${next++}`;
    const release: ReleaseDraw = { releaseId, stage, unit: id, share, isCandidate };
    return [
      { ...(published(id) as EventOf<'ProblemPublished'>), mode: 'deploy' },
      { ...(generated(id, { arm: 'deploy' }) as EventOf<'ExperienceGenerated'>), release },
      recorded(id, i < solved, { arm: 'deploy' }),
    ];
  }).flat();
}
