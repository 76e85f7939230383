/** What runs of the demonstration in many worlds of attributes say together, as pure functions of their reports. Rates are fractions of 1. */
import type { Split } from '@seamstream/attribute-world';
import { points } from '@seamstream/kernel';
import { mean, studentInterval } from '@seamstream/statistics';
import {
  type AttributesReport,
  type AttributesRow,
  CONTROLS,
  rowOf,
  shortcomings,
} from '../report/attributes-report.js';
import { inHundredths } from '../report/page-pieces.js';

/** What all worlds of a preset together must reach; ADR 0086 has what each must. Written down before the runs that are reported. */
const BARS = { meanHeldOut: 0.95, loopSeconds: 180 } as const;
/** Worlds that Student's interval has a quantile for. */
const MOST_WORLDS = 10;

/** The report of one run. */
export type WorldRun = Pick<AttributesReport, 'seed' | 'preset' | 'sets' | 'attempts' | 'loopSeconds'>;

/** What does not hold, in words: of each world by its seed, and of all together. */
export function worldsShortcomings(runs: readonly WorldRun[]): readonly string[] {
  const own = runs.flatMap((run) => {
    const short = [...shortcomings(run)];
    if (run.loopSeconds > BARS.loopSeconds)
      short.push(`the loop took ${run.loopSeconds.toFixed(0)} s, above ${BARS.loopSeconds} s`);
    return short.map((each) => `seed ${run.seed}: ${each}`);
  });
  const heldOut = mean(runs.map((run) => success(run, 'heldOut', 'trained')));
  return heldOut >= BARS.meanHeldOut
    ? own
    : [
        ...own,
        `all: ${inHundredths(heldOut)} % of held-out problems in the mean, below ${inHundredths(BARS.meanHeldOut)} %`,
      ];
}

/**
 * The study as Markdown: a row for each world, their mean with Student's interval over worlds, and what does not hold.
 * @param runs of one preset, one for each seed, ten at most
 */
export function worldsTable(runs: readonly WorldRun[]): string {
  const preset = runs[0]?.preset;
  if (preset === undefined || runs.length > MOST_WORLDS || runs.some((run) => run.preset !== preset))
    throw new RangeError(
      `Cannot compare worlds: expected 1 to ${MOST_WORLDS} runs of one preset, got ${runs.length} of ${[...new Set(runs.map((run) => run.preset))].join(', ') || 'none'}. Name fewer seeds, or one method.`,
    );
  const sorted = runs.toSorted((a, b) => a.seed - b.seed);
  const short = worldsShortcomings(sorted);
  const columns = COLUMNS.map(({ name }) => name);
  return [
    `| ${['seed', ...columns].join(' | ')} |`,
    `|${'---|'.repeat(columns.length + 1)}`,
    ...sorted.map((run) => `| ${[run.seed, ...COLUMNS.map(({ of, show }) => show(of(run)))].join(' | ')} |`),
    `| ${['mean', ...COLUMNS.map(({ of, show }) => meanOf(sorted.map(of), show))].join(' | ')} |`,
    '',
    short.length === 0 ? `All bars hold in ${runs.length} worlds.` : `Short: ${short.join('; ')}.`,
  ].join('\n');
}

const success = (run: WorldRun, split: Split, name: string): number => rowOf(run, split, name)?.success ?? 0;
const trained = (run: WorldRun, split: Split): AttributesRow | undefined => rowOf(run, split, 'trained');
const whole = (value: number): string => value.toFixed(0);

/** Least of both sets. */
const faithful = (run: WorldRun): number => Math.min(...run.sets.map((set) => set.faithful ?? 0));
/** The control that solves most, less the executor alone: on held-out problems. */
const bestControl = (run: WorldRun): number =>
  Math.max(...CONTROLS.map((name) => success(run, 'heldOut', name))) - success(run, 'heldOut', 'noExperience');

/** The baseline that solves most new words. */
const bestBaseline = (run: WorldRun): number =>
  Math.max(
    0,
    ...run.sets
      .filter(({ split }) => split === 'newWords')
      .flatMap(({ rows }) => rows.filter(({ isBaseline }) => isBaseline))
      .map((row) => row.success),
  );

interface Column {
  readonly name: string;
  readonly of: (run: WorldRun) => number;
  readonly show: (value: number) => string;
}

const COLUMNS: readonly Column[] = [
  { name: 'alone, %', of: (run) => success(run, 'heldOut', 'noExperience'), show: inHundredths },
  { name: 'held out, %', of: (run) => success(run, 'heldOut', 'trained'), show: inHundredths },
  { name: 'new words, %', of: (run) => success(run, 'newWords', 'trained'), show: inHundredths },
  { name: 'word table on new words, %', of: (run) => success(run, 'newWords', 'word table'), show: inHundredths },
  { name: 'best without a model on new words, %', of: bestBaseline, show: inHundredths },
  { name: 'best control less alone, points', of: bestControl, show: points },
  { name: 'lift, points', of: (run) => trained(run, 'heldOut')?.lift?.value ?? 0, show: points },
  { name: 'broken, %', of: (run) => trained(run, 'heldOut')?.broken ?? 1, show: inHundredths },
  { name: 'lift on new words, points', of: (run) => trained(run, 'newWords')?.lift?.value ?? 0, show: points },
  { name: 'broken of new words, %', of: (run) => trained(run, 'newWords')?.broken ?? 1, show: inHundredths },
  { name: 'faithful, %', of: faithful, show: inHundredths },
  { name: 'attempts', of: (run) => run.attempts, show: whole },
  { name: 'loop, s', of: (run) => run.loopSeconds, show: whole },
];

function meanOf(values: readonly number[], show: Column['show']): string {
  const interval = studentInterval(values);
  return interval === null ? show(mean(values)) : `${show(mean(values))} (${interval.map(show).join(' to ')})`;
}
