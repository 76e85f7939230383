import fc from 'fast-check';
import { type EditKeyParts, editKey, editKeyText, editSeed } from './edit-key.js';

/** Few values of each part, so that equal parts are drawn as well as different ones. */
const words = fc.oneof(fc.constantFrom('', 'a', 'b', 'a","b', '\n', '0', 'null', '\ud800', 'é', 'é'), fc.string());
const numbers = fc.oneof(fc.constantFrom(0, 0.1, 0.7, 1), fc.double({ min: 0, max: 2, noNaN: true }));
const parts: fc.Arbitrary<EditKeyParts> = fc.record({
  passage: fc.record({ title: fc.option(words), passage: words }),
  kind: words,
  writer: fc.record({ source: words, model: words, adapter: fc.option(words), form: words }),
  sampling: fc.record({ temperature: numbers, topP: numbers, maxTokens: fc.nat() }),
  seed: words,
  number: fc.nat(3),
});

const PARTS = 12;

describe('the key of an edit', () => {
  it('is equal for equal parts, in any order of their fields', () => {
    fc.assert(
      fc.property(parts, (one) => {
        const { passage, ...others } = one;
        expect(editKey({ ...others, passage: { ...passage } })).toBe(editKey(one));
      }),
    );
  });

  it('is another one when any part is another one: each of them, exchanged alone', () => {
    fc.assert(
      fc.property(parts, parts, fc.nat(PARTS - 1), (one, two, place) => {
        const other = changed(one, place, two);
        expect(leavesOf(one)).toHaveLength(PARTS);
        expect(editKey(other) === editKey(one)).toBe(
          leavesOf(other).every((leaf, index) => Object.is(leaf, leavesOf(one)[index])),
        );
      }),
      { numRuns: 2000 },
    );
  });

  it('is equal for no two sets of parts that differ', () => {
    fc.assert(
      fc.property(parts, parts, (one, two) => {
        const isSame = leavesOf(one).every((leaf, index) => Object.is(leaf, leavesOf(two)[index]));
        expect(editKeyText(one) === editKeyText(two)).toBe(isSame);
      }),
      { numRuns: 2000 },
    );
  });

  it('lets a draw depend on passage, seed and number alone', () => {
    const one = { passage: { title: null, passage: 'Ada.' }, seed: 's', number: 0 };
    expect(editSeed({ ...one })).toBe(editSeed(one));
    const others = [
      { ...one, passage: { title: 'Ada.', passage: '' } },
      { ...one, seed: 't' },
      { ...one, number: 1 },
    ];
    expect(new Set([one, ...others].map(editSeed)).size).toBe(4);
  });
});

/** Every part by its path. Zero has one sign here: no sampler distinguishes them. */
function leavesOf(value: unknown): readonly unknown[] {
  if (value === 0) return [0];
  if (typeof value !== 'object' || value === null) return [value];
  return Object.values(value).flatMap(leavesOf);
}

/** One part exchanged for another value, by its place among all of them. */
function changed(value: EditKeyParts, place: number, by: EditKeyParts): EditKeyParts {
  let at = 0;
  const visit = (mine: unknown, other: unknown): unknown => {
    if (typeof mine !== 'object' || mine === null) return at++ === place ? other : mine;
    return Object.fromEntries(
      Object.entries(mine).map(([name, inner]) => [name, visit(inner, (other as Record<string, unknown>)[name])]),
    );
  };
  return visit(value, by) as EditKeyParts;
}
