/** Counts of settled problems that releases and guards decide by. */
import {
  type Known,
  type MissingByArm,
  NO_VERDICT,
  type ResultCount,
  resultOf,
  type Times,
  tally,
  within,
} from './lift-tallies.js';
import { sortedEntries } from './projection.js';

/** Problems of one stage of a release that were drawn with one share. */
export interface StageCounts {
  readonly stage: number;
  /** Probability of the candidate; null where both adapters wrote for each problem. */
  readonly share: number | null;
  readonly counts: {
    readonly candidate: ReleaseArm;
    readonly parent: ReleaseArm;
  };
  /** Where both wrote: problems that both solved, one of them, or none; and those without two verdicts. */
  readonly paired: {
    readonly both: number;
    readonly candidateAlone: number;
    readonly parentAlone: number;
    readonly neither: number;
    readonly missing: number;
  };
}

interface ReleaseArm {
  readonly solved: number;
  readonly failed: number;
  /** Ended without a verdict. */
  readonly missing: number;
}

export interface ReleaseCounts {
  readonly releaseId: string;
  /** By stage, then by share. */
  readonly stages: readonly StageCounts[];
}

/** Problems that one guard counts while one adapter was served, by domain. */
export interface GuardCounts {
  readonly guardId: string;
  readonly adapterDigest: string | null;
  readonly domains: readonly {
    readonly domain: string;
    /** By the share of controls that they were drawn with, ascending. */
    readonly stages: readonly GuardStageCounts[];
  }[];
}

interface GuardStageCounts {
  readonly controlShare: number;
  readonly counts: readonly Pick<ResultCount, 'treated' | 'result' | 'problems'>[];
  readonly missing: Pick<MissingByArm, 'treated' | 'control'>;
}

/** What releases and guards decide by. */
export interface DecisionCounts {
  /** Releases that counted problems were drawn for. */
  readonly releases: readonly ReleaseCounts[];
  /** Guards that counted problems were drawn under. */
  readonly guards: readonly GuardCounts[];
}

export interface DecisionTallies {
  /** By release, then by stage and share. */
  readonly releases: Map<string, Map<string, Times>>;
  /** By guard and adapter, then by domain. */
  readonly guards: Map<string, Map<string, Times>>;
}

export const initialDecisions = (): DecisionTallies => ({ releases: new Map(), guards: new Map() });

/** Counts a settled problem for its release and its guard, or takes it back as it was counted. @param times 1 or −1 */
export function addToDecisions({ releases, guards }: DecisionTallies, known: Known, times: 1 | -1): void {
  if (known.isRepeated === true) return;
  const drawn = known.assigned ?? known.drawn ?? null;
  if (known.guard !== undefined && known.mode === 'deploy' && drawn !== null) {
    const [guardId, adapterDigest, treated] = known.guard;
    const name = JSON.stringify([guardId, adapterDigest]);
    const domains = guards.get(name) ?? new Map<string, Times>();
    guards.set(name, domains);
    tally(within(domains, known.domain!), JSON.stringify([treated, resultOf(known), drawn[1]]), times);
  }
  if (known.release !== undefined && known.mode === 'deploy') {
    const { releaseId, stage, share } = known.release;
    const stages = releases.get(releaseId) ?? new Map<string, Times>();
    releases.set(releaseId, stages);
    tally(within(stages, JSON.stringify([stage, share])), releaseResult(known), times);
  }
}

/** Arm and verdict; or, where both adapters wrote, the parent's verdict and the candidate's. */
function releaseResult({ group, release }: Known): string {
  const results = group?.results ?? '';
  if (release!.share === null) return results.length === 2 && /^[01]{2}$/.test(results) ? results : 'missing';
  const verdict = /^[01]$/.test(results) ? results : NO_VERDICT;
  return `${release!.isCandidate ? 'candidate' : 'parent'} ${verdict}`;
}

export const readDecisions = ({ releases, guards }: DecisionTallies): DecisionCounts => ({
  releases: readReleases(releases),
  guards: readGuards(guards),
});

function readReleases(releases: DecisionTallies['releases']): readonly ReleaseCounts[] {
  return sortedEntries(releases).map(([releaseId, stages]) => ({
    releaseId,
    stages: [...stages]
      .map(([key, tallies]): StageCounts => {
        const [stage, share] = JSON.parse(key) as [number, number | null];
        const of = (name: string): number => tallies.get(name) ?? 0;
        const arm = (name: string): ReleaseArm => ({
          solved: of(`${name} 1`),
          failed: of(`${name} 0`),
          missing: of(`${name} ${NO_VERDICT}`),
        });
        return {
          ...{ stage, share, counts: { candidate: arm('candidate'), parent: arm('parent') } },
          paired: {
            ...{ both: of('11'), candidateAlone: of('01'), parentAlone: of('10'), neither: of('00') },
            missing: of('missing'),
          },
        };
      })
      .sort((a, b) => a.stage - b.stage || (a.share ?? 0) - (b.share ?? 0)),
  }));
}

function readGuards(guards: DecisionTallies['guards']): readonly GuardCounts[] {
  return sortedEntries(guards).map(([name, domains]) => {
    const [guardId, adapterDigest] = JSON.parse(name) as [string, string | null];
    return {
      ...{ guardId, adapterDigest },
      domains: sortedEntries(domains).map(([domain, tallies]) => ({ domain, stages: guardStagesOf(tallies) })),
    };
  });
}

function guardStagesOf(tallies: Times): readonly GuardStageCounts[] {
  const stages = new Map<number, { counts: GuardStageCounts['counts'][number][]; missing: [number, number] }>();
  for (const [key, problems] of sortedEntries(tallies)) {
    const [treated, result, share] = JSON.parse(key) as [boolean, number | null, number];
    const own = stages.get(share) ?? { counts: [], missing: [0, 0] };
    stages.set(share, own);
    if (result === null) own.missing[treated ? 0 : 1] += problems;
    else own.counts.push({ treated, result, problems });
  }
  return [...stages]
    .sort(([a], [b]) => a - b)
    .map(
      ([
        controlShare,
        {
          counts,
          missing: [treated, control],
        },
      ]) => ({
        controlShare,
        counts: counts.sort((a, b) => Number(a.treated) - Number(b.treated) || a.result - b.result),
        missing: { treated, control },
      }),
    );
}
