/**
 * Prediction by vote (arXiv 2411.07279, section 4): the test input is asked for in several views, a symmetry and an order of the pairs
 * each. Every answer is turned back by the symmetry's inverse, and the two grids with most votes are the attempts.
 */
import { Random } from '@seamstream/kernel';
import {
  type Bijection,
  FLIP_HORIZONTAL,
  FLIP_VERTICAL,
  IDENTITY,
  ROTATE_90,
  ROTATE_180,
  ROTATE_270,
  TRANSPOSE,
} from './augmentations.js';
import { type Grid, printGrid } from './grid.js';
import type { GridPair } from './grid-task.js';
import { MAX_ATTEMPTS } from './scoring.js';
import { promptText, readAnswer } from './task-text.js';

/** What a task is turned by for a vote. Enlargements are not among them: an answer outside their image has no inverse. */
export const SYMMETRIES: readonly Bijection[] = [
  IDENTITY,
  TRANSPOSE,
  FLIP_VERTICAL,
  FLIP_HORIZONTAL,
  ROTATE_90,
  ROTATE_180,
  ROTATE_270,
];

export interface View {
  readonly symmetry: Bijection;
  /** The task's pairs in the order in which they are shown; a permutation of 0 … pairs − 1. */
  readonly order: readonly number[];
}

/** A vote for a grid, or, where the answer was not one, for none. */
export interface Vote {
  readonly view: View;
  readonly grid: Grid | undefined;
}

export interface Attempt {
  readonly grid: Grid;
  readonly votes: number;
  /** The symmetries that it was answered in, in the order of the views: which of them helped. */
  readonly symmetries: readonly string[];
}

/**
 * The views of a task, the unchanged one first.
 * @param ordersPerSymmetry the pairs' own order is one of them; equal orders are not repeated
 */
export function viewsOf(numPairs: number, seed: string, ordersPerSymmetry: number): readonly View[] {
  const own = Array.from({ length: numPairs }, (_, index) => index);
  return SYMMETRIES.flatMap((symmetry) => {
    const random = Random.of(seed, symmetry.name);
    const drawn = Array.from({ length: ordersPerSymmetry - 1 }, () => random.shuffled(own));
    const orders = new Map([own, ...drawn].map((order) => [order.join(), order]));
    return [...orders.values()].map((order) => ({ symmetry, order }));
  });
}

/** What a model is asked in a view. */
export function viewPrompt({ symmetry, order }: View, pairs: readonly GridPair[], input: Grid): string {
  const shown = order.map((index) => pairs[index]!);
  const turned = shown.map((pair) => ({ input: symmetry.apply(pair.input), output: symmetry.apply(pair.output) }));
  return promptText(turned, symmetry.apply(input));
}

/** The vote of an answer in a view, turned back. */
export function voteOf(view: View, answer: string): Vote {
  const grid = readAnswer(answer);
  return { view, grid: grid === undefined ? undefined : view.symmetry.inverse(grid) };
}

/**
 * The attempts: up to two different grids, the one with more votes first. Of grids with as many votes the one precedes that has more
 * votes of unturned views; of these the one whose first vote came first. Votes for no grid do not count.
 */
export function attemptsOf(votes: readonly Vote[]): readonly Attempt[] {
  const candidates = new Map<string, { grid: Grid; symmetries: string[] }>();
  for (const { view, grid } of votes) {
    if (grid === undefined) continue;
    const key = printGrid(grid);
    const candidate = candidates.get(key) ?? { grid, symmetries: [] };
    candidate.symmetries.push(view.symmetry.name);
    candidates.set(key, candidate);
  }
  const unturned = (names: readonly string[]): number => names.filter((name) => name === IDENTITY.name).length;
  // A stable sort: what ties in both keeps the order of first votes.
  return [...candidates.values()]
    .sort((a, b) => b.symmetries.length - a.symmetries.length || unturned(b.symmetries) - unturned(a.symmetries))
    .slice(0, MAX_ATTEMPTS)
    .map(({ grid, symmetries }) => ({ grid, votes: symmetries.length, symmetries: [...new Set(symmetries)] }));
}
