import fc from 'fast-check';
import { attemptsText, promptText, readAttempts, readPrompt } from './task-text.js';
import { anyGrid, anyPairs } from './testing.js';

describe('a task as text', () => {
  it('is read as the task that it was rendered from', () => {
    fc.assert(
      fc.property(anyPairs(1, 4), anyGrid(30), (pairs, input) => {
        expect(readPrompt(promptText(pairs, input))).toEqual({ pairs, input });
      }),
      { numRuns: 200 },
    );
  });

  it('is not seen where a text is no grid, or no pair is shown', () => {
    const prompt = promptText([{ input: [[1]], output: [[2]] }], [[3]]);
    expect(readPrompt(prompt)).toBeDefined();
    for (const other of ['', 'x', prompt.replace('1', 'a'), prompt.replace('2', '2\n33'), prompt.replace('3', '?')])
      expect(readPrompt(other)).toBeUndefined();
    expect(readPrompt(promptText([], [[3]]))).toBeUndefined();
  });
});

describe('attempts as text', () => {
  it('are read as they were written', () => {
    fc.assert(
      fc.property(fc.array(anyGrid(6), { maxLength: 2 }), (attempts) => {
        expect(readAttempts(attemptsText(attempts))).toEqual(attempts);
      }),
    );
  });

  it.each([
    [
      'an answer alone',
      '07\n77\n\nInput:\n1',
      [
        [
          [0, 7],
          [7, 7],
        ],
      ],
    ],
    [
      'an answer behind its marker',
      'Answer: 07\n77',
      [
        [
          [0, 7],
          [7, 7],
        ],
      ],
    ],
    ['a third attempt', 'Attempt 1:\n1\n\nAttempt 2:\n2\n\nAttempt 2:\n3\n\n', [[[1]], [[2]]]],
    ['an attempt that is no grid', 'Attempt 1:\nx\n\nAttempt 2:\n2\n\n', [[[2]]]],
    ['words', 'No attempt: too-many-steps', []],
  ])('of %s are those that are grids, two at most', (_, text, attempts) => {
    expect(readAttempts(text)).toEqual(attempts);
  });
});
