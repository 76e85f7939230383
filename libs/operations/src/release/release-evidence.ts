/** What a release's decisions rest on, gathered from read models. Pure but for the world's type. */
import { deriveMeta, type EventOf, type OffsetRange } from '@seamstream/events';
import { compareText } from '@seamstream/kernel';
import type { Lift, ReleaseProgress } from '@seamstream/read-models';
import {
  decideStage,
  evaluationsOf,
  evidenceText,
  groundsOf,
  type PairedStageCounts,
  type Release,
  type ReleaseEvidence,
  type StageDecision,
  type StageEnd,
  servedIn,
} from '@seamstream/release';
import type { AdapterWorld } from '../adapters/adapter-world.js';

export type ReleaseWorld = Pick<AdapterWorld, 'clock' | 'openLog' | 'openKeptLog' | 'signing'>;

/** Answers of the two read models at the same time. */
export interface ReleaseFacts {
  readonly lift: Lift;
  readonly progress: ReleaseProgress;
}

/** Who writes what a plan decides by itself. */
export const SOURCE = 'seam/release';

/** Rates are rounded to this for a plan's centre: any keeps decisions valid, and a round one is easy to read. */
const CENTRE_STEP = 0.05;

export const centreOf = (rate: number): number =>
  Number(Math.min(0.9, Math.max(0.1, Math.round(rate / CENTRE_STEP) * CENTRE_STEP)).toFixed(2));

/** The counts of a release's stages, as its plan reads them: a draw with another share than the plan's does not count. */
export function evidenceOf({ event, plan }: Release, { lift, progress }: ReleaseFacts): ReleaseEvidence {
  const { releases } = lift.decisions[plan.version];
  const told = releases.find(({ releaseId }) => releaseId === event.releaseId)?.stages ?? [];
  const paired: PairedStageCounts[] = [];
  const canaries: {
    -readonly [Key in keyof ReleaseEvidence['canaries'][number]]: ReleaseEvidence['canaries'][number][Key];
  }[] = [];
  for (const [stage, planned] of plan.stages.entries()) {
    if (planned.kind === 'validation') {
      const counts = validationCounts(event, progress);
      if (counts !== null) paired.push({ stage, ...counts });
      continue;
    }
    const share = planned.kind === 'canary' ? planned.share : null;
    const own = told.find((each) => each.stage === stage && each.share === share);
    if (own === undefined) continue;
    if (planned.kind === 'canary') canaries.push({ stage, ...own.counts });
    else {
      const { both, candidateAlone, parentAlone, neither, missing } = own.paired;
      const problems = both + candidateAlone + parentAlone + neither;
      paired.push({ stage, problems, candidateAlone, parentAlone, missing });
    }
  }
  return { paired, canaries };
}

/** Of the newest evaluation on record in which the candidate and this parent were asked the same problems; null without one. */
export function validationCounts(
  { candidate, parent, slot }: Pick<EventOf<'ReleasePlanned'>, 'candidate' | 'parent' | 'slot'>,
  { slots }: ReleaseProgress,
): Omit<PairedStageCounts, 'stage'> | null {
  const own = servedIn(slots, slot);
  // A comparison names no parent: it is the one that the candidate was trained from.
  const isOfParent = own.published.some((each) => each.adapterDigest === candidate && each.parent === parent);
  if (!isOfParent) return null;
  const found = evaluationsOf(candidate, groundsOf(own)).findLast(
    ({ rescued, broken }) => rescued !== null && broken !== null,
  );
  if (found === undefined) return null;
  return { problems: found.problems, candidateAlone: found.rescued!, parentAlone: found.broken!, missing: 0 };
}

export function decisionNow(release: Release, facts: ReleaseFacts): StageDecision {
  return decideStage(release.plan, release.stage, evidenceOf(release, facts));
}

/** All records that the counts are of. */
export function offsetsOf({ lift, progress }: ReleaseFacts): readonly OffsetRange[] {
  return [...lift.folded, ...progress.folded]
    .map(([name, to]): OffsetRange => {
      const at = name.lastIndexOf('/');
      return { topic: name.slice(0, at), partition: Number(name.slice(at + 1)), from: 0, to };
    })
    .sort((a, b) => compareText(a.topic, b.topic) || a.partition - b.partition);
}

/** What the plan's rule decides, as the event that says so; null while the stage continues. */
export function ruledDecision(
  release: Release,
  facts: ReleaseFacts,
  /** Milliseconds since the Unix epoch. */
  at: number,
): EventOf<'ReleaseDecided'> | null {
  const { event, plan, stage } = release;
  const evidence = evidenceOf(release, facts);
  const { end, rule, reason, figures } = decideStage(plan, stage, evidence);
  if (end === null) return null;
  return {
    type: 'ReleaseDecided',
    meta: deriveMeta(event.meta, { role: 'release decision', index: stage, source: SOURCE, occurredAt: at }),
    ...{ releaseId: event.releaseId, slot: event.slot, stage, decision: end, rule },
    evidence: evidenceText(plan, evidence, figures),
    offsets: [...offsetsOf(facts)],
    ...{ decidedBy: null, reason, attestation: null },
  };
}

/** How a person ends the stage that runs, as the event that says so. The counts are recorded with it; nothing follows from them. */
export function personsDecision(
  release: Release,
  facts: ReleaseFacts,
  {
    end,
    by,
    reason,
    at,
  }: {
    readonly end: StageEnd;
    readonly by: string;
    readonly reason: string;
    /** Milliseconds since the Unix epoch. */
    readonly at: number;
  },
): EventOf<'ReleaseDecided'> {
  const { event, plan, stage } = release;
  return {
    type: 'ReleaseDecided',
    meta: deriveMeta(event.meta, {
      ...{ role: 'release override', index: stage, source: 'seam/cli' },
      ...{ occurredAt: at, sourceClass: 'user' },
    }),
    ...{ releaseId: event.releaseId, slot: event.slot, stage, decision: end, rule: 'a person decides over the rule' },
    evidence: evidenceText(plan, evidenceOf(release, facts), decisionNow(release, facts).figures),
    offsets: [...offsetsOf(facts)],
    ...{ decidedBy: by, reason, attestation: null },
  };
}
