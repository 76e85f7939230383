import { drawWorld, PRESETS } from './lore.js';
import { attributeProblems, SPLITS } from './problems.js';
import { unknownWords } from './vocabulary.js';

describe('the words of the world of attributes', () => {
  it('are all that its statements have, in every split of every world', () => {
    for (const preset of PRESETS)
      for (const split of SPLITS)
        for (const { prompt } of attributeProblems({ world: drawWorld(5, preset), seed: 'words', split, count: 300 }))
          expect([prompt, unknownWords(prompt)]).toEqual([prompt, []]);
  });

  it('are not those of other problems', () => {
    expect(unknownWords('Turn the oak, heavy iron old. Dial at 41.')).toEqual(['oak', '41']);
    expect(unknownWords('How many boards?')).toEqual(['how', 'many', 'boards']);
  });
});
