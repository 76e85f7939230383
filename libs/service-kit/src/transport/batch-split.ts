/**
 * Which records from the front of a batch are tried next: all of them, a half, a half of it, one. A split is a stack of stretches, each
 * with its end and what was tried of it. The innermost is worked on. Once it is done, the rest of the one around it is next. Pure.
 *
 *   ┌──────────────── whole ────────────────┐      a culprit at x: the whole fails twice, then its first half is tried, which fails
 *   ┌───── half ─────┐                             twice, and so on; what follows a finished half is tried as a whole
 *   ┌ half ┐ x
 */

/** Records of a batch up to an offset. */
export interface Stretch {
  /** Offset after its last record. */
  readonly end: number;
  /** Failures as a whole, and outages, since the last success. */
  readonly failures: number;
  readonly outages: number;
  /** Whether its records are tried one by one. */
  readonly oneAtATime: boolean;
}

/** The innermost stretch last. */
export type Split = readonly [...Stretch[], Stretch];

export function wholeBatch(end: number): Split {
  return [{ end, failures: 0, outages: 0, oneAtATime: false }];
}

export function innermost(split: Split): Stretch {
  return split.at(-1)!;
}

/** After a failure. */
export function afterFailure(split: Split, change: Partial<Omit<Stretch, 'end'>>): Split {
  return [...split.slice(0, -1), { ...innermost(split), ...change }];
}

/** Only the records before the offset are tried next. */
export function halvedAt(split: Split, end: number): Split {
  return [...split, { end, failures: 0, outages: 0, oneAtATime: false }];
}

/** After a success that ends before the offset. */
export function afterSuccess(split: Split, next: number): Split {
  let left: Split = afterFailure(split, { failures: 0, outages: 0 });
  while (left.length > 1 && innermost(left).end <= next)
    left = afterFailure(left.slice(0, -1) as unknown as Split, { failures: 0 });
  return left;
}

/** Commits of a partition that failed one after the other, beyond the claims that each may have cost. */
export interface Setback {
  /** Since the last commit, for the back-off. */
  readonly failures: number;
  /** The next try is not before this time, in milliseconds of the clock. */
  readonly notBeforeMs: number;
  /** Most records to take at once while a culprit is sought, and the offset where the search ends. */
  readonly limit: number;
  readonly limitedTo: number;
}

export const NO_SETBACK: Setback = {
  failures: 0,
  notBeforeMs: 0,
  limit: Number.POSITIVE_INFINITY,
  limitedTo: 0,
};

/** Half as many records are taken, up to the end of those with the culprit. */
export function narrowed(setback: Setback, taken: number, end: number): Setback {
  return { ...setback, limit: Math.floor(taken / 2), limitedTo: Math.max(setback.limitedTo, end) };
}

/** After a commit: more is taken again, step by step, as a batch may hold several culprits. */
export function widened({ limit, limitedTo }: Setback, batchRecords: number): Setback {
  return limit < batchRecords ? { ...NO_SETBACK, limit: limit * 2, limitedTo } : NO_SETBACK;
}
