import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { money, shellWord } from './words.js';

describe('words of the page', () => {
  it('of money have two figures behind the point at least, and all that count', () => {
    expect([12_500_000, 0, 1, 150_000, 1_234_567].map(money)).toEqual([
      '12.50',
      '0.00',
      '0.000001',
      '0.15',
      '1.234567',
    ]);
  });

  it('of a command are one word of a shell, for any text of an address', () => {
    const words = fc.string({ unit: 'binary-ascii', minLength: 1 }).filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(words, (text) => {
        const said = execFileSync('/bin/sh', ['-c', `printf '%s|' ${shellWord(text)}`], { encoding: 'utf8' });
        expect(said).toBe(`${text}|`);
      }),
      { numRuns: 50 },
    );
  });
});
