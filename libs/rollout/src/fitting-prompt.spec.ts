import { MOST_PROMPT_CHARACTERS } from '@seamstream/tasks';
import { fittingPrompt } from './fitting-prompt.js';

/** A tokenizer of one token per character that counts what it is given. */
function model(maxPositions: number) {
  const read: number[] = [];
  const tokenizer = {
    digest: 'd',
    encode: (text: string): number[] => {
      read.push(text.length);
      return Array.from({ length: text.length }, () => 0);
    },
    decode: () => '',
  };
  return { read, tokenizer, config: { maxPositions } };
}

describe('a prompt that is to be tokenized', () => {
  it('fits where it leaves room for what follows, to the token', () => {
    expect(fittingPrompt(model(10), 'abcdef', 4)).toEqual({ fits: true, tokenIds: [0, 0, 0, 0, 0, 0] });
    expect(fittingPrompt(model(10), 'abcdefg', 4)).toEqual({ fits: false, size: '7 tokens' });
  });

  it('is not read at all beyond the characters that are, for any size of model', () => {
    const wide = model(10_000_000);
    expect(fittingPrompt(wide, 'a'.repeat(MOST_PROMPT_CHARACTERS), 4).fits).toBe(true);
    expect(fittingPrompt(wide, 'a'.repeat(MOST_PROMPT_CHARACTERS + 1), 4)).toEqual({
      fits: false,
      size: '131073 characters, more than the 131072 that are read,',
    });
    expect(wide.read).toEqual([MOST_PROMPT_CHARACTERS]);
  });
});
