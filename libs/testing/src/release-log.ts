/** The records of a release as people, generators and executors write them, for tests of who decides on it. */
import { type EventOf, originMeta, type ReleaseDraw, type SeamEvent } from '@seamstream/events';
import { canonicalJson } from '@seamstream/kernel';
import { generated, problemOf, published, recorded, withheld } from './log-of.js';

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

/** A deployed problem that no verifier judges: it waits for feedback, or for its deadline. */
export function chatPublished(id: string): EventOf<'ProblemPublished'> {
  const event = published(id) as EventOf<'ProblemPublished'>;
  return { ...event, problem: { ...event.problem, reference: null, verifier: null }, mode: 'deploy' };
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

export interface GuardFacts {
  readonly guardId: string;
  readonly slot?: string;
  /** As a person's plan file has it, whole; null switches the guard off. */
  readonly plan: object | null;
  readonly by?: string;
}

export function guardPlanned({ guardId, slot = 'generator', plan, by = 'ada' }: GuardFacts): EventOf<'GuardPlanned'> {
  return {
    ...{ type: 'GuardPlanned', guardId, slot, plan: plan === null ? null : canonicalJson(plan) },
    meta: originMeta({
      ...{ messageId: `plan-${guardId}`, correlationId: guardId, source: 'seam/test' },
      ...{ occurredAt: 1, sourceClass: 'user' },
    }),
    ...{ plannedBy: by, reason: 'the night is long', attestation: null },
  };
}

export interface GuardedFacts {
  readonly guardId: string;
  readonly adapterDigest?: string | null;
  readonly domain: string;
  readonly treated: boolean;
  readonly controlShare?: number;
  readonly solved: number;
  readonly failed: number;
}

/** Deployed problems of one arm that were drawn under a guard, each with its result. */
export function guardedProblems({
  guardId,
  adapterDigest = null,
  domain,
  treated,
  controlShare = 0.1,
  solved,
  failed,
}: GuardedFacts): readonly SeamEvent[] {
  return Array.from({ length: solved + failed }, (_, i): SeamEvent[] => {
    const id = `guarded-${next++}`;
    const problem = problemOf(id, domain);
    const drawn = {
      problem,
      assignment: { experiment: 'control arm', unit: id, controlShare },
      guard: { guardId, adapterDigest },
    };
    const options = { domain, adapterDigest, arm: treated ? ('deploy' as const) : ('control' as const) };
    const experience = treated
      ? { ...(generated(id, options) as EventOf<'ExperienceGenerated'>), ...drawn }
      : { ...(withheld(id) as EventOf<'ExperienceWithheld'>), ...drawn, share: controlShare };
    return [
      { ...(published(id) as EventOf<'ProblemPublished'>), problem, mode: 'deploy' },
      experience,
      recorded(id, i < solved, options),
    ];
  }).flat();
}
