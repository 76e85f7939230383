/**
 * What is kept of passages that a model learned one after the other. Pure.
 *
 *   score s(t, p): of the questions about passage p after t edits; t(p) is the edit with p, n the last one
 *   gain = s(t(p), p) − s(0, p)      forgetting = s(t(p), p) − s(n, p)      net = s(n, p) − s(0, p)
 *
 * Passages are what varies: of several seeds a passage has the mean, and intervals are over passages.
 */
import { boundedMean, type Estimate, mean } from '@seamstream/statistics';

export const RETENTION_ARMS = ['plain', 'replay', 'gate', 'together'] as const;
/** `plain`: each edit begins where the last one ended. `together`: one training on all edits. */
export type RetentionArm = (typeof RETENTION_ARMS)[number];

/** Scores after an edit. */
export interface RetentionStep {
  readonly arm: RetentionArm;
  readonly seed: string;
  /** 1 … n; of `together` n. */
  readonly step: number;
  /** By passage, 0 … 1; null where it was not asked yet. */
  readonly scores: readonly (number | null)[];
  /** False where the edit was refused, by the gate or since nothing can be trained on it. */
  readonly merged: boolean;
}

export interface RetentionResult {
  readonly arm: RetentionArm;
  /** By place in the sequence, means over seeds: before any edit, right after its own (null: together), and at the end. */
  readonly places: readonly { readonly before: number; readonly learned: number | null; readonly final: number }[];
  /** matrix[t][i]: mean score of what was learned as number i after t edits; null where it was not learned yet. One row of `together`. */
  readonly matrix: readonly (readonly (number | null)[])[];
  /** Null for `together`, which has no own edit. */
  readonly gain: Estimate | null;
  /** Of all passages but the last of each sequence, after which nothing comes. Null as {@link gain}, and of one passage. */
  readonly forgetting: Estimate | null;
  readonly net: Estimate;
  /** Final scores less those of `plain`, on the same passages. Null where `plain` was not measured. */
  readonly ahead: Estimate | null;
  /** Edits that were not merged, of all seeds. */
  readonly refused: number;
}

export interface RetentionStudied {
  readonly before: readonly number[];
  readonly steps: readonly RetentionStep[];
  /** By seed: passages in the order of their edits. */
  readonly orders: ReadonlyMap<string, readonly number[]>;
}

const DIFFERENCE = [-1, 1] as const;

/** @param studied with every step of each arm and seed that has any */
export function retentionResults(studied: RetentionStudied): readonly RetentionResult[] {
  const arms = RETENTION_ARMS.filter((arm) => studied.steps.some((step) => step.arm === arm));
  const plain = arms.includes('plain') ? finals(studied, 'plain') : undefined;
  return arms.map((arm) => ({ ...resultOf(studied, arm), ahead: aheadOf(arm, finals(studied, arm), plain) }));
}

function resultOf(studied: RetentionStudied, arm: RetentionArm): Omit<RetentionResult, 'ahead'> {
  const { before } = studied;
  const n = before.length;
  const sequences = sequencesOf(studied, arm);
  const isOneByOne = arm !== 'together';
  const at = (index: number): number[] => sequences.map(({ order }) => order[index]!);
  const last = finals(studied, arm);
  const steps = isOneByOne ? Array.from({ length: n }, (_, step) => step + 1) : [n];
  return {
    arm,
    places: before.map((_, index) => ({
      before: mean(at(index).map((passage) => before[passage]!)),
      learned: isOneByOne ? mean(sequences.map(({ order, row }) => row(index + 1)[order[index]!]!)) : null,
      final: mean(sequences.map(({ order, row }) => row(n)[order[index]!]!)),
    })),
    matrix: steps.map((step) =>
      before.map((_, index) =>
        index < step ? mean(sequences.map(({ order, row }) => row(step)[order[index]!]!)) : null,
      ),
    ),
    gain: isOneByOne ? differences(learnedIn(before, sequences), before) : null,
    forgetting: isOneByOne ? boundedMean(forgottenIn(before, sequences), DIFFERENCE) : null,
    net: differences(last, before)!,
    refused: studied.steps.filter((step) => step.arm === arm && !step.merged).length,
  };
}

/** Of each passage the score right after its own edit, mean over seeds. */
function learnedIn(before: readonly number[], sequences: readonly MeasuredSequence[]): readonly number[] {
  return before.map((_, passage) => mean(sequences.map(({ order, row }) => row(order.indexOf(passage) + 1)[passage]!)));
}

/** Of each passage that another one came after: how far its score fell since its own edit, mean over those seeds. */
function forgottenIn(before: readonly number[], sequences: readonly MeasuredSequence[]): readonly number[] {
  return before.flatMap((_, passage) => {
    const others = sequences.filter(({ order }) => order.at(-1) !== passage);
    if (others.length === 0) return [];
    return [
      mean(others.map(({ order, row }) => row(order.indexOf(passage) + 1)[passage]! - row(before.length)[passage]!)),
    ];
  });
}

/** Of each passage the score at the end, mean over seeds. */
function finals(studied: RetentionStudied, arm: RetentionArm): readonly number[] {
  const sequences = sequencesOf(studied, arm);
  const { length } = studied.before;
  return studied.before.map((_, passage) => mean(sequences.map(({ row }) => row(length)[passage]!)));
}

function aheadOf(
  arm: RetentionArm,
  own: readonly number[],
  plain: readonly number[] | undefined,
): RetentionResult['ahead'] {
  return plain === undefined || arm === 'plain' ? null : differences(own, plain);
}

/** Means of passages less those of the same passages: of all the mean, with an interval over passages. Null without any. */
export function differences(ones: readonly number[], others: readonly number[]): Estimate | null {
  return boundedMean(
    ones.map((one, index) => one - others[index]!),
    DIFFERENCE,
  );
}

interface MeasuredSequence {
  readonly order: readonly number[];
  readonly row: (step: number) => RetentionStep['scores'];
}

function sequencesOf({ steps, orders }: RetentionStudied, arm: RetentionArm): readonly MeasuredSequence[] {
  return [...orders].flatMap(([seed, order]) => {
    const rows = new Map(
      steps.filter((step) => step.arm === arm && step.seed === seed).map(({ step, scores }) => [step, scores]),
    );
    return rows.size === 0 ? [] : [{ order, row: (step: number) => rows.get(step)! }];
  });
}
