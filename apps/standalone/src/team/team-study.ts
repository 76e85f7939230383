/** What ways of tuning a team say next to one another, over seeds, as pure functions of their runs. Rates are fractions of 1. */
import { count, points } from '@seamstream/kernel';
import { type Estimate, mean, pairedDifference, studentInterval } from '@seamstream/statistics';
import { inBrackets, inHundredths } from '../report/page-pieces.js';
import { type ArmFigures, worstFall } from '../report/team-report.js';
import { TEAM_ARMS } from './team-arms.js';

/** One way on one seed. */
export interface TeamArmRun extends ArmFigures {
  readonly arm: string;
  readonly title: string;
  readonly seed: number;
  /** Problems of a stage. */
  readonly roundSize: number;
  /** ISO 8601 */
  readonly madeAt: string;
  /** Of each held-out problem, in one order for all runs: whether the untuned team, and the last one, solves it. */
  readonly untuned: readonly boolean[];
  readonly heldOut: readonly boolean[];
}

/** What must hold, written down before the runs that are reported. */
const LEAST_HELD_OUT = 0.9;
const [SHOWN, SIMULTANEOUS, UNGATED] = TEAM_ARMS.map(({ name }) => name) as [string, string, string];

/** The way that is shown less another, on the same problems. */
interface TeamDifference {
  readonly less: string;
  readonly bySeed: readonly {
    readonly seed: number;
    readonly value: number;
    readonly interval95: Estimate['interval95'];
  }[];
  /** Of the problems of all seeds together: of these runs, on other problems. */
  readonly all: Estimate;
  /** Student's, over seeds: of other runs; null for fewer than two. */
  readonly overSeeds: Estimate['interval95'] | null;
}

const rateOf = (verdicts: readonly boolean[]): number => verdicts.filter(Boolean).length / verdicts.length;

/** The first way of the demonstration less each other one, on the seeds of both. */
export function teamDifferences(runs: readonly TeamArmRun[]): readonly TeamDifference[] {
  const shown = new Map(runs.filter(({ arm }) => arm === SHOWN).map((run) => [run.seed, run]));
  const others = Map.groupBy(
    runs.filter(({ arm, seed }) => arm !== SHOWN && shown.has(seed)),
    ({ arm }) => arm,
  );
  return [...others.values()].map((own) => {
    const sorted = own.toSorted((a, b) => a.seed - b.seed);
    const paired = sorted.map(({ seed, heldOut }) =>
      shown.get(seed)!.heldOut.map((solved, at) => [solved, heldOut[at]!] as const),
    );
    const bySeed = sorted.map(({ seed }, at) => {
      const { value, interval95 } = pairedDifference(paired[at]!)!;
      return { seed, value, interval95 };
    });
    return {
      less: sorted[0]!.arm,
      bySeed,
      all: pairedDifference(paired.flat())!,
      overSeeds: studentInterval(bySeed.map(({ value }) => value)),
    };
  });
}

/** What does not hold, or is not known, in words. */
export function teamShortcomings(runs: readonly TeamArmRun[], seeds: readonly number[]): readonly string[] {
  const of = (arm: string, seed: number): TeamArmRun | undefined =>
    runs.find((run) => run.arm === arm && run.seed === seed);
  const missing = [SHOWN, SIMULTANEOUS, UNGATED].flatMap((arm) => {
    const absent = seeds.filter((seed) => of(arm, seed) === undefined);
    return absent.length === 0 ? [] : [`${arm} was not run on seeds ${absent.join(', ')}`];
  });
  const low = seeds.flatMap((seed) => {
    const run = of(SHOWN, seed);
    return run === undefined || rateOf(run.heldOut) >= LEAST_HELD_OUT
      ? []
      : [
          `seed ${seed}: ${inHundredths(rateOf(run.heldOut))} % of held-out problems, below ${inHundredths(LEAST_HELD_OUT)} %`,
        ];
  });
  const simultaneous = teamDifferences(runs).find(({ less }) => less === SIMULTANEOUS);
  const lower =
    simultaneous !== undefined && simultaneous.all.interval95[1] < 0
      ? [`one after the other ends lower than all at once: ${inBrackets(simultaneous.all)} points`]
      : [];
  const both = seeds.filter((seed) => [SHOWN, UNGATED].every((arm) => of(arm, seed) !== undefined));
  const falls = (arm: string): number => Math.max(...both.map((seed) => worstFall(of(arm, seed)!)));
  const further =
    both.length === 0 || falls(SHOWN) < falls(UNGATED)
      ? []
      : [
          `the worst stage falls no less with the gate (${inHundredths(falls(SHOWN))} points) than without (${inHundredths(falls(UNGATED))})`,
        ];
  const unequal = seeds.filter((seed) => new Set(runs.filter((run) => run.seed === seed).map(spentOf)).size > 1);
  return [
    ...missing,
    ...low,
    ...lower,
    ...further,
    ...unequal.map((seed) => `seed ${seed}: the ways had different numbers of rollouts`),
  ];
}

const spentOf = ({ rollouts }: TeamArmRun): number => rollouts;

/** The study as Markdown: a row for each way, the differences, and what does not hold. */
export function teamStudyTable(runs: readonly TeamArmRun[], seeds: readonly number[]): string {
  const short = teamShortcomings(runs, seeds);
  const rows = [...Map.groupBy(runs, ({ arm }) => arm).values()].map((all) => {
    const own = all.toSorted((a, b) => a.seed - b.seed);
    const gate = (of: (run: TeamArmRun) => number): number => own.reduce((sum, run) => sum + of(run), 0);
    const cells = [
      ...[own[0]!.title, own.map(({ seed }) => seed).join(', ')],
      own.map(({ stages }) => stages.length).join(', '),
      own.map(({ rollouts }) => count(rollouts)).join(', '),
      own.map(({ heldOut }) => inHundredths(rateOf(heldOut))).join(', '),
      inHundredths(mean(own.map(({ heldOut }) => rateOf(heldOut)))),
      own.map((run) => inHundredths(worstFall(run))).join(', '),
      `${gate(({ accepted }) => accepted)}, ${gate(({ takenBack }) => takenBack)}, ${gate(({ givenUp }) => givenUp)}`,
      own.map(({ stages }) => stages.reduce((sum, { seconds }) => sum + seconds, 0).toFixed(0)).join(', '),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const titleOf = (arm: string): string => runs.find((run) => run.arm === arm)!.title;
  return [
    '| way | seeds | stages | rollouts | held out, % | mean | worst fall of a stage, points | accepted, taken back, given up | stages, s |',
    `|${'---|'.repeat(9)}`,
    ...rows,
    '',
    ...teamDifferences(runs).map(
      ({ less, all, overSeeds, bySeed }) =>
        `One after the other, gated less ${titleOf(less)}, points: ${inBrackets(all)} over problems; ${overSeeds === null ? '' : `over seeds ${overSeeds.map(points).join(' to ')}; `}by seed ${bySeed.map(inBrackets).join(', ')}.`,
    ),
    short.length === 0 ? `All bars hold on seeds ${seeds.join(', ')}.` : `Short: ${short.join('; ')}.`,
  ].join('\n');
}
