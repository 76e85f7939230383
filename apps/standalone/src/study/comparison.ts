/** What a study of arms says, as pure functions of its results. Rates are fractions of 1. */
import { points } from '@seamstream/kernel';
import { type Estimate, mean, pairedDifference, studentInterval } from '@seamstream/statistics';
import { inHundredths } from '../report/page-pieces.js';

export const STUDY_SETS = ['development', 'heldOut', 'newWords'] as const;
type StudySet = (typeof STUDY_SETS)[number];
/** The sets that decide nothing. */
const REPORTED = ['heldOut', 'newWords'] as const satisfies readonly StudySet[];

/** One arm on one seed. */
export interface ArmRun {
  readonly arm: string;
  readonly seed: number;
  /** Judged attempts of its rounds. */
  readonly attempts: number;
  readonly promoted: number;
  /** Of each problem of a set, in the set's order: whether it is solved with the entry of the adapter served last. */
  readonly verdicts: Readonly<Record<StudySet, readonly boolean[]>>;
}

/** What a choice of an arm may look at. */
type Chosen = Pick<ArmRun, 'arm' | 'seed'> & { readonly verdicts: Pick<ArmRun['verdicts'], 'development'> };

interface ArmComparison {
  readonly arm: string;
  readonly seeds: number;
  readonly attempts: number;
  readonly promoted: number;
  readonly sets: Readonly<Record<StudySet, SetComparison>>;
}

interface SetComparison {
  /** Mean over seeds. */
  readonly success: number;
  readonly bySeed: readonly number[];
  /** This arm less the other, on the seeds of both; null for the other itself, and where there is none. */
  readonly ahead: {
    readonly value: number;
    /** Newcombe's, over problems: of these worlds and runs. */
    readonly overProblems: Estimate['interval95'];
    /** Student's, over seeds: of other worlds and runs; null for fewer than two. */
    readonly overSeeds: Estimate['interval95'] | null;
  } | null;
}

const rateOf = (verdicts: readonly boolean[]): number => verdicts.filter(Boolean).length / verdicts.length;

/** The arm with the highest mean over seeds on the development problems, of those that ran on every seed; null without any. */
export function chooseArm(runs: readonly Chosen[]): string | null {
  const seeds = new Set(runs.map(({ seed }) => seed));
  const arms = [...Map.groupBy(runs, ({ arm }) => arm)]
    .filter(([, own]) => new Set(own.map(({ seed }) => seed)).size === seeds.size)
    .map(([arm, own]) => ({ arm, success: mean(own.map(({ verdicts }) => rateOf(verdicts.development))) }));
  return arms.toSorted((a, b) => b.success - a.success)[0]?.arm ?? null;
}

/** Every arm next to one of them, in the order of their first runs. @param other the arm that the rest are compared with */
export function compareArms(runs: readonly ArmRun[], other: string): readonly ArmComparison[] {
  const others = new Map(runs.filter(({ arm }) => arm === other).map((run) => [run.seed, run]));
  return [...Map.groupBy(runs, ({ arm }) => arm)].map(([arm, all]) => {
    const own = all.toSorted((a, b) => a.seed - b.seed);
    const sets = Object.fromEntries(
      STUDY_SETS.map((set) => [set, compared(own, arm === other ? new Map() : others, set)]),
    );
    return {
      ...{ arm, seeds: own.length },
      attempts: mean(own.map(({ attempts }) => attempts)),
      promoted: mean(own.map(({ promoted }) => promoted)),
      sets: sets as ArmComparison['sets'],
    };
  });
}

function compared(own: readonly ArmRun[], others: ReadonlyMap<number, ArmRun>, set: StudySet): SetComparison {
  const bySeed = own.map(({ verdicts }) => rateOf(verdicts[set]));
  const both = own.flatMap((run) => {
    const other = others.get(run.seed);
    return other === undefined ? [] : [{ mine: run.verdicts[set], theirs: other.verdicts[set] }];
  });
  const pooled = pairedDifference(
    both.flatMap(({ mine, theirs }) => mine.map((each, at) => [each, theirs[at]!] as const)),
  );
  return {
    ...{ success: mean(bySeed), bySeed },
    ahead:
      pooled === null
        ? null
        : {
            ...{ value: pooled.value, overProblems: pooled.interval95 },
            overSeeds: studentInterval(both.map(({ mine, theirs }) => rateOf(mine) - rateOf(theirs))),
          },
  };
}

/** In percentage points; of one seed alone there is none. */
const range = (interval: Estimate['interval95'] | null): string =>
  interval === null ? 'one seed' : `${points(interval[0])} to ${points(interval[1])}`;

/** The study as Markdown: a table for each reported set, and what was chosen on the development problems. */
export function studyTable(runs: readonly ArmRun[], other: string): string {
  const arms = compareArms(runs, other);
  const tables = REPORTED.map((set) =>
    [
      `| ${set} | seeds | attempts | promoted | success, % | by seed | ahead of ${other}, points | over problems | over seeds |`,
      '|---|---|---|---|---|---|---|---|---|',
      ...arms.map(({ arm, seeds, attempts, promoted, sets }) => {
        const { success, bySeed, ahead } = sets[set];
        const difference =
          ahead === null ? ['', '', ''] : [points(ahead.value), range(ahead.overProblems), range(ahead.overSeeds)];
        const figures = [
          seeds,
          Math.round(attempts),
          promoted.toFixed(1),
          inHundredths(success),
          bySeed.map(inHundredths).join(', '),
        ];
        return `| ${[arm, ...figures, ...difference].join(' | ')} |`;
      }),
    ].join('\n'),
  );
  const developed = arms.map(({ arm, sets }) => `${arm} ${inHundredths(sets.development.success)}`).join(', ');
  return [...tables, `Development, %: ${developed}. Chosen: ${chooseArm(runs) ?? 'none'}.`].join('\n\n');
}
