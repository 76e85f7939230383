import type { Problem } from '@seamstream/events';
import fc from 'fast-check';
import { addedUp, askedAgain, problemsByDomain, stretchOf } from './validation-row.js';

const problemOf = (domain: string, index: number): Problem => ({
  problemId: `${domain}-${index}`,
  domain,
  prompt: '',
  reference: '',
  verifier: { kind: 'exact', version: '1', options: {} },
  metadata: {},
});
const setOf = (sizes: Readonly<Record<string, number>>) =>
  problemsByDomain(
    Object.entries(sizes).flatMap(([domain, size]) =>
      Array.from({ length: size }, (_, index) => problemOf(domain, index)),
    ),
  );
const idsOf = (...parameters: Parameters<typeof stretchOf>): string[] =>
  stretchOf(...parameters).map(({ problemId }) => problemId);
const WHOLE = { asked: {}, from: 0, count: 1e9 };

describe('the row of validation problems', () => {
  it('holds every problem of the domains that have appeared once', () => {
    const set = setOf({ sums: 30, words: 10, herbs: 5 });
    const ids = idsOf(set, ['sums', 'words'], WHOLE);
    expect(new Set(ids).size).toBe(40);
    expect(ids.some((id) => id.startsWith('herbs'))).toBe(false);
  });

  it('is no order of the file, and the same for the same problems in any order', () => {
    const problems = Array.from({ length: 50 }, (_, index) => problemOf('sums', index));
    const ids = idsOf(problemsByDomain(problems), ['sums'], WHOLE);
    expect(ids).not.toEqual(problems.map(({ problemId }) => problemId));
    expect(idsOf(problemsByDomain(problems.toReversed()), ['sums'], WHOLE)).toEqual(ids);
  });

  it('mixes domains in their proportions from its beginning on', () => {
    const ids = idsOf(setOf({ sums: 300, words: 100 }), ['sums', 'words'], { asked: {}, from: 0, count: 40 });
    expect(ids.filter((id) => id.startsWith('words'))).toHaveLength(10);
  });

  it('asks no problem twice before all of its domain were asked, whichever domains appear on the way', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ words: fc.boolean(), count: fc.integer({ min: 1, max: 25 }) }), { maxLength: 12 }),
        (comparisons) => {
          const sizes = { sums: 40, words: 25 };
          const set = setOf(sizes);
          const seen: string[] = [];
          let asked = {};
          for (const { words, count } of comparisons) {
            const ids = idsOf(set, words ? ['sums', 'words'] : ['sums'], { asked, from: 0, count });
            const own = Object.fromEntries(
              Map.groupBy(ids, (id) => id.split('-')[0]!)
                .entries()
                .map(([d, all]) => [d, all.length]),
            );
            const repeated = ids.filter((id) => seen.includes(id)).length;
            const told = Object.entries(own).map(([domain, more]) =>
              askedAgain(sizes[domain as 'sums'], (asked as Record<string, number>)[domain] ?? 0, more),
            );
            expect(repeated).toBe(told.reduce((sum, each) => sum + each, 0));
            seen.push(...ids);
            asked = addedUp([asked, own]);
          }
        },
      ),
    );
  });
});

it('of a set of ten, after eight were asked, five more are two new ones and three again', () => {
  expect(askedAgain(10, 8, 5)).toBe(3);
  expect(askedAgain(10, 12, 5)).toBe(5);
  expect(askedAgain(10, 0, 10)).toBe(0);
});
