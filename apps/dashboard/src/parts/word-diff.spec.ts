import fc from 'fast-check';
import { wordDiff } from './word-diff.js';

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.array(fc.constantFrom('a', 'b', ' ', '\n')).map((all) => all.join('')),
);
const without = (kind: string, pieces: ReturnType<typeof wordDiff>): string =>
  pieces
    .filter((piece) => piece.kind !== kind)
    .map((piece) => piece.text)
    .join('');

describe('words that differ', () => {
  it('gives both texts back, of any kind', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const pieces = wordDiff(before, after);
        expect(without('new', pieces)).toBe(before);
        expect(without('gone', pieces)).toBe(after);
      }),
    );
  });

  it('marks no word of two equal texts, and only the words that changed of others', () => {
    fc.assert(
      fc.property(text, (same) => {
        expect(wordDiff(same, same).every(({ kind }) => kind === 'same')).toBe(true);
      }),
    );
    expect(wordDiff('weigh gold once', 'weigh gold twice')).toEqual([
      { kind: 'same', text: 'weigh gold ' },
      { kind: 'gone', text: 'once' },
      { kind: 'new', text: 'twice' },
    ]);
  });

  it('replaces texts whole that would take too long', () => {
    const [before, after] = [Array(2000).fill('a').join(' '), Array(2000).fill('b').join(' ')];
    expect(wordDiff(before, after).map(({ kind }) => kind)).toEqual(['gone', 'new']);
  });
});
