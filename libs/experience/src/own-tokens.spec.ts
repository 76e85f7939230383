import { Random } from '@seamstream/kernel';
import fc from 'fast-check';
import { breakerOf } from './own-tokens.js';
import { loadPrompts } from './prompts.js';

/** As published tokenizers have them, beyond the forms of the known families; the last ones are there to be awkward. */
const OWN = [
  '<filename>',
  '<reponame>',
  '>>TITLE<<',
  '¿?',
  '<0>',
  '< 0>',
  '<  0>',
  ' <x>',
  '[a',
  'a b',
  '<<',
  '<|im_end|>',
];

describe("control tokens of a model's own vocabulary", () => {
  it('are left in no text from outside', () => {
    const breaker = breakerOf(OWN);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...OWN, ...'<>0 ax[?¿|\n'.split(''))), (parts) => {
        const text = breaker(parts.join(''));
        // What plain-data.ts breaks already is not looked for twice.
        for (const token of OWN.filter((each) => each !== '<|im_end|>')) expect(text).not.toContain(token.trim());
        expect(breaker(text)).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });

  it('are broken in problems, entries and the wrapper alike, for generator and executor', async () => {
    const prompts = await loadPrompts();
    const own = ['<filename>'];
    const text = 'a<filename>b';
    for (const prompt of [
      prompts.executor(text, text, own),
      prompts.executor(text, null, own),
      prompts.executor('P', `{"memory_item":"${text}"}`, own),
      prompts.wrapperOnly(text, own),
      prompts.generator(text, own),
    ])
      expect([prompt.includes('<filename>'), prompt.includes('< filename>')]).toEqual([false, true]);
    expect(prompts.generator(text)).toContain(text);
  });

  it('leave every other text as it was', () => {
    const random = Random.of('texts', '1');
    const breaker = breakerOf(['<filename>', '>>TITLE<<']);
    for (let i = 0; i < 1000; i++) {
      const text = Array.from({ length: 20 }, () => random.pick(['<file', 'name>', ' ', '>>', 'TITLE', '<', 'x'])).join(
        '',
      );
      const without = text.replaceAll('<filename>', '').replaceAll('>>TITLE<<', '');
      if (without === text) expect(breaker(text)).toBe(text);
    }
  });

  it('are found in linear time, however many there are', () => {
    const many = Array.from({ length: 4096 }, (_, index) => `<x${'y'.repeat(index % 40)}${index}>`);
    for (const piece of ['<x', '<', 'y', '<xyyyyyyyyyyyyyyyy', '< '])
      expect(breakerOf(many)(piece.repeat(2 ** 18 / piece.length)).length).toBeGreaterThanOrEqual(2 ** 17);
  });
});
