/**
 * Executor calls until a success on held-out problems, as pure functions of curves. A curve is what was measured, in order: calls that
 * were spent until then, and success as a fraction of 1.
 */
import { messageOf, SeamError } from '@seamstream/kernel';
import { type Estimate, mean, studentInterval } from '@seamstream/statistics';
import { z } from 'zod';
import type { AttributesReport } from '../report/attributes-report.js';
import type { Report } from '../report/report.types.js';

/** Success whose calls are reported; the ratio is about the last. */
export const SPEED_LEVELS = [0.5, 0.8, 0.9] as const;

export interface CurvePoint {
  readonly calls: number;
  readonly success: number;
}

/** One seed. Of the loop both counts: everything that it asked, and what it asked to explore, without comparisons of adapters. */
export interface SpeedRun {
  readonly seed: number;
  readonly loop: readonly CurvePoint[];
  readonly loopExploring: readonly CurvePoint[];
  readonly trl: readonly CurvePoint[];
}

/** The calls of the first measurement at a level or above it; null where the curve ends below. */
export function callsTo(curve: readonly CurvePoint[], level: number): number | null {
  return curve.find(({ success }) => success >= level)?.calls ?? null;
}

/** What a demonstration's report says of rounds, runs and their adapters. */
export interface LearningReport {
  readonly rounds: readonly Pick<Report['rounds'][number], 'rollouts' | 'controls'>[];
  /** Of the rounds, in their order. */
  readonly runs: readonly Pick<
    Report['runs'][number],
    'status' | 'digest' | 'validationProblems' | 'comparedAttempts'
  >[];
}

/** The same of a report on a world of attributes, whose rounds count their own attempts and carry their runs. */
export function learningOfAttributes(report: Pick<AttributesReport, 'rounds'>): LearningReport {
  let rollouts = 0;
  const rounds = report.rounds.map(({ attempts, controls }) => {
    rollouts += attempts;
    return { rollouts, controls };
  });
  return { rounds, runs: report.rounds };
}

interface SpentCalls {
  /** Candidates and the control arm. */
  readonly exploring: number;
  /** And both adapters of every comparison. */
  readonly all: number;
}

/** Calls until the end of each round's run. */
export function callsByRound({ rounds, runs }: LearningReport): readonly SpentCalls[] {
  let [controls, compared] = [0, 0];
  return rounds.map((round, at) => {
    controls += round.controls;
    compared += comparedOf(runs[at]);
    const exploring = round.rollouts + controls;
    return { exploring, all: exploring + compared };
  });
}

/** Reports of before count problems alone: both adapters were asked each. */
function comparedOf(run: LearningReport['runs'][number] | undefined): number {
  return run?.comparedAttempts ?? 2 * (run?.validationProblems ?? 0);
}

/**
 * The loop's curve: the base model, then each promoted adapter after the round that made it.
 * @param successOf held-out success by an adapter's digest; null is the base model
 * @param counted which calls
 */
export function loopCurve(
  report: LearningReport,
  successOf: (digest: string | null) => number,
  counted: keyof SpentCalls,
): readonly CurvePoint[] {
  const spent = callsByRound(report);
  const served = report.runs.flatMap(({ status, digest }, at) =>
    status === 'promoted' && spent[at] !== undefined ? [{ calls: spent[at][counted], success: successOf(digest) }] : [],
  );
  return [{ calls: 0, success: successOf(null) }, ...served];
}

const measurementSchema = z.strictObject({
  step: z.int().min(0),
  calls: z.int().min(0),
  completions: z.int().min(0),
  solved: z.int().min(0),
  valid: z.int().min(0),
  problems: z.int().positive(),
});
export type TrlMeasurement = z.infer<typeof measurementSchema>;

/** Reads what trl_grpo.py logs. @throws INVALID_INPUT naming the line at fault */
export function trlMeasurements(log: string): readonly TrlMeasurement[] {
  let calls = 0;
  const lines = log.split('\n').filter((line) => line !== '');
  return lines.map((line, at) => {
    try {
      const measured = measurementSchema.parse(JSON.parse(line));
      if (measured.solved > measured.valid || measured.valid > measured.problems || measured.calls < calls)
        throw new RangeError('its counts contradict one another or the line before');
      calls = measured.calls;
      return measured;
    } catch (cause) {
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot read line ${at + 1} of TRL's log: expected a measurement, got ${messageOf(cause)}. Run TRL on this seed again.`,
        { cause },
      );
    }
  });
}

export const trlCurve = (measured: readonly TrlMeasurement[]): readonly CurvePoint[] =>
  measured.map(({ calls, solved, problems }) => ({ calls, success: solved / problems }));

interface SeedRatio {
  /** The loop's calls over TRL's. */
  readonly ratio: number;
  /** TRL ended below the level, so that its calls are all that it spent, and the true ratio is smaller. */
  readonly isBound: boolean;
}

export interface SpeedRatio {
  /** By seed; null where the loop ends below the level, or TRL spent fewer calls than the loop and had not reached it. */
  readonly bySeed: readonly (SeedRatio | null)[];
  /** Geometric mean over the seeds that have one; a bound where one of them is. */
  readonly mean: SeedRatio | null;
  /** Student's over the logarithms; null for fewer than two, and where one is a bound. */
  readonly interval95: Estimate['interval95'] | null;
}

export function speedRatio(runs: readonly SpeedRun[], level: number, counted: 'loop' | 'loopExploring'): SpeedRatio {
  const bySeed = runs.map((run) => ratioOf(callsTo(run[counted], level), run.trl, level));
  const known = bySeed.flatMap((each) => (each === null || each.ratio === 0 ? [] : [each]));
  const logs = known.map(({ ratio }) => Math.log(ratio));
  const isBound = known.some((each) => each.isBound);
  const interval = isBound ? null : studentInterval(logs);
  return {
    bySeed,
    mean: known.length === 0 ? null : { ratio: Math.exp(mean(logs)), isBound },
    interval95: interval === null ? null : [Math.exp(interval[0]), Math.exp(interval[1])],
  };
}

function ratioOf(own: number | null, trl: readonly CurvePoint[], level: number): SeedRatio | null {
  const reached = callsTo(trl, level);
  const other = reached ?? trl.at(-1)?.calls ?? 0;
  if (own === null || other === 0 || (reached === null && other < own)) return null;
  return { ratio: own / other, isBound: reached === null };
}

const COUNTED = [
  ['loop', 'the loop, all calls'],
  ['loopExploring', 'the loop, without comparisons of adapters'],
] as const;
const ROWS = [...COUNTED, ['trl', "TRL's GRPOTrainer"]] as const;

/** Both as Markdown: calls to each level by seed, and the ratios. */
export function speedTable(runs: readonly SpeedRun[]): string {
  const seeds = runs.map(({ seed }) => `seed ${seed}`);
  const calls = SPEED_LEVELS.flatMap((level) =>
    ROWS.map(([key, name]) => {
      const cells = runs.map((run) => callsTo(run[key], level)?.toLocaleString('en') ?? notReached(run[key]));
      return `| ${[level, name, ...cells].join(' | ')} |`;
    }),
  );
  const ratios = SPEED_LEVELS.flatMap((level) =>
    COUNTED.map(([key, name]) => {
      const { bySeed, mean: centre, interval95 } = speedRatio(runs, level, key);
      const range = interval95 === null ? 'none' : interval95.map((each) => each.toFixed(2)).join(' to ');
      return `| ${[level, name, ...bySeed.map(shown), shown(centre), range].join(' | ')} |`;
    }),
  );
  return [
    ['| success | executor calls of', ...seeds].join(' | ').concat(' |'),
    `|${'---|'.repeat(2 + runs.length)}`,
    ...calls,
    '',
    ['| success | ratio to TRL of', ...seeds, 'geometric mean', '95 % over seeds'].join(' | ').concat(' |'),
    `|${'---|'.repeat(4 + runs.length)}`,
    ...ratios,
  ].join('\n');
}

const shown = (ratio: SeedRatio | null): string =>
  ratio === null ? 'none' : `${ratio.isBound ? 'below ' : ''}${ratio.ratio.toFixed(2)}`;

function notReached(curve: readonly CurvePoint[]): string {
  const best = Math.max(0, ...curve.map(({ success }) => success));
  return `not in ${(curve.at(-1)?.calls ?? 0).toLocaleString('en')} (best ${(best * 100).toFixed(1)} %)`;
}
