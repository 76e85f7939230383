/** What a text says as an answer or as a reference: nothing of it is left out in silence. */
import { mathVerifier } from '../math.verifier.js';
import { equivalent } from './equivalence.js';
import { referenceAnswer } from './statement.js';

const RULES = { decimals: 6, percent: 'either', positive: true } as const;
const same = (reference: string, answer: string) => equivalent(referenceAnswer(reference), answer, RULES);
const tex = String.raw;

describe('answers that say something else', () => {
  it.each<[string, readonly (readonly [string, string])[]]>([
    [
      'a pair of equal numbers, which is no empty interval,',
      [
        ['(1,1)', tex`\emptyset`],
        ['(1,1)', 'no solution'],
        ['(1,1)', tex`\{\}`],
        ['(1,1)', '1<x<1'],
        ['(1,1)', 'x>3 and x<2'],
        [tex`\emptyset`, '(3,3)'],
        [tex`(3,3)\cup(4,5)`, '(4,5)'],
      ],
    ],
    [
      'digits with a blank between them',
      [
        ['3 1/2', '31/2'],
        ['31/2', '3 1/2'],
        ['2 3/4', '23/4'],
        ['12', '1 2'],
        ['78', tex`7 \quad 8`],
        [tex`15 \text{ hours}`, tex`\text{1.5 hours}`],
        [tex`15 \text{ hours}`, tex`-15 \text{ hours}`],
      ],
    ],
    [
      'another case of letters',
      [
        ['C', 'c'],
        ['x', 'X'],
        ['R', 'r'],
        ['xy', 'XY'],
        ['AB', 'ab'],
      ],
    ],
    [
      'values with each other’s names',
      [
        ['(x,y)=(1,2)', 'y=1, x=2'],
        ['(1,2)', 'y=1, x=2'],
        ['f(0)=0', 'f(7)=0'],
        ['x=1', '1=1'],
        ['1=x', '1=1'],
      ],
    ],
    ['a row, and a column,', [[tex`\begin{pmatrix}1&2\end{pmatrix}`, tex`\begin{pmatrix}1\\2\end{pmatrix}`]]],
    [
      'a number with another one next to it',
      [
        ['42', tex`42\text{ (alternatively 43)}`],
        ['7', '7 versus eight'],
        ['7', tex`7 \text{ (if x>0), 8 otherwise}`],
        ['42', tex`42 \approx 43`],
        ['42', '43 = 42'],
      ],
    ],
    [
      'another residue or modulus',
      [
        [tex`p \equiv 1 \pmod{4}`, tex`p \equiv 3 \pmod{4}`],
        [tex`p \equiv 1 \pmod{4}`, tex`p \equiv 1 \pmod{8}`],
        [tex`p \equiv 1 \pmod{4}`, '1'],
        [tex`x \equiv 1,3 \pmod 8`, tex`x \equiv 1,5 \pmod 8`],
      ],
    ],
  ])('%s is wrong', (_, pairs) => {
    expect(pairs.filter(([a, b]) => same(a, b))).toEqual([]);
    expect(pairs.filter(([a]) => !same(a, ` ${a} `))).toEqual([]);
  });
});

describe('answers that say the same', () => {
  it.each<[string, string]>([
    [tex`\begin{pmatrix}1&2\\3&4\end{pmatrix}`, '[[1,2],[3,4]]'],
    ['1 000 000', '1000000'],
    ['(x,y)=(1,2)', 'y=2, x=1'],
    ['(1,2)', 'y=2, x=1'],
    [tex`p \equiv 1 \pmod{4}`, tex`p\equiv 5\pmod 4`],
    [tex`x \equiv 1,3 \pmod 8`, tex`x\equiv 3,1 \text{ (mod 8)}`.replace(tex`\text{ (mod 8)}`, '(mod 8)')],
    [tex`\frac{1}{3}`, tex`\frac{1}{3} \approx 0.33`],
    ['NO', 'no'],
  ])('%s as %s', (reference, answer) => {
    expect(same(reference, answer)).toBe(true);
  });
});

describe('a reference', () => {
  it.each<[string, string, string]>([
    [tex`$\pi/6+2n\pi, 5\pi/6+2n\pi$, any integer $n$`, tex`\frac{\pi}{6}+2n\pi, \frac{5\pi}{6}+2n\pi`, 'n'],
    ['$(-3t+4,-6t-6,2,t)$ for all real numbers $t$', '(-3t+4,-6t-6,2,t)', 't'],
    [tex`15 and $22.5 \mathrm{~min}$`, tex`15 \text{ and } 22.5`, '22.5'],
    ['$C$ is not invertible', 'C is not invertible', 'C'],
    ['$56x^6+72x^5+$ $60x^2+28x+6$', '56x^6+72x^5+60x^2+28x+6', '60x^2+28x+6'],
    ['The answer is $9$', '9', '8'],
    ['5 miles per hour', '5', '6'],
  ])('%s is read whole', (reference, right, part) => {
    expect([same(reference, right), same(reference, part)]).toEqual([true, false]);
    expect(() => mathVerifier.prepare(reference, {})).not.toThrow();
  });

  it.each([
    tex`$64^{\circ}$ at 2 PM (8 hours after 6 AM.)`,
    'concave up when $x<0$, concave down when $x>0$',
    '$3(2^5)-3=93$ (we subtract 3 because the three pure colors are each counted twice).',
  ])('%s is refused before it is published, with the words around the answer', (reference) => {
    expect(() => mathVerifier.prepare(reference, {})).toThrow(/an answer and nothing else, got words around it/);
  });

  it('of hostile pieces is looked through for prose in proportion to its length', () => {
    expect(() => mathVerifier.prepare(`5${'a'.repeat(8000)}!`, {})).not.toThrow();
  });

  it('that is a solution is read by its conclusion, where that is a separate sentence', () => {
    const solution = tex`It was $100$ and is $72$ now. The final answer is $28 \%$.`;
    expect([same(solution, tex`28\%`), same(solution, '72'), same(solution, '100')]).toEqual([true, false, false]);
    expect(() => mathVerifier.prepare(solution, {})).not.toThrow();
    const qualified = 'It was $100$ and is $72$ now. The final answer is $28$ unless one counts the first day as well.';
    expect(() => mathVerifier.prepare(qualified, {})).toThrow(/an answer and nothing else/);
  });

  it('that is a solution is read by its box', () => {
    expect(same('We add 3 and 4, which makes 7 of them, so the answer is \\boxed{7}.', '7')).toBe(true);
  });

  it.each([
    '\\p\\pmm'.repeat(150),
    '\\pm 1'.repeat(150),
    '1,2;'.repeat(200),
    ' '.repeat(8000) + '1',
    `${'A'.repeat(400)}1=3`,
    `5${' \\text{a}'.repeat(90)}x`,
  ])('of hostile pieces is read within its steps', (piece) => {
    expect(() => {
      try {
        mathVerifier.prepare(piece, {});
        equivalent(piece, `${piece}1`, RULES);
      } catch (error) {
        if ((error as Error).name !== 'TooCostly' && !(error as Error).message.includes('nothing else')) throw error;
      }
    }).not.toThrow();
  });
});
