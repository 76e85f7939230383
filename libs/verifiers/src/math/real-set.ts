/** Sets of real numbers as segments in ascending order that neither overlap nor touch; a point is a segment of no length. */

export interface Segment {
  readonly low: number;
  readonly high: number;
  readonly hasLow: boolean;
  readonly hasHigh: boolean;
}
export type RealSet = readonly Segment[];

export const ALL_REALS: RealSet = [
  { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY, hasLow: false, hasHigh: false },
];

export const point = (x: number): Segment => ({ low: x, high: x, hasLow: true, hasHigh: true });

/** Null where the ends are in the wrong order or an infinite end is said to belong to it. */
export function segment(low: number, high: number, hasLow: boolean, hasHigh: boolean): Segment | null {
  if (Number.isNaN(low) || Number.isNaN(high) || low > high) return null;
  return { low, high, hasLow: hasLow && Number.isFinite(low), hasHigh: hasHigh && Number.isFinite(high) };
}

export function union(sets: readonly RealSet[]): RealSet {
  const merged: Segment[] = [];
  const isEmpty = ({ low, high, hasLow, hasHigh }: Segment): boolean => low === high && !(hasLow && hasHigh);
  const all = sets.flat().filter((each) => !isEmpty(each));
  for (const next of all.sort((a, b) => a.low - b.low || Number(b.hasLow) - Number(a.hasLow))) {
    const last = merged.at(-1);
    if (last === undefined || next.low > last.high || (next.low === last.high && !next.hasLow && !last.hasHigh)) {
      merged.push(next);
      continue;
    }
    const isLonger = next.high > last.high;
    merged[merged.length - 1] = {
      ...last,
      high: isLonger ? next.high : last.high,
      hasHigh: isLonger ? next.hasHigh : last.hasHigh || (next.high === last.high && next.hasHigh),
    };
  }
  return merged;
}

function complement(set: RealSet): RealSet {
  const gaps: Segment[] = [];
  let low = Number.NEGATIVE_INFINITY;
  let hasLow = false;
  for (const each of union([set])) {
    if (each.low > low || (each.low === low && hasLow && !each.hasLow))
      gaps.push({ low, high: each.low, hasLow, hasHigh: !each.hasLow && Number.isFinite(each.low) });
    low = each.high;
    hasLow = !each.hasHigh;
  }
  if (low < Number.POSITIVE_INFINITY) gaps.push({ low, high: Number.POSITIVE_INFINITY, hasLow, hasHigh: false });
  return union([gaps]);
}

export const contains = (set: RealSet, x: number): boolean =>
  set.some(
    ({ low, high, hasLow, hasHigh }) => (low < x && x < high) || (x === low && hasLow) || (x === high && hasHigh),
  );
export const intersection = (a: RealSet, b: RealSet): RealSet => complement(union([complement(a), complement(b)]));
export const difference = (a: RealSet, b: RealSet): RealSet => intersection(a, complement(b));

/** Equal ends are equal doubles: see RealLine in equivalence.ts. */
export function sameSet(a: RealSet, b: RealSet): boolean {
  const [p, q] = [union([a]), union([b])];
  return (
    p.length === q.length &&
    p.every((each, i) => {
      const other = q[i]!;
      return (
        each.hasLow === other.hasLow &&
        each.hasHigh === other.hasHigh &&
        each.low === other.low &&
        each.high === other.high
      );
    })
  );
}
