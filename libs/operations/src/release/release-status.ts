/** How releases stand: what was decided, and what the rule says now. */
import { isMeant, LEAST_OF_ID, onOneLine, SeamError, shortId } from '@seamstream/kernel';
import {
  type RefusedRelease,
  type Release,
  type ReleaseEvidence,
  type ReleaseStage,
  type StageDecision,
  type StageEstimate,
  servedIn,
  stageEstimate,
} from '@seamstream/release';
import type { KeptLog, ReadingOptions } from '../read-models/index.js';
import { type GuardsStatus, guardsStatus, type PlainGuards, plainGuards } from './guard-status.js';
import { decisionNow, evidenceOf, type ReleaseFacts } from './release-evidence.js';
import { readFacts } from './release-facts.js';

export interface ReleaseStatus {
  readonly release: Release;
  readonly evidence: ReleaseEvidence;
  /** What the rule says of the running stage; null where none runs. */
  readonly now: StageDecision | null;
  /** Of its plan, in their order. */
  readonly stages: readonly StageStatus[];
  /** Who keeps what is served: the release stays undecided as long, where its rule would promote. Null: no person does. */
  readonly pin: { readonly by: string; readonly reason: string } | null;
}

export interface StageStatus {
  /** "validation", "shadow", "canary". */
  readonly kind: ReleaseStage['kind'];
  /** Of the problems that the candidate writes for; null where the stage is no canary. */
  readonly share: number | null;
  /** It is passed where the whole interval is above −margin; null where its rule is another. */
  readonly margin: number | null;
  /** Problems that count; null before the first. */
  readonly problems: number | null;
  /** From the counts as they are now; null before the stage begins, and before it can be compared. */
  readonly estimate: StageEstimate | null;
  /** `waits` also where the release ended before it. */
  readonly standing: 'decided' | 'runs' | 'waits';
  readonly decision: Release['decisions'][number] | null;
}

export interface ReleasesStatus {
  readonly releases: readonly ReleaseStatus[];
  /** Records that do not count, the newest; {@link refusedCount} says how many there are. */
  readonly refused: readonly RefusedRelease[];
  readonly refusedCount: number;
  /** What guards have muted, and what it is worth to withhold entries. */
  readonly guarding: GuardsStatus;
}

/** Every release, in the order of their plans. @throws the signal's reason when it aborts */
export async function readReleases(kept: KeptLog, options: ReadingOptions): Promise<ReleasesStatus> {
  return releasesStatus(await readFacts(kept, options));
}

/** The same of facts that were read before. */
export function releasesStatus(facts: ReleaseFacts): ReleasesStatus {
  const releases = [...facts.progress.releases.values()].map((release): ReleaseStatus => {
    const evidence = evidenceOf(release, facts);
    const { pin } = servedIn(facts.progress.slots, release.event.slot);
    return {
      release,
      evidence,
      now: release.status === 'running' ? decisionNow(release, facts) : null,
      stages: stagesOf(release, evidence),
      pin: pin === null ? null : { by: pin.pinnedBy, reason: pin.reason },
    };
  });
  const { refused, refusedCount } = facts.progress;
  return { releases, refused, refusedCount, guarding: guardsStatus(facts) };
}

function stagesOf({ plan, stage, status, decisions }: Release, evidence: ReleaseEvidence): readonly StageStatus[] {
  return plan.stages.map((planned, at): StageStatus => {
    const decision = decisions.find((each) => each.stage === at) ?? null;
    const isRunning = status === 'running' && at === stage;
    return {
      kind: planned.kind,
      share: planned.kind === 'canary' ? planned.share : null,
      margin: marginOf(planned),
      problems: problemsOf(evidence, at),
      estimate: at <= stage ? stageEstimate(plan, at, evidence) : null,
      standing: decision !== null ? 'decided' : isRunning ? 'runs' : 'waits',
      decision,
    };
  });
}

function marginOf(planned: ReleaseStage): number | null {
  if (planned.kind !== 'validation') return planned.margin;
  return planned.rule.name === 'margin' ? planned.rule.margin : null;
}

function problemsOf({ paired, canaries }: ReleaseEvidence, at: number): number | null {
  const pairs = paired.find(({ stage }) => stage === at);
  if (pairs !== undefined) return pairs.problems;
  const canary = canaries.find(({ stage }) => stage === at);
  if (canary === undefined) return null;
  const arms = [canary.candidate, canary.parent];
  return arms.reduce((sum, { solved, failed, missing }) => sum + solved + failed + missing, 0);
}

/** How a release stands, as a script and a page read it. */
export type PlainRelease = Release & Omit<ReleaseStatus, 'release'>;

export interface PlainReleases {
  readonly releases: readonly PlainRelease[];
  readonly refused: readonly {
    readonly type: string;
    readonly messageId: string;
    readonly releaseId: string;
    readonly reason: string;
  }[];
  readonly refusedCount: number;
  readonly guarding: PlainGuards;
}

export function plainReleases({ releases, refused, refusedCount, guarding }: ReleasesStatus): PlainReleases {
  return {
    releases: releases.map(({ release, ...rest }) => ({ ...release, ...rest })),
    refused: refused.map(({ event, reason }) => ({
      type: event.type,
      messageId: event.meta.messageId,
      releaseId: event.releaseId,
      reason,
    })),
    refusedCount,
    guarding: plainGuards(guarding),
  };
}

/** The release whose id begins so; `last` is the newest. @throws NOT_FOUND for none, INVALID_INPUT for several */
export function findRelease<Found extends { readonly event: { readonly releaseId: string } }>(
  releases: readonly Found[],
  meant: string,
): Found {
  const found = meant === 'last' ? releases.slice(-1) : releases.filter(({ event }) => isMeant(meant, event.releaseId));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const some =
    releases.length === 0 ? 'there are none yet' : releases.map(({ event }) => shortId(event.releaseId)).join(', ');
  throw new SeamError(
    found.length > 1 ? 'INVALID_INPUT' : 'NOT_FOUND',
    `Cannot look for release ${onOneLine(meant)}: expected "last" or at least ${LEAST_OF_ID} characters of one id, got ${found.length} of those in the log (${some}). List them with "seam release status".`,
    { details: { release: meant } },
  );
}
