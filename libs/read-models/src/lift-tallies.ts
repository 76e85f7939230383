/** Counts of settled problems: of the arms with and without experiences, of releases, and of guards. */
import { DEFAULT_TENANT } from '@seamstream/events';
import { sortedEntries } from './projection.js';

export type Mode = 'explore' | 'deploy';

/** How often a result was met among the problems of an arm. */
export interface ResultCount {
  readonly treated: boolean;
  /** Share of the group's candidates that solved it; 0 or 1 for a group of one. */
  readonly result: number;
  readonly problems: number;
  /** What they were drawn for, and with which probability of the control arm; null where no event says. */
  readonly experiment: string | null;
  readonly controlShare: number | null;
}

interface MissingByArm {
  readonly treated: number;
  readonly control: number;
  /** Met their end before they had an arm. */
  readonly unassigned: number;
}

/** Problems that were drawn for one experiment with one share. */
export interface ExperimentCounts {
  readonly experiment: string;
  readonly controlShare: number;
  readonly treated: number;
  readonly control: number;
  /** Of these, those without a verdict. */
  readonly treatedMissing: number;
  readonly controlMissing: number;
}

interface DomainCounts {
  readonly domain: string;
  /** When its first problem was published, in milliseconds since the Unix epoch. */
  readonly firstAt: number;
  readonly counts: readonly ResultCount[];
}

export interface LiftCounts {
  readonly mode: Mode;
  readonly counts: readonly ResultCount[];
  readonly domains: readonly DomainCounts[];
  /** By name of the tenant. */
  readonly tenants: readonly { readonly tenant: string; readonly counts: readonly ResultCount[] }[];
  /** In the order of time: the counts of the problems published from `from` on, for `width` milliseconds. */
  readonly series: readonly { readonly from: number; readonly counts: readonly ResultCount[] }[];
  readonly widthMs: number;
  /** Settled without a verdict, by arm. */
  readonly missing: MissingByArm;
  readonly experiments: readonly ExperimentCounts[];
  /** Problems that are not counted, since an earlier one of their unit is. */
  readonly repeated: number;
}

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

/** What is known of a problem. */
export interface Known {
  mode?: Mode;
  domain?: string;
  /** Absent: the default one. */
  tenant?: string;
  /** When it was published, in milliseconds since the Unix epoch. */
  at?: number;
  /** Its first group: id, whether it is treated, candidates, and of each candidate {@link NOTHING}, {@link NO_VERDICT}, 0 or 1. */
  group?: { readonly id: string; readonly treated: boolean; readonly size: number; results: string };
  /** Its time ran out, or a record of it went to the dead letters. */
  ended?: true;
  /** How its arm was drawn: as its publisher says, and as its first experience says. */
  assigned?: readonly [experiment: string, controlShare: number];
  drawn?: readonly [experiment: string, controlShare: number];
  isDrawn?: true;
  release?: {
    readonly releaseId: string;
    readonly stage: number;
    readonly share: number | null;
    readonly isCandidate: boolean;
  };
  /** The guard that counts it: id, what was served, and whether it is treated. */
  guard?: readonly [guardId: string, adapterDigest: string | null, treated: boolean];
  /** It was drawn with others, and so may turn out to be repeated. */
  isOfUnit?: true;
  isRepeated?: true;
  /** It is in the counts of its mode. */
  isCounted?: true;
  /** It is in the counts that releases and guards decide by. */
  isDecidedBy?: true;
}

export const NOTHING = '.';
export const NO_VERDICT = 'x';

/** Most buckets of a series: a chart has no more places for them. When there are more, each becomes twice as wide. */
const MOST_BUCKETS = 64;
const FIRST_WIDTH_MS = 1000;

/** How often each was met, by its JSON. */
type Times = Map<string, number>;

interface ModeTallies {
  readonly domains: Map<string, Times>;
  readonly tenants: Map<string, Times>;
  /** By domain. */
  readonly firstAt: Map<string, number>;
  /** By beginning in widths. */
  series: Map<number, Times>;
  widthMs: number;
  readonly missing: Times;
  /** By experiment, share, arm and whether a verdict is missing. */
  readonly arms: Times;
  repeated: number;
}

export interface Tallies {
  readonly modes: Map<Mode, ModeTallies>;
  /** By release, then by stage and share. */
  readonly releases: Map<string, Map<string, Times>>;
  /** By guard and adapter, then by domain. */
  readonly guards: Map<string, Map<string, Times>>;
}

export const initialTallies = (): Tallies => ({
  modes: new Map(),
  releases: new Map(),
  guards: new Map(),
});

/** Counts a settled problem in its mode, or takes it back as it was counted. @param times 1 or −1 */
export function addToMode({ modes }: Tallies, known: Known, times: 1 | -1): void {
  const own: ModeTallies = modes.get(known.mode!) ?? {
    ...{ domains: new Map(), tenants: new Map(), series: new Map(), widthMs: FIRST_WIDTH_MS },
    ...{ missing: new Map(), arms: new Map(), firstAt: new Map(), repeated: 0 },
  };
  modes.set(known.mode!, own);
  own.firstAt.set(known.domain!, Math.min(known.at!, own.firstAt.get(known.domain!) ?? known.at!));
  if (known.isRepeated === true) {
    own.repeated += times;
    return;
  }
  const { group } = known;
  const drawn = known.assigned ?? known.drawn ?? null;
  const result = resultOf(known);
  if (group !== undefined && drawn !== null)
    tally(own.arms, JSON.stringify([...drawn, group.treated, result === null]), times);
  if (result === null)
    tally(own.missing, group === undefined ? 'unassigned' : group.treated ? 'treated' : 'control', times);
  else {
    const key = JSON.stringify([group!.treated, result, ...(drawn ?? [null, null])]);
    tally(within(own.domains, known.domain!), key, times);
    tally(within(own.tenants, known.tenant ?? DEFAULT_TENANT), key, times);
    tally(within(own.series, Math.floor(known.at! / own.widthMs)), key, times);
    while (own.series.size > MOST_BUCKETS) widen(own);
  }
}

/** The same for its release and its guard. */
export function addToDecisions({ releases, guards }: Tallies, known: Known, times: 1 | -1): void {
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

/** Share of the candidates that solved it; null without a verdict. Where a second adapter wrote as well, the parent's entry alone counts. */
function resultOf({ group, release }: Known): number | null {
  if (group === undefined) return null;
  const all = release?.share === null ? group.results.slice(0, 1) : group.results;
  if (all.includes(NOTHING)) return null;
  const verdicts = Array.from(all).filter((each) => each !== NO_VERDICT);
  return verdicts.length === 0 ? null : verdicts.filter((each) => each === '1').length / verdicts.length;
}

/** Arm and verdict; or, where both adapters wrote, the parent's verdict and the candidate's. */
function releaseResult({ group, release }: Known): string {
  const results = group?.results ?? '';
  if (release!.share === null) return results.length === 2 && /^[01]{2}$/.test(results) ? results : 'missing';
  const verdict = /^[01]$/.test(results) ? results : NO_VERDICT;
  return `${release!.isCandidate ? 'candidate' : 'parent'} ${verdict}`;
}

function within<Name>(of: Map<Name, Times>, name: Name): Times {
  const own = of.get(name) ?? new Map<string, number>();
  of.set(name, own);
  return own;
}

/** What was taken back altogether leaves no trace. */
function tally(own: Times, key: string, times: number): void {
  const sum = (own.get(key) ?? 0) + times;
  if (sum === 0) own.delete(key);
  else own.set(key, sum);
}

/** Widths only double, and buckets begin at multiples of them: which they are follows from the times alone. */
function widen(own: ModeTallies): void {
  const series = new Map<number, Times>();
  for (const [bucket, tallies] of own.series)
    for (const [key, times] of tallies) tally(within(series, Math.floor(bucket / 2)), key, times);
  own.series = series;
  own.widthMs *= 2;
}

export function readModes({ modes }: Tallies): readonly LiftCounts[] {
  return sortedEntries(modes).map(([mode, own]) => ({
    mode: mode as Mode,
    counts: countsOf(sumOf(own.domains.values())),
    domains: sortedEntries(own.domains)
      .filter(([, tallies]) => tallies.size > 0)
      .map(([domain, tallies]) => ({ domain, firstAt: own.firstAt.get(domain)!, counts: countsOf(tallies) })),
    tenants: sortedEntries(own.tenants)
      .filter(([, tallies]) => tallies.size > 0)
      .map(([tenant, tallies]) => ({ tenant, counts: countsOf(tallies) })),
    series: [...own.series]
      .filter(([, tallies]) => tallies.size > 0)
      .sort(([a], [b]) => a - b)
      .map(([bucket, tallies]) => ({ from: bucket * own.widthMs, counts: countsOf(tallies) })),
    widthMs: own.widthMs,
    missing: {
      treated: own.missing.get('treated') ?? 0,
      control: own.missing.get('control') ?? 0,
      unassigned: own.missing.get('unassigned') ?? 0,
    },
    experiments: experimentsOf(own.arms),
    repeated: own.repeated,
  }));
}

function sumOf(tallies: Iterable<Times>): Times {
  const sum: Times = new Map();
  for (const each of tallies) for (const [key, times] of each) tally(sum, key, times);
  return sum;
}

const countsOf = (tallies: Times): readonly ResultCount[] =>
  sortedEntries(tallies)
    .map(([key, problems]): ResultCount => {
      const [treated, result, experiment, controlShare] = JSON.parse(key) as [
        boolean,
        number,
        string | null,
        number | null,
      ];
      return { treated, result, problems, experiment, controlShare };
    })
    .sort((a, b) => Number(a.treated) - Number(b.treated) || a.result - b.result);

function experimentsOf(arms: Times): readonly ExperimentCounts[] {
  const found = new Map<string, Record<'treated' | 'control' | 'treatedMissing' | 'controlMissing', number>>();
  for (const [key, problems] of arms) {
    const [experiment, share, treated, isMissing] = JSON.parse(key) as [string, number, boolean, boolean];
    const name = JSON.stringify([experiment, share]);
    const own = found.get(name) ?? { treated: 0, control: 0, treatedMissing: 0, controlMissing: 0 };
    found.set(name, own);
    own[treated ? 'treated' : 'control'] += problems;
    if (isMissing) own[treated ? 'treatedMissing' : 'controlMissing'] += problems;
  }
  return sortedEntries(found).map(([name, counts]) => {
    const [experiment, controlShare] = JSON.parse(name) as [string, number];
    return { experiment, controlShare, ...counts };
  });
}

export function readReleases({ releases }: Tallies): readonly ReleaseCounts[] {
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

export function readGuards({ guards }: Tallies): readonly GuardCounts[] {
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
