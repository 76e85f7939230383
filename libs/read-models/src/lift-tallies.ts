/** Counts of settled problems of the arms with and without experiences, by mode; and what is known of each problem. */
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

export interface MissingByArm {
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
  /** It is in the counts of its mode, and in those that releases and guards decide by. */
  isCounted?: true;
  /** It is in the counts that releases and guards of rule 1 decide by. */
  isCountedByRule1?: true;
}

export const NOTHING = '.';
export const NO_VERDICT = 'x';

/** Most buckets of a series: a chart has no more places for them. When there are more, each becomes twice as wide. */
const MOST_BUCKETS = 64;
const FIRST_WIDTH_MS = 1000;

/** How often each was met, by its JSON. */
export type Times = Map<string, number>;

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
}

export const initialTallies = (): Tallies => ({ modes: new Map() });

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

/** Share of the candidates that solved it; null without a verdict. Where a second adapter wrote as well, the parent's entry alone counts. */
export function resultOf({ group, release }: Known): number | null {
  if (group === undefined) return null;
  const all = release?.share === null ? group.results.slice(0, 1) : group.results;
  if (all.includes(NOTHING)) return null;
  const verdicts = Array.from(all).filter((each) => each !== NO_VERDICT);
  return verdicts.length === 0 ? null : verdicts.filter((each) => each === '1').length / verdicts.length;
}

export function within<Name>(of: Map<Name, Times>, name: Name): Times {
  const own = of.get(name) ?? new Map<string, number>();
  of.set(name, own);
  return own;
}

/** What was taken back altogether leaves no trace. */
export function tally(own: Times, key: string, times: number): void {
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
