/** When expressions are equal: pairs that sampling with doubles confuses, and equal ones that strictness must not refuse. */
import { Equality } from './equality.js';
import { equivalent } from './equivalence.js';
import { parseExpression } from './expression.js';
import { Meter } from './meter.js';

const RULES = { decimals: 6, percent: 'either', positive: true } as const;
const same = (reference: string, answer: string, rules: Partial<typeof RULES> | { positive: boolean } = {}) =>
  equivalent(reference, answer, { ...RULES, ...rules });
const tex = String.raw;

describe('expressions that differ', () => {
  it.each<[string, readonly (readonly [string, string])[]]>([
    [
      'beyond the largest double',
      [
        [tex`2^{2015}`, tex`\infty`],
        [tex`2^{2015}`, tex`3^{9999}`],
        [tex`2^{2015}`, tex`2^{5015}`],
        [tex`3^{2023}-1`, tex`9^{9999}`],
        [tex`e^{1000}`, tex`\pi^{1000}`],
        [tex`2^{5000}`, tex`2^{5001}`],
        [tex`2^{2024}`, tex`2^{2025}\cdot\sqrt1`],
        [tex`9^{9^{9^9}}`, tex`8^{9^{9^9}}`],
        [tex`1999^{1999}`, tex`1999^{8999}`],
        [tex`2024!`, tex`3000!`],
        [tex`(101!)^{100}`, tex`(102!)^{100}`],
        [tex`-72e^{108}`, tex`-72e^{108}+1`],
        [tex`3^{10000000}`, tex`3^{10000000}+1`],
      ],
    ],
    [
      'below the smallest',
      [
        [tex`1/2^{5000}`, '0'],
        [tex`\sqrt3/2^{2024}`, '0'],
        [tex`\sqrt{x}+2^{-5000}`, tex`\sqrt{x}`],
        [tex`2.5\times10^{-400}`, '0'],
        [tex`2.5\times10^{-400}`, tex`2.6\times10^{-400}`],
      ],
    ],
    [
      'in a step, a divisor or a sign',
      [
        [tex`\lfloor n/2\rfloor+1`, tex`\lceil n/2\rceil`],
        [tex`\lceil n/3\rceil`, tex`\lfloor n/3\rfloor+1`],
        [tex`\lfloor\log_2 n\rfloor+1`, tex`\lfloor\log_{10}n\rfloor+1`],
        [tex`\lfloor\log_2 n\rfloor+1`, tex`\lceil\log_2 n\rceil`],
        [tex`\lfloor\log_2 n\rfloor+1`, tex`\lfloor\sqrt n\rfloor`],
        [tex`\lfloor x/2\rfloor`, tex`\lfloor x/3\rfloor`],
        [tex`\gcd(n,6)`, '0'],
        [tex`2^{\gcd(n,4)}-1`, '0'],
        [tex`\gcd(n,p-1)`, '0'],
        [tex`\gcd(n,p-1)`, tex`\gcd(n,p-8)`],
        [tex`(-1)^n`, '1'],
        [tex`(-1)^n`, '(-1)^{n+1}'],
        ['n!', 'n^n'],
        [tex`\binom{n}{2}`, tex`\binom{n}{3}`],
      ],
    ],
    [
      'only past a threshold',
      [
        [tex`|n-5|`, '5-n'],
        [tex`|x-5|`, '5-x'],
        [tex`|n+5|`, 'n+5'],
        [tex`|x|`, 'x'],
        [tex`\max(n,5)`, '5'],
        [tex`\min(n,10)`, 'n'],
        [tex`\min(k+1,m)`, tex`\min(k+4,m)`],
      ],
    ],
    [
      'by little next to something large',
      [
        ['10^9x+1', '10^9x+2'],
        ['2023^3x+1', '2023^3x+2'],
        ['n+10^9', '10^9'],
        ['n^2+10^{12}', '10^{12}'],
        ['x^{13}+2x+1', 'x^{13}+2x+2'],
        [tex`10^{10}+\sqrt2`, tex`10^{10}+\sqrt3`],
        [tex`1000000000\pi`, tex`1000000001\pi`],
        [tex`e^{\pi\sqrt{163}}`, '262537412640768744'],
        [tex`\sum_{k=1}^{100}k^8`, tex`\sum_{k=1}^{100}k^8+1`],
        ['123456789012', tex`123456789013+0\cdot\pi`],
        ['[0,10^{20}]', '[0,10^{20}+1]'],
      ],
    ],
    [
      'by little of something small',
      [
        [tex`6.626\times10^{-34}`, tex`6.6\times10^{-34}`],
        ['7.25e-11', '7.26e-11'],
        ['2.88e-19', tex`\sqrt2\times10^{-15}`],
        ['2.88e-19', tex`0\cdot x`],
        ['2.7778e-6', '2.7708e-6'],
        ['3.61e-10', '3.63e-10'],
        ['1.24e-8', '1.25e-8'],
        [tex`2.887×10^{-6}`, tex`2.884×10^{-6}`],
      ],
    ],
    [
      'in the value of a function at a number',
      [
        ['V(0)e^{-t}', '0'],
        ['y(0)+2t', '2t'],
        ['I(0)e^{-t/RC}', '2I(0)e^{-t/RC}'],
      ],
    ],
    [
      'for values that are not positive',
      [
        [tex`\sqrt{x^2}`, 'x'],
        [tex`x\sqrt{x^2+1}`, tex`|x|\sqrt{x^2+1}`],
      ],
    ],
  ])('%s are not equal', (_, pairs) => {
    expect(pairs.filter(([a, b]) => same(a, b))).toEqual([]);
    expect(pairs.filter(([a, b]) => !same(a, `(${a})+0`) && !/^\[|\\infty|[89]\^\{9/.test(a + b))).toEqual([]);
  });
});

describe('expressions that are equal', () => {
  it.each<[string, readonly (readonly [string, string])[]]>([
    [
      'as large numbers',
      [
        ['3^{10000}', '9^{5000}'],
        ['2024!', tex`2024\cdot 2023!`],
        ['e^{1000}', '(e^{10})^{100}'],
        [tex`2024!\pi`, tex`2024\cdot2023!\pi`],
        ['1/2^{5000}', '2^{-5000}'],
      ],
    ],
    [
      'as roots',
      [
        [tex`\sqrt{2}+\sqrt{3}`, tex`\sqrt{5+2\sqrt6}`],
        [tex`\sqrt[3]{2+\sqrt5}+\sqrt[3]{2-\sqrt5}`, '1'],
        [tex`\frac{1}{1+\sqrt2}`, tex`\sqrt2-1`],
        [tex`(2\sqrt{2})^{2}`, '8'],
        [tex`\cos\frac{\pi}{5}`, tex`\frac{1+\sqrt5}{4}`],
        [tex`\log_4 8`, '3/2'],
      ],
    ],
    [
      'for whole numbers',
      [
        [tex`\lceil n/2\rceil`, tex`\lfloor(n+1)/2\rfloor`],
        [tex`\lfloor\log_2 n\rfloor+1`, tex`\lceil\log_2(n+1)\rceil`],
        [tex`\gcd(n,6)`, tex`\gcd(6,n)`],
        ['(-1)^n', tex`\cos(n\pi)`],
        ['n(n-1)!', 'n!'],
        [tex`\binom{2n}{n}`, tex`\frac{(2n)!}{(n!)^2}`],
        [tex`\sum_{k=1}^{n} k`, tex`\frac{n(n+1)}{2}`],
      ],
    ],
    [
      'where their variables are positive reals',
      [
        [tex`1/\sqrt x`, tex`\sqrt{1/x}`],
        [tex`\sqrt{k/m}\sqrt{m/k}`, '1'],
        [tex`2\pi\sqrt{m/k}`, tex`2\pi/\sqrt{k/m}`],
        [tex`\ln(a^2b)`, tex`2\ln a+\ln b`],
        [tex`2\ln a+\ln b`, tex`\ln(a^2b)`],
        [tex`\ln\sqrt{x}`, tex`\frac12\ln x`],
        [tex`\sqrt{1-x}\sqrt{1+x}`, tex`\sqrt{1-x^2}`],
      ],
    ],
    [
      'as functions',
      [
        [tex`\max(a,b)`, tex`\frac{a+b+|a-b|}{2}`],
        [tex`\arcsin x`, tex`\frac{\pi}{2}-\arccos x`],
        [tex`\tan(x/2)`, tex`\frac{1-\cos x}{\sin x}`],
        ['x(3)', '3x'],
        ['a(b+c)', 'ab+ac'],
        ['V(0)e^{-t}', 'e^{-t}V(0)'],
      ],
    ],
  ])('%s are taken for equal', (_, pairs) => {
    expect(pairs.filter(([a, b]) => !same(a, b))).toEqual([]);
  });

  it('only as far as principal values agree, where variables are complex', () => {
    expect(same(tex`\ln(a^2b)`, tex`2\ln a+\ln b`, { positive: false })).toBe(false);
    expect(same(tex`\sqrt{x}\cdot\sqrt{x}`, 'x', { positive: false })).toBe(true);
  });
});

describe('expressions that turn or step at a large number that they name', () => {
  const sizes = Array.from({ length: 6 }, (_, i) => {
    const size = 10n ** BigInt(4 + 2 * i) + BigInt(7 * i);
    return i % 2 === 0 ? `${size}` : `10^{${4 + 2 * i}}`;
  });

  it.each<[string, (size: string) => readonly [string, string]]>([
    ['bars', (c) => [tex`|x-${c}|`, tex`${c}-x`]],
    ['bars of the opposite sign', (c) => [tex`|x+${c}|`, tex`x+${c}`]],
    ['a maximum', (c) => [tex`\max(x,-${c})`, 'x']],
    ['a minimum', (c) => [tex`\min(x,${c})`, 'x']],
    ['a term that begins there', (c) => [tex`x+\max(0,x-${c})`, 'x']],
    ['a floor', (c) => [tex`n+\lfloor n/${c}\rfloor`, 'n']],
    ['a divisor', (c) => [tex`\gcd(n,${c})`, tex`\gcd(n,2)`]],
    ['one of two variables', (c) => [tex`|x-${c}|+y`, tex`${c}-x+y`]],
  ])('differ: %s', (_, pairOf) => {
    expect(sizes.map(pairOf).filter(([a, b]) => same(a, b))).toEqual([]);
  });

  it.each<[string, (size: string) => readonly [string, string]]>([
    ['bars', (c) => [tex`|x-${c}|`, tex`|${c}-x|`]],
    ['a maximum', (c) => [tex`\max(x,${c})`, tex`\frac{x+${c}+|x-${c}|}{2}`]],
    ['a minimum', (c) => [tex`\min(x,${c})`, tex`x-\max(0,x-${c})`]],
    ['a floor', (c) => [tex`\lfloor n/${c}\rfloor+1`, tex`\lfloor(n+${c})/${c}\rfloor`]],
    ['a divisor', (c) => [tex`\gcd(n,${c})`, tex`\gcd(${c},n+${c})`]],
  ])('are equal: %s', (_, pairOf) => {
    expect(sizes.map(pairOf).filter(([a, b]) => !same(a, b))).toEqual([]);
  });
});

describe('a number with a word that makes another of it', () => {
  it.each([tex`3\text{ million}`, tex`3 \text{ dozen}`, '3 hundred', tex`3\text{ at most}`])(
    'is not 3: %s',
    (answer) => {
      expect(same('3', answer)).toBe(false);
    },
  );
});

describe('what a comparison costs', () => {
  it.each(['a ', 'a i ', 'ae '])('is little for as many %sas an answer holds', (piece) => {
    const letters = parseExpression(piece.repeat(Math.floor(1000 / piece.length)).trim())!;
    const equality = new Equality({ ...RULES, isThorough: true }, new Meter(20_000_000));
    expect(equality.same(letters, letters)).toBe(true);
  });
});
