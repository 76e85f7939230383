import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { didYouMean, isMeant, LEAST_OF_ID } from './meant.js';

const id = fc.stringMatching(/^[0-9a-fA-F]{8}-[0-9a-f]{4}$/);

describe('An id', () => {
  it('is meant by itself and by every beginning that is long enough, in any letter case', () => {
    fc.assert(
      fc.property(id, fc.nat(13), (whole, length) => {
        const begun = whole.slice(0, length);
        for (const text of [begun, begun.toLowerCase(), begun.toUpperCase()])
          expect(isMeant(text, whole)).toBe(length >= LEAST_OF_ID);
      }),
    );
    expect(isMeant('q1', 'q1')).toBe(true);
    expect(isMeant('q1', 'Q1')).toBe(false);
  });

  it('is not meant by a text that is longer', () => {
    fc.assert(fc.property(id, (whole) => expect(isMeant(`${whole}0`, whole)).toBe(false)));
  });
});

describe('A misspelt name', () => {
  const known = ['numeric', 'exact', 'math', 'choice', 'json', 'code', 'http', 'passage'];

  it('is followed by the known one that a slip of a key makes it of', () => {
    const slips = fc
      .tuple(fc.constantFrom(...known), fc.nat(), fc.constantFrom('left out', 'doubled', 'swapped'))
      .map(([name, at, slip]) => {
        const place = at % name.length;
        const [letter = '', next = ''] = name.slice(place);
        const letters = { 'left out': next, doubled: letter + letter + next, swapped: next + letter }[slip];
        return [name, name.slice(0, place) + letters + name.slice(place + 2)] as const;
      });
    fc.assert(fc.property(slips, ([name, slip]) => expect(didYouMean(slip, known)).toBe(` (did you mean ${name}?)`)));
  });

  it.each(['zebra', '', 'magic'])('is followed by nothing where it resembles none: "%s"', (name) => {
    expect(didYouMean(name, known)).toBe('');
  });
});
