import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { asOfMoment, localText, money, shellWord } from './words.js';

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

  it('of a command for a moment of the address run nothing else', () => {
    const command = asOfMoment('seam lift', '$(echo run);echo `echo run` # "\n');
    const said = execFileSync('/bin/sh', ['-c', `seam() { printf '%s|' "$@"; }; ${command}`], { encoding: 'utf8' });
    expect(said).toBe('lift|--as-of|$(echo run);echo `echo run` # "\n|');
  });

  it('of a time are those of a field, and none for a time that no field has', () => {
    expect(localText(new Date(2026, 10, 27, 7, 5, 9).getTime())).toBe('2026-11-27T07:05:09');
    for (const address of ['+275760-09-13T00:00:00Z', '-271821-04-20T00:00:00Z', '+012026-01-01T00:00:00Z'])
      expect(localText(Date.parse(address))).toBe('');
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), (at) => expect(localText(at.getTime())).toMatch(/^$|^.{19}$/)),
    );
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
