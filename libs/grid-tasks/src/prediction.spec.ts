import fc from 'fast-check';
import type { Grid } from './grid.js';
import { attemptsOf, SYMMETRIES, type Vote, viewPrompt, viewsOf, voteOf } from './prediction.js';
import { answerText, readAnswer } from './task-text.js';
import { anyGrid } from './testing.js';

const [A, B, C] = [[[1]], [[2]], [[3]]] as const satisfies Grid[];
const [PLAIN, TURNED] = viewsOf(1, 'votes', 1);

/** Votes by views: capitals of the unturned one, small letters of a turned one, a dot for an answer that is no grid. */
const votes = (letters: string): Vote[] =>
  Array.from(letters, (letter) => ({
    view: letter === letter.toUpperCase() ? PLAIN! : TURNED!,
    grid: { A, B, C }[letter.toUpperCase()],
  }));
const winners = (letters: string): string =>
  attemptsOf(votes(letters))
    .map(({ grid }) => 'ABC'[grid[0]![0]! - 1])
    .join('');

describe('views', () => {
  it('are each symmetry in so many orders, the unchanged one first, no order twice', () => {
    const views = viewsOf(4, 'seed', 3);
    expect(views[0]).toEqual({ symmetry: SYMMETRIES[0], order: [0, 1, 2, 3] });
    expect(new Set(views.map(({ symmetry }) => symmetry.name)).size).toBe(7);
    const names = views.map(({ symmetry, order }) => `${symmetry.name} ${order.join('')}`);
    expect(new Set(names).size).toBe(names.length);
    expect(views.length).toBeGreaterThan(7);
    expect(viewsOf(4, 'seed', 3)).toEqual(views);
    expect(viewsOf(1, 'seed', 3)).toHaveLength(7);
  });

  it('ask for the turned input after the turned pairs, in their order', () => {
    const pairs = [
      { input: [[1, 2]], output: [[3]] },
      { input: [[4]], output: [[5, 6]] },
    ];
    const transpose = SYMMETRIES.find(({ name }) => name === 'transpose')!;
    expect(viewPrompt({ symmetry: transpose, order: [1, 0] }, pairs, [[7, 8]])).toBe(
      'Input:\n4\nOutput:\n5\n6\n\nInput:\n1\n2\nOutput:\n3\n\nInput:\n7\n8\nOutput:\n',
    );
  });

  it('turn back what a model answered in them', () => {
    fc.assert(
      fc.property(anyGrid(6), fc.constantFrom(...viewsOf(1, 'seed', 1)), (grid, view) => {
        const answer = answerText(view.symmetry.apply(grid));
        expect(voteOf(view, answer)).toEqual({ view, grid });
        expect(voteOf(view, `${answer}Input:\n1\nOutput:\n2`)).toEqual({ view, grid });
      }),
    );
    expect(voteOf(PLAIN!, 'I do not know.').grid).toBeUndefined();
    expect(readAnswer('')).toBeUndefined();
  });
});

describe('a vote', () => {
  it.each([
    ['the two grids with most votes are the attempts', 'abbcbac', 'BA'],
    ['one grid is one attempt', 'aaa', 'A'],
    ['answers that are no grid do not count', '...b', 'B'],
    ['without a grid there is no attempt', '...', ''],
    ['of equal numbers, votes of the unturned view decide', 'aabB', 'BA'],
    ['more votes precede votes of the unturned view', 'aaB', 'AB'],
    ['of equal numbers of both, the first vote decides', 'cbabca', 'CB'],
    ['the same for the second attempt', 'aaabC', 'AC'],
  ])('%s', (_, letters, expected) => {
    expect(winners(letters)).toBe(expected);
  });

  it('names the symmetries that gave a grid', () => {
    expect(attemptsOf(votes('Aab'))).toEqual([
      { grid: A, votes: 2, symmetries: ['identity', TURNED!.symmetry.name] },
      { grid: B, votes: 1, symmetries: [TURNED!.symmetry.name] },
    ]);
  });
});
