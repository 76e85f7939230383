/**
 * What a run of self-edits takes, from what a few passages took. Pure.
 *
 *   seconds = Σ phases m · units · r      r = Σ seconds / Σ units of the measured passages (the ratio estimator, Cochran 1977, chapter 6)
 *   m       = how often a phase is done for each passage in all iterations I: I · (e + 2 v / n) for writing, I · (e · s + 2 v / n) for training
 *             and answering, I · k · p for learning; e edits, s trainings of each, n passages, v validation passages, k kept edits, p epochs
 *   error   = t(k − 1, 97.5 %) · √( Σ (s − ŝ)² / (k − 1) / k ) / mean of ŝ      s measured, ŝ estimated seconds of each of k passages, phases
 *             weighted by m
 *
 * A promotion writes, trains on and asks about one edit of each validation passage with the new writer, and with the one it is compared with.
 *
 * The error is that of the speed alone: it says how well a few passages stand for all of them, on this machine as busy as it is.
 */
import { SeamError } from '@seamstream/kernel';
import { studentQuantile } from '@seamstream/statistics';

/** Training in tokens that carry loss, answering in questions, writing in tokens, learning of the writer in tokens of request and edit. */
export const COST_PHASES = ['training', 'answering', 'writing', 'learning'] as const;
export type CostPhase = (typeof COST_PHASES)[number];

type PerPhase = Readonly<Record<CostPhase, number>>;

/** What one passage took. */
export interface MeasuredPassage {
  readonly units: PerPhase;
  readonly seconds: PerPhase;
}

export interface CostPlan {
  /** Units of one edit of each passage, summed over the passages. */
  readonly units: PerPhase;
  readonly passages: number;
  readonly iterations: number;
  readonly editsPerPassage: number;
  /** Seeds: each edit is trained on and asked about so often. */
  readonly trainingsPerEdit: number;
  /** Edits that the writer learns from, a passage and iteration, and how often it goes through them; 0: it does not learn. */
  readonly keptPerPassage: number;
  readonly writerEpochs: number;
  /** Passages that promotions compare on; 0: none. They are taken for as long as the others. */
  readonly validationPassages: number;
  /** So many times as fast as the measured machine, all devices together. */
  readonly speed: number;
  /** Money for an hour of all devices; null: not asked. */
  readonly pricePerHour: number | null;
}

export interface CostEstimate {
  readonly phases: Readonly<Record<CostPhase, { readonly units: number; readonly seconds: number }>>;
  readonly seconds: number;
  /** Of these seconds those of promotions. */
  readonly promotionSeconds: number;
  /** Half the width of a 95 % interval, as a share of the estimate. */
  readonly error: number;
  readonly interval95: readonly [low: number, high: number];
  readonly money: number | null;
  /** Units per second of the measured machine; null for a phase that took no time. */
  readonly speed: Readonly<Record<CostPhase, number | null>>;
}

/** @throws INVALID_INPUT for fewer than two measured passages: one says nothing of how they differ */
export function estimateCost(measured: readonly MeasuredPassage[], plan: CostPlan): CostEstimate {
  const k = measured.length;
  if (k < 2)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot estimate the cost: expected at least two measured passages, got ${k}. Measure more (--calibrate).`,
    );
  const rates = perPhase((phase) => {
    const units = sum(measured.map((each) => each.units[phase]));
    return units === 0 ? 0 : sum(measured.map((each) => each.seconds[phase])) / units;
  });
  const { explored, promoted } = timesOf(plan);
  const times = perPhase((phase) => explored[phase] + promoted[phase]);
  const phases = Object.fromEntries(
    COST_PHASES.map((phase) => {
      const units = plan.units[phase] * times[phase];
      return [phase, { units, seconds: (units * rates[phase]) / plan.speed }];
    }),
  ) as CostEstimate['phases'];
  const seconds = sum(COST_PHASES.map((phase) => phases[phase].seconds));
  const estimated = measured.map(({ units }) =>
    sum(COST_PHASES.map((phase) => units[phase] * rates[phase] * times[phase])),
  );
  const residuals = measured.map(
    (each, index) => sum(COST_PHASES.map((phase) => each.seconds[phase] * times[phase])) - estimated[index]!,
  );
  const variance = sum(residuals.map((residual) => residual ** 2)) / (k - 1);
  const typical = sum(estimated) / k;
  const error = typical === 0 ? 0 : (studentQuantile(k - 1) * Math.sqrt(variance / k)) / typical;
  return {
    phases,
    seconds,
    promotionSeconds: sum(
      COST_PHASES.map((phase) => (plan.units[phase] * promoted[phase] * rates[phase]) / plan.speed),
    ),
    error,
    interval95: [Math.max(0, seconds * (1 - error)), seconds * (1 + error)],
    money: plan.pricePerHour === null ? null : (seconds / 3600) * plan.pricePerHour,
    speed: Object.fromEntries(
      COST_PHASES.map((phase) => [phase, rates[phase] === 0 ? null : 1 / rates[phase]]),
    ) as CostEstimate['speed'],
  };
}

/** How often each phase is done for a passage: to explore and to learn, and to promote. */
function timesOf(plan: CostPlan): { readonly explored: PerPhase; readonly promoted: PerPhase } {
  const { iterations, passages, editsPerPassage, trainingsPerEdit, keptPerPassage, writerEpochs } = plan;
  const compared = passages === 0 ? 0 : (2 * plan.validationPassages * iterations) / passages;
  const tried = iterations * editsPerPassage * trainingsPerEdit;
  return {
    explored: {
      ...{ writing: iterations * editsPerPassage, training: tried, answering: tried },
      learning: iterations * keptPerPassage * writerEpochs,
    },
    promoted: { writing: compared, training: compared, answering: compared, learning: 0 },
  };
}

function perPhase(of: (phase: CostPhase) => number): PerPhase {
  return Object.fromEntries(COST_PHASES.map((phase) => [phase, of(phase)])) as Record<CostPhase, number>;
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
