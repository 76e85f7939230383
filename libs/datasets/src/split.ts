/**
 * A dataset in parts that depend on each question alone: a reader of any rows in any order gets the same parts,
 * and a question that is in a file twice is in one part twice.
 */
import { SeamError, sha256 } from '@seamstream/kernel';
import { normalisedQuestion } from './question.js';

export const SPLITS = ['train', 'validation', 'test'] as const;
export type Split = (typeof SPLITS)[number];

export interface SplitRule {
  /** Shares of train, validation and test; their sum is 1. */
  readonly fractions: readonly [train: number, validation: number, test: number];
  /** Another seed, other parts. */
  readonly seed: string;
}

/** Sums of decimal fractions miss 1 by a few units in the last place. */
const SUM_TOLERANCE = 1e-9;

/** Reads "0.9,0.05,0.05". @throws INVALID_INPUT unless they are three shares with the sum 1. */
export function parseFractions(text: string): SplitRule['fractions'] {
  const parts = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const [train, validation, test] = parts;
  const sum = parts.reduce((total, part) => total + part, 0);
  if (
    parts.length !== 3 ||
    parts.some((part) => !(part >= 0 && part <= 1)) ||
    Math.abs(sum - 1) > SUM_TOLERANCE ||
    train === undefined ||
    validation === undefined ||
    test === undefined
  ) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot read --fractions: expected three shares of train, validation and test with the sum 1, such as 0.9,0.05,0.05, got "${text}".`,
    );
  }
  return [train, validation, test];
}

/**
 * The part that a question belongs to: the first 52 bits of SHA-256(seed, question as it is compared) as a number in [0, 1),
 * held against the cumulated shares.
 */
export function splitOf(question: string, { fractions, seed }: SplitRule): Split {
  const digest = sha256(`${seed}\u001f${normalisedQuestion(question)}`);
  const at = Number.parseInt(digest.slice(0, 13), 16) / 2 ** 52;
  const [train, validation] = fractions;
  if (at < train) return 'train';
  // A last share of nothing stays empty, no matter what the sum of the others is rounded to.
  return at < train + validation || fractions[2] === 0 ? 'validation' : 'test';
}
