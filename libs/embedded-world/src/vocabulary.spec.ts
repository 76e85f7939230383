import { worldProblems } from './problems.js';
import { unknownWords } from './vocabulary.js';

describe('the words of the embedded world', () => {
  it('are all that its statements have, in every split', () => {
    for (const split of ['train', 'validation', 'heldOut'] as const)
      for (const variant of ['base', 'shifted'] as const)
        for (const { prompt } of worldProblems({ seed: 'words', split, variant, count: 400 }))
          expect([prompt, unknownWords(prompt)]).toEqual([prompt, []]);
  });

  it('are not those of other problems', () => {
    expect(unknownWords('Natalia sold clips to 48 of her friends in April, and 63 more in May.')).toEqual(
      expect.arrayContaining(['natalia', 'clips', 'friends', '63']),
    );
    expect(unknownWords('多少？')).toEqual(['多少']);
    // Their slots are no words.
    expect(unknownWords('cue pitfall word')).toHaveLength(3);
    expect(unknownWords('')).toEqual([]);
  });
});
