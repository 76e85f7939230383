/** What experiences add, with intervals that hold at every look, from the counts of a read model. Pure. */
import type { Lift, LiftCounts, ResultCount } from '@seamstream/read-models';
import { type Estimate, liftInterval } from '@seamstream/statistics';

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

export interface LiftAnswer extends Comparison {
  readonly mode: LiftCounts['mode'];
  /** Probability of the treated arm; null where events name no share of the controls, or several. */
  readonly treatedShare: number | null;
  readonly domains: readonly (Comparison & { readonly domain: string })[];
  readonly series: readonly LiftPoint[];
  readonly missing: LiftCounts['missing'];
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

/** @param memory of earlier answers; this one is added */
export function liftAnswers(
  { modes, controlShares, unsettled }: Lift,
  memory: EstimateMemory = new Map(),
): LiftAnswers {
  const [only] = controlShares;
  const treatedShare = only !== undefined && controlShares.length === 1 && only > 0 && only < 1 ? 1 - only : null;
  if (memory.size > MOST_REMEMBERED) memory.clear();
  const compared = (counts: readonly ResultCount[]): Comparison => ({
    treated: rateOf(counts, true),
    control: rateOf(counts, false),
    lift: treatedShare === null ? null : remembered(memory, counts, treatedShare),
  });
  return {
    modes: modes.map(({ mode, counts, domains, series, missing }) => ({
      mode,
      treatedShare,
      ...compared(counts),
      domains: domains.map(({ domain, counts: own }) => ({ domain, ...compared(own) })),
      series: pointsOf(series, compared),
      missing,
    })),
    unsettled,
  };
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
    const key = `${each.treated}${each.result}`;
    sum.set(key, { ...each, problems: each.problems + (sum.get(key)?.problems ?? 0) });
  }
  return [...sum.values()];
}

function remembered(memory: EstimateMemory, counts: readonly ResultCount[], treatedShare: number): Estimate | null {
  const key = JSON.stringify([
    treatedShare,
    counts.map(({ treated, result, problems }) => [treated, result, problems]),
  ]);
  const known = memory.get(key);
  if (known !== undefined) return known;
  const found = liftInterval([{ counts, treatedShare }]);
  memory.set(key, found);
  return found;
}

function rateOf(counts: readonly ResultCount[], treated: boolean): ArmRate {
  const own = counts.filter((each) => each.treated === treated);
  const problems = own.reduce((sum, each) => sum + each.problems, 0);
  const solved = own.reduce((sum, { result, problems: times }) => sum + result * times, 0);
  return { problems, rate: problems === 0 ? null : solved / problems };
}
