/** What experiences add, with intervals that hold at every look, from the counts of a read model. Pure. */
import { compareText } from '@seamstream/kernel';
import type { ExperimentCounts, Lift, LiftCounts, ResultCount } from '@seamstream/read-models';
import {
  type Estimate,
  harmfulStrata,
  type LiftStage,
  liftInterval,
  logMissingEvidence,
  logSampleRatioEvidence,
} from '@seamstream/statistics';

/** Problems of an arm, and the mean of their results; null without any. */
export interface ArmRate {
  readonly problems: number;
  readonly rate: number | null;
}

export interface Comparison {
  readonly treated: ArmRate;
  readonly control: ArmRate;
  /** Treated less control; null where an arm is empty, or no share is known. */
  readonly lift: Estimate | null;
}

export interface LiftPoint extends Comparison {
  /** Beginning of its stretch of time, in milliseconds since the Unix epoch. */
  readonly from: number;
  /** Rates of this stretch alone; the rest is of all problems up to its end. */
  readonly own: { readonly treated: ArmRate; readonly control: ArmRate };
}

/** Whether an experiment went as it was drawn. */
export interface ExperimentCheck extends ExperimentCounts {
  /** Whether its arms have other shares than they were drawn with, and whether one lacks more verdicts: at a risk of one in a thousand each. */
  readonly isUneven: boolean;
  readonly isMissingUnevenly: boolean;
  /** ln of the evidence for each, as a fraction of what is needed: from 1 on the check alarms. */
  readonly unevenDoubt: number;
  readonly missingDoubt: number;
}

export interface LiftAnswer extends Comparison {
  readonly mode: LiftCounts['mode'];
  /** Probability of the treated arm; null where it is not known of some problems, or not the same for all. */
  readonly treatedShare: number | null;
  /** With the time of the domain's first problem, in milliseconds since the Unix epoch. */
  readonly domains: readonly (Comparison & { readonly domain: string; readonly firstAt: number })[];
  readonly series: readonly LiftPoint[];
  /** Domains in which experiences do harm: at a risk of 5 % that any is named wrongly, of all domains together and for ever. */
  readonly harmed: readonly string[];
  readonly missing: LiftCounts['missing'];
  readonly experiments: readonly ExperimentCheck[];
  /** False: an experiment did not go as it was drawn, so that the lift may come from that. */
  readonly isCausal: boolean;
  /** Problems that do not count, since an earlier one of their conversation does. */
  readonly repeated: number;
}

export interface LiftAnswers {
  readonly modes: readonly LiftAnswer[];
  /** Published problems that do not count yet. */
  readonly unsettled: number;
}

/** Estimates by their counts: those of stretches that are over stay, and a page asks again and again. */
export type EstimateMemory = Map<string, Estimate | null>;

/** Estimates that are remembered: a chart has 64 points, and a log some domains. */
const MOST_REMEMBERED = 512;

/** Risk that a check of an experiment alarms although it went as it was drawn. */
const CHECK_RISK = 0.001;
/** Risk that any domain is called harmed although it is not. */
const HARM_RISK = 0.05;

/** @param memory of earlier answers; this one is added */
export function liftAnswers(
  { modes, controlShares, unsettled }: Lift,
  memory: EstimateMemory = new Map(),
): LiftAnswers {
  // What events without an assignment say, where they agree.
  const named = controlShares.length === 1 ? controlShares[0]! : null;
  if (memory.size > MOST_REMEMBERED) memory.clear();
  const compared = (counts: readonly ResultCount[]): Comparison => ({
    treated: rateOf(counts, true),
    control: rateOf(counts, false),
    lift: remembered(memory, stagesOf(counts, named)),
  });
  return {
    modes: modes.map(({ mode, counts, domains, series, missing, experiments, repeated }) => {
      const checks = experiments.map(checked);
      const stages = stagesOf(counts, named);
      return {
        mode,
        treatedShare: stages?.length === 1 ? stages[0]!.treatedShare : null,
        ...compared(counts),
        domains: domains.map(({ domain, firstAt, counts: own }) => ({ domain, firstAt, ...compared(own) })),
        series: pointsOf(series, compared),
        harmed: harmedIn(domains, named),
        ...{ missing, experiments: checks, repeated },
        isCausal: checks.every(isAsDrawn),
      };
    }),
    unsettled,
  };
}

/** What experiences add to problems of a tenant that are deployed; null where no interval is known. */
export function liftOfTenant(tenant: string, { modes, controlShares }: Lift): Estimate | null {
  const named = controlShares.length === 1 ? controlShares[0]! : null;
  const own = modes.find(({ mode }) => mode === 'deploy')?.tenants.find((each) => each.tenant === tenant);
  const stages = own === undefined ? null : stagesOf(own.counts, named);
  return stages === null ? null : liftInterval(stages);
}

/** Counts by the share that they were drawn with, whichever experiment that was for; null where a share is not known. */
function stagesOf(counts: readonly ResultCount[], named: number | null): readonly LiftStage[] | null {
  const stages = new Map<number, ResultCount[]>();
  for (const each of counts) {
    const share = each.controlShare ?? named;
    if (share === null) return null;
    // Without both arms there is nothing to compare, and nothing that could mislead.
    if (!(share > 0 && share < 1)) continue;
    stages.set(share, [...(stages.get(share) ?? []), each]);
  }
  return [...stages].sort(([a], [b]) => a - b).map(([share, own]) => ({ treatedShare: 1 - share, counts: own }));
}

/** In the order of their first problems, which no result changes. */
function harmedIn(domains: LiftCounts['domains'], named: number | null): readonly string[] {
  const strata = [...domains]
    .sort((a, b) => a.firstAt - b.firstAt || compareText(a.domain, b.domain))
    .map(({ domain, counts }) => ({ name: domain, stages: stagesOf(counts, named) ?? [] }));
  return harmfulStrata(strata, { alpha: HARM_RISK, weights: new Map() });
}

/** Whether each experiment went as it was drawn, so that what differs between arms comes from experiences. */
export function wentAsDrawn(experiments: LiftCounts['experiments']): boolean {
  return experiments.map(checked).every(isAsDrawn);
}

const isAsDrawn = ({ isUneven, isMissingUnevenly }: ExperimentCheck): boolean => !isUneven && !isMissingUnevenly;

function checked(counts: ExperimentCounts): ExperimentCheck {
  const treatedShare = 1 - counts.controlShare;
  const isDrawn = treatedShare > 0 && treatedShare < 1;
  const needed = -Math.log(CHECK_RISK);
  const unevenDoubt = isDrawn ? logSampleRatioEvidence({ ...counts, treatedShare }) / needed : 0;
  const missingDoubt = isDrawn ? logMissingEvidence({ ...counts, treatedShare }) / needed : 0;
  return { ...counts, isUneven: unevenDoubt >= 1, isMissingUnevenly: missingDoubt >= 1, unevenDoubt, missingDoubt };
}

function pointsOf(series: LiftCounts['series'], compared: (counts: readonly ResultCount[]) => Comparison): LiftPoint[] {
  let all: readonly ResultCount[] = [];
  return series.map(({ from, counts }) => {
    all = added(all, counts);
    return { from, ...compared(all), own: { treated: rateOf(counts, true), control: rateOf(counts, false) } };
  });
}

function added(some: readonly ResultCount[], others: readonly ResultCount[]): readonly ResultCount[] {
  const sum = new Map<string, ResultCount>();
  for (const each of [...some, ...others]) {
    const key = JSON.stringify([each.treated, each.result, each.experiment, each.controlShare]);
    sum.set(key, { ...each, problems: each.problems + (sum.get(key)?.problems ?? 0) });
  }
  return [...sum.values()];
}

function remembered(memory: EstimateMemory, stages: readonly LiftStage[] | null): Estimate | null {
  if (stages === null) return null;
  const key = JSON.stringify(
    stages.map(({ treatedShare, counts }) => [
      treatedShare,
      counts.map(({ treated, result, problems }) => [treated, result, problems]),
    ]),
  );
  const known = memory.get(key);
  if (known !== undefined) return known;
  const found = liftInterval(stages);
  memory.set(key, found);
  return found;
}

function rateOf(counts: readonly ResultCount[], treated: boolean): ArmRate {
  const own = counts.filter((each) => each.treated === treated);
  const problems = own.reduce((sum, each) => sum + each.problems, 0);
  const solved = own.reduce((sum, { result, problems: times }) => sum + result * times, 0);
  return { problems, rate: problems === 0 ? null : solved / problems };
}
