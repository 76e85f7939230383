import fc from 'fast-check';
import {
  afterFailure,
  afterSuccess,
  halvedAt,
  innermost,
  NO_SETBACK,
  narrowed,
  type Split,
  wholeBatch,
  widened,
} from './batch-split.js';

/** A try of the records from one offset up to another. */
type Try = readonly [from: number, end: number];

describe('a batch that is halved', () => {
  it('is tried in the parts in which recursion would try it, and every culprit is found alone', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.array(fc.nat(39), { maxLength: 6 }), (count, culprits) => {
        const isCulprit = (offset: number): boolean => culprits.includes(offset);
        const { tried, given } = triedIn(count, isCulprit);
        expect({ tried, given }).toEqual(recursively(count, isCulprit));
        expect(given).toEqual([...new Set(culprits)].filter((each) => each < count).sort((a, b) => a - b));
        // Two tries of each half that holds one, its last try, and what is behind it.
        expect(tried.length).toBeLessThanOrEqual(1 + given.length * 5 * Math.ceil(Math.log2(count) + 1));
      }),
    );
  });

  it('forgets earlier failures only after the finished half', () => {
    const tired = afterFailure(wholeBatch(8), { failures: 1, outages: 3, oneAtATime: true });
    const half = halvedAt(tired, 4);
    expect(innermost(half)).toEqual({ end: 4, failures: 0, outages: 0, oneAtATime: false });
    expect(afterSuccess(half, 2)).toEqual(half);
    expect(afterSuccess(half, 4)).toEqual([{ end: 8, failures: 0, outages: 3, oneAtATime: true }]);
  });
});

describe('a commit that is refused', () => {
  it('is narrowed to one record, and widened to whole batches again after the culprit', () => {
    let setback = NO_SETBACK;
    const limits: number[] = [];
    for (let taken = 16; taken > 1; taken = setback.limit) {
      setback = narrowed(setback, taken, taken);
      limits.push(setback.limit);
    }
    expect(limits).toEqual([8, 4, 2, 1]);
    expect(setback.limitedTo).toBe(16);
    for (const limit of [2, 4, 8, 16]) {
      setback = widened(setback, 16);
      expect(setback).toMatchObject({ limit, limitedTo: 16, failures: 0 });
    }
    expect(widened(setback, 16)).toBe(NO_SETBACK);
  });
});

/** The tries of a batch in order, when each try with a culprit fails: twice as a whole, then halved. A culprit alone is given up. */
function triedIn(
  count: number,
  isCulprit: (offset: number) => boolean,
): { readonly tried: Try[]; readonly given: number[] } {
  const [tried, given]: [Try[], number[]] = [[], []];
  let split: Split = wholeBatch(count);
  for (let from = 0; from < count; ) {
    const { end, failures } = innermost(split);
    const part = Array.from({ length: end - from }, (_, index) => from + index).filter((each) => !given.includes(each));
    tried.push([from, end]);
    if (!part.some(isCulprit)) {
      from = end;
      split = afterSuccess(split, from);
    } else if (part.length === 1) given.push(part[0]!);
    else if (failures === 0) split = afterFailure(split, { failures: 1 });
    else split = halvedAt(split, part[Math.floor(part.length / 2)]!);
  }
  return { tried, given };
}

/** The same by recursion. */
function recursively(count: number, isCulprit: (offset: number) => boolean): ReturnType<typeof triedIn> {
  const [tried, given]: [Try[], number[]] = [[], []];
  const finish = (begin: number, end: number): void => {
    let [from, failures] = [begin, 0];
    while (from < end) {
      const part = Array.from({ length: end - from }, (_, index) => from + index).filter(
        (each) => !given.includes(each),
      );
      tried.push([from, end]);
      if (!part.some(isCulprit)) return;
      if (part.length === 1) given.push(part[0]!);
      else if (++failures === 2) {
        const middle = part[Math.floor(part.length / 2)]!;
        finish(from, middle);
        [from, failures] = [middle, 0];
      }
    }
  };
  finish(0, count);
  return { tried, given };
}
