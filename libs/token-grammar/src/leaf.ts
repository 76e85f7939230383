/**
 * What is spelled freely inside a JSON text: the inside of a string, or a number. A leaf reads bytes and, where it counts, the
 * characters that they complete.
 */
export interface Leaf {
  readonly id: number;
  readonly start: number;
  /** Bounds on the count of completed characters; `least` 0 and `most` Infinity where nothing is counted. */
  readonly least: number;
  readonly most: number;
  /** Characters that the way out takes from where it is longest. */
  readonly farthest: number;
  /** The state after a byte; −1 where the byte is illegal. */
  step(state: number, byte: number): number;
  /** Whether arriving at this state completes a character. */
  completes(state: number): boolean;
  /** Whether the leaf may end here after so many characters. */
  mayEnd(state: number, count: number): boolean;
  /**
   * The shortest way to an end that single-byte tokens spell: its bytes, and the first of them.
   * @returns null where there is none: what leads here is never offered
   */
  rest(state: number, count: number): Rest | null;
}

export interface Rest {
  readonly bytes: number;
  /** −1 where the leaf may end. */
  readonly next: number;
}

/** The count after arriving at a state. Without a bound above, counts beyond the one below are alike. */
export function countAfter(leaf: Leaf, state: number, count: number): number {
  return leaf.completes(state) ? cappedCount(leaf, count + 1) : count;
}

/** The count that a position keeps. */
export function cappedCount(leaf: Leaf, count: number): number {
  return leaf.most === Number.POSITIVE_INFINITY ? Math.min(count, leaf.least) : count;
}

/** Whether one more character fits where it is begun or completed. */
export function fits(leaf: Leaf, state: number, count: number): boolean {
  return count + (leaf.completes(state) || leaf.most === Number.POSITIVE_INFINITY ? 0 : 1) <= leaf.most;
}
