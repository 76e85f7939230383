import { passageProblems } from './problems.js';
import { unknownWords } from './vocabulary.js';

describe('the words of the passages', () => {
  it('are all that their prompts have, in every split', () => {
    for (const people of ['train', 'validation', 'heldOut'] as const)
      for (const { problem } of passageProblems({ seed: 'words', people, count: 200 }))
        expect([problem.prompt, unknownWords(problem.prompt)]).toEqual([problem.prompt, []]);
  });

  it('are not those of other texts', () => {
    expect(unknownWords('Ada Abel sold 48 clips. name value')).toEqual(['sold', '48', 'clips', 'name', 'value']);
  });
});
