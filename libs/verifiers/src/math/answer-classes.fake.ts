/** Answers by class, a maker a row: a reference, wrong neighbours of it and equal rewritings. */
import { type Random } from '@seamstream/kernel';

interface Case {
  readonly reference: string;
  readonly wrong: readonly string[];
  readonly equal: readonly string[];
}
type Maker = (random: Random) => Case;

const tex = String.raw;
const between = (random: Random, low: number, high: number): number => low + random.int(high - low + 1);
const sign = (random: Random): string => (random.int(2) === 0 ? '-' : '');
/** A whole number with one digit changed, the first not to 0. */
function digitChanged(random: Random, digits: string): string {
  const places = [...digits.matchAll(/\d/g)].map(({ index }) => index);
  const at = random.pick(places);
  const others = '0123456789'.split('').filter((d) => d !== digits[at] && !(d === '0' && at === places[0]));
  return digits.slice(0, at) + random.pick(others) + digits.slice(at + 1);
}
const bigInteger = (random: Random, length: number): string =>
  String(between(random, 1, 9)) + Array.from({ length: length - 1 }, () => random.int(10)).join('');
const gcd = (a: number, b: number): number => (b === 0 ? Math.abs(a) : gcd(b, a % b));
const term = (coefficient: number, power: number, x = 'x'): string =>
  power === 0 ? `${coefficient}` : power === 1 ? `${coefficient}${x}` : `${coefficient}${x}^{${power}}`;
const polynomial = (coefficients: readonly number[], x = 'x'): string =>
  coefficients
    .map((c, power) => [c, power] as const)
    .filter(([c]) => c !== 0)
    .reverse()
    .map(([c, power], i) => (i > 0 && c > 0 ? '+' : '') + term(c, power, x))
    .join('') || '0';
const timesPolynomial = (a: readonly number[], b: readonly number[]): number[] => {
  const product = new Array<number>(a.length + b.length - 1).fill(0);
  for (const [i, x] of a.entries()) for (const [j, y] of b.entries()) product[i + j]! += x * y;
  return product;
};
const plus = (n: number): string => (n < 0 ? `${n}` : `+${n}`);
const WORDS = [
  'even',
  'odd',
  'Tuesday',
  'Monday',
  'ellipse',
  'hyperbola',
  'increasing',
  'decreasing',
  'rational',
  'Alice',
  'convergent',
  'divergent',
] as const;

export const CLASSES: Readonly<Record<string, Maker>> = {
  integers: (random) => {
    const n = between(random, 11, 999_999);
    const [s, k] = [sign(random), between(random, 2, 9)];
    const v = Number(`${s}${n}`);
    return {
      reference: `${v}`,
      wrong: [
        `${v + 1}`,
        `${v - 1}`,
        `${-v}`,
        `${s}${digitChanged(random, `${n}`)}`,
        `${v}0`,
        `${s}${String(n).split('').join(' ')}`,
        `${v}.5`,
        tex`\frac{${v}}{${k}}`,
      ],
      equal: [
        `${v}.0`,
        `${v - k} + ${k}`,
        tex`\frac{${v * k}}{${k}}`,
        v.toLocaleString('en-US'),
        tex`${v}\text{ apples}`,
        tex`\boxed{${v}}`,
        `x = ${v}`,
      ],
    };
  },
  'big integers': (random) => {
    const n = bigInteger(random, between(random, 17, 40));
    const v = BigInt(n);
    return {
      reference: n,
      wrong: [
        `${v + 1n}`,
        `${v - 1n}`,
        digitChanged(random, n),
        `-${n}`,
        `${n}+1`,
        tex`${n}+0\cdot\pi+1`,
        n.slice(0, -1),
      ],
      equal: [`${v - 7n}+7`, tex`\frac{${v * 3n}}{3}`, tex`\sqrt{${v * v}}`, `${n.slice(0, -1)}0 + ${n.at(-1)}`],
    };
  },
  rationals: (random) => {
    const q = between(random, 3, 97);
    let p = between(random, 1, 300);
    while (gcd(p, q) !== 1) p++;
    const [s, k] = [sign(random), between(random, 2, 12)];
    const [whole, rest] = [Math.floor(p / q), p % q];
    return {
      reference: tex`${s}\frac{${p}}{${q}}`,
      wrong: [
        tex`${s}\frac{${p + 1}}{${q}}`,
        tex`${s}\frac{${p}}{${q + 1}}`,
        tex`${s}\frac{${q}}{${p}}`,
        tex`${s === '' ? '-' : ''}\frac{${p}}{${q}}`,
        `${s}${p}`,
        `${s}${((p / q) * 1.001).toFixed(9)}`,
      ].filter((each) => p !== 1 || !each.includes(`{${q}}{1}`)),
      equal: [
        tex`${s}\frac{${p * k}}{${q * k}}`,
        `${s}${p}/${q}`,
        tex`\dfrac{${s}${p}}{${q}}`,
        tex`${s}${(p / q).toFixed(12)}`,
        ...(whole > 0 ? [tex`${s}${whole}\frac{${rest}}{${q}}`] : []),
      ],
    };
  },
  decimals: (random) => {
    const places = between(random, 1, 5);
    const [whole, part] = [between(random, 1, 999), bigInteger(random, places)];
    const text = `${whole}.${part}`;
    return {
      reference: text,
      wrong: [
        digitChanged(random, text),
        digitChanged(random, text),
        `-${text}`,
        `${whole}${part}`,
        `${whole * 10}.${part}`,
        `${text}${tex`\cdot 10`}`,
      ],
      equal: [
        `${text}0`,
        tex`\frac{${whole}${part}}{${10 ** places}}`,
        tex`${whole}+\frac{${part}}{${10 ** places}}`,
        tex`${whole}${part}\times 10^{-${places}}`,
      ],
    };
  },
  scientific: (random) => {
    const digits = bigInteger(random, between(random, 3, 5));
    const e = random.int(2) === 0 ? between(random, -40, -8) : between(random, 6, 40);
    const of = (d: string, exponent: number): string => tex`${d[0]}.${d.slice(1)} \times 10^{${exponent}}`;
    return {
      reference: of(digits, e),
      wrong: [
        of(digitChanged(random, digits), e),
        of(digits, e + 1),
        of(digits, e - 1),
        of(digits, -e),
        `-${of(digits, e)}`,
        '0',
        tex`${digits} \times 10^{${e}}`,
      ],
      equal: [
        tex`${digits} \times 10^{${e - digits.length + 1}}`,
        tex`${digits}\cdot 10^{${e - digits.length + 1}}`,
        tex`0.${digits} \times 10^{${e + 1}}`,
      ],
    };
  },
  radicals: (random) => {
    const [a, b] = [between(random, -20, 20), between(random, 2, 12)];
    const c = random.pick([2, 3, 5, 6, 7, 10, 11, 13, 14, 15]);
    const v = a + b * Math.sqrt(c);
    return {
      reference: tex`${a}+${b}\sqrt{${c}}`,
      wrong: [
        tex`${a}+${b}\sqrt{${c + 1}}`,
        tex`${a + 1}+${b}\sqrt{${c}}`,
        tex`${a}-${b}\sqrt{${c}}`,
        tex`${a}+${b + 1}\sqrt{${c}}`,
        v.toFixed(3),
        tex`${a}+${b}\sqrt{${c}}+10^{-12}`,
        tex`${a}+\sqrt{${b * b * c + 1}}`,
      ].filter((each) => each !== v.toFixed(3) || Math.abs(Number(each) - v) > 1e-5),
      equal: [
        tex`${a}+\sqrt{${b * b * c}}`,
        tex`${b}\sqrt{${c}}${plus(a)}`,
        tex`${a}+\frac{${b * c}}{\sqrt{${c}}}`,
        tex`\frac{${a * a - b * b * c}}{${a}-${b}\sqrt{${c}}}`,
        v.toFixed(9),
        tex`${a}+${b}\cdot ${c}^{1/2}`,
      ],
    };
  },
  'higher roots': (random) => {
    const [a, b] = [between(random, 2, 9), between(random, 10, 40)];
    const n = between(random, 3, 5);
    return {
      reference: tex`\sqrt[${n}]{${b}}+\sqrt{${a}}`,
      wrong: [
        tex`\sqrt[${n}]{${b + 1}}+\sqrt{${a}}`,
        tex`\sqrt[${n + 1}]{${b}}+\sqrt{${a}}`,
        tex`\sqrt[${n}]{${b}}-\sqrt{${a}}`,
        tex`\sqrt[${n}]{${b}}+\sqrt{${a + 1}}`,
        tex`\sqrt{${b}}+\sqrt[${n}]{${a}}`,
      ],
      equal: [
        tex`\sqrt{${a}}+${b}^{1/${n}}`,
        tex`\frac12\sqrt[${n}]{${b * 2 ** n}}+\sqrt{${a}}`,
        tex`\sqrt{${a}}+\sqrt[${2 * n}]{${b * b}}`,
      ],
    };
  },
  logarithms: (random) => {
    const [a, b, c] = [between(random, 2, 40), between(random, 2, 9), between(random, 2, 9)];
    return {
      reference: tex`${c}\ln ${a}+${b}`,
      wrong: [
        tex`${c}\ln ${a + 1}+${b}`,
        tex`${c}\ln ${a}-${b}`,
        tex`${c + 1}\ln ${a}+${b}`,
        tex`${c}\log_{10} ${a}+${b}`,
        tex`${c}\ln(${a}+${b})`,
        tex`${c}\ln ${a}+${b}+10^{-15}`,
      ],
      equal: [
        tex`\ln ${BigInt(a) ** BigInt(c)}+${b}`,
        tex`${b}+${c}\ln(${a})`,
        tex`\ln(${a}^{${c}}e^{${b}})`,
        tex`-${c}\ln\frac{1}{${a}}+${b}`,
      ],
    };
  },
  trigonometry: (random) => {
    const q = between(random, 5, 24);
    const p = between(random, 1, 2 * q - 1);
    const f = random.pick(['sin', 'cos'] as const);
    const name = `\\${f}`;
    const [value, other] = [Math[f]((p * Math.PI) / q), f === 'sin' ? Math.cos : Math.sin];
    const differs = (x: number): boolean => Math.abs(x - value) > 1e-6;
    const wrong: string[] = [];
    if (differs(other((p * Math.PI) / q))) wrong.push(tex`${f === 'sin' ? '\\cos' : '\\sin'}\frac{${p}\pi}{${q}}`);
    if (differs(-value)) wrong.push(tex`-${name}\frac{${p}\pi}{${q}}`);
    if (differs(Math[f](((p + 1) * Math.PI) / q))) wrong.push(tex`${name}\frac{${p + 1}\pi}{${q}}`);
    wrong.push(tex`${name}\frac{${p}\pi}{${q}}+10^{-20}`, tex`\frac{${p}\pi}{${q}}+7`);
    return {
      reference: tex`${name}\frac{${p}\pi}{${q}}`,
      wrong,
      equal: [
        tex`${name}\left(\frac{${p}\pi}{${q}}+2\pi\right)`,
        f === 'sin' ? tex`\sin\frac{${q - p}\pi}{${q}}` : tex`\cos\frac{${2 * q - p}\pi}{${q}}`,
      ],
    };
  },
  'numbers beyond 10^308': (random) => {
    const [a, b] = [between(random, 2, 2000), between(random, 1100, 3000)];
    const k = between(random, 200, 900);
    const [m, w] = [between(random, 2, 60), between(random, 1, 9)];
    return random.int(2) === 0
      ? {
          reference: tex`${a}^{${b}}`,
          wrong: [
            tex`${a}^{${digitChanged(random, `${b}`)}}`,
            tex`${a + 1}^{${b}}`,
            tex`${a}^{${b}}+1`,
            tex`${w + 1}\cdot ${a}^{${b}}`,
            tex`\infty`,
            '0',
            `-${a}^{${b}}`,
            tex`${a}^{${b + 1}}\cdot\sqrt{1}`,
          ],
          equal: [
            tex`${a}\cdot ${a}^{${b - 1}}`,
            tex`${a}^{${b - m}}\cdot ${a}^{${m}}`,
            tex`(${a}^{${m}})^{${w}}\cdot ${a}^{${b - m * w}}`,
            tex`\frac{${a}^{${b + w}}}{${a}^{${w}}}`,
          ],
        }
      : {
          reference: tex`(${k}!)^{${m}}`,
          wrong: [
            tex`(${k + 1}!)^{${m}}`,
            tex`(${k}!)^{${m + 1}}`,
            tex`(${k}!)^{${m}}-1`,
            tex`${k}!`,
            tex`\infty`,
            tex`\pi^{${k * m}}`,
          ],
          equal: [tex`(${k}\cdot(${k - 1})!)^{${m}}`, tex`(${k}!)^{${m - 1}}\cdot ${k}!`],
        };
  },
  'numbers below 10^-308': (random) => {
    const [a, b] = [between(random, 2, 90), between(random, 1100, 3000)];
    return {
      reference: tex`\frac{1}{${a}^{${b}}}`,
      wrong: [
        '0',
        tex`\frac{1}{${a}^{${b + 1}}}`,
        tex`\frac{1}{${a + 1}^{${b}}}`,
        tex`-\frac{1}{${a}^{${b}}}`,
        tex`\frac{2}{${a}^{${b}}}`,
        tex`\frac{\sqrt2}{${a}^{${b}}}`,
        tex`10^{-${b}}\cdot 0`,
      ],
      equal: [tex`${a}^{-${b}}`, tex`\frac{${a}}{${a}^{${b + 1}}}`, tex`(\frac{1}{${a}})^{${b}}`],
    };
  },
  polynomials: (random) => {
    const degree = between(random, 1, 5);
    const coefficients = Array.from({ length: degree + 1 }, () => between(random, -9, 9));
    coefficients[degree] = between(random, 1, 9);
    const root = between(random, -9, 9);
    const product = timesPolynomial(coefficients, [-root, 1]);
    const changed = product.map((c, i) => (i === random.int(product.length) ? c + 1 : c));
    const at = random.int(product.length);
    const wrong = [
      polynomial(product.map((c, i) => (i === at ? c + 1 : c))),
      polynomial([...product.slice(1), 1]),
      polynomial(product, 'y'),
      `${polynomial(product)}+1`,
      polynomial(product.map((c) => -c)),
      polynomial(product.map((c) => c * 2)),
    ];
    const isSame = changed.every((c, i) => c === product[i]);
    return {
      reference: polynomial(product),
      wrong: isSame ? wrong : [...wrong, polynomial(changed)],
      equal: [
        `(${polynomial(coefficients)})(x${plus(-root)})`,
        product.map((c, power) => `(${term(c, power)})`).join('+'),
        `${polynomial(product.map((c) => c * 3))}-2(${polynomial(product)})`,
        product.slice(0, -1).reduceRight((inner, c) => `(${inner})x${plus(c)}`, `${product.at(-1)}`),
      ],
    };
  },
  'large coefficients': (random) => {
    const [a, b] = [bigInteger(random, between(random, 9, 25)), between(random, 1, 9)];
    return {
      reference: `${a}x^2+${b}`,
      wrong: [
        `${a}x^2+${b + 1}`,
        `${digitChanged(random, a)}x^2+${b}`,
        `${a}x^2-${b}`,
        `${a}x^2`,
        tex`${a}x^2+${b}+\frac{1}{${a}}`,
      ],
      equal: [`${b}+${a}x^2`, tex`${a}x\cdot x+${b}`, `${a}(x-1)(x+1)+${a}+${b}`],
    };
  },
  'rational functions': (random) => {
    const [a, b] = [between(random, 1, 9), between(random, 10, 19)];
    const [p, q] = [between(random, 1, 9), between(random, 1, 9)];
    return {
      reference: tex`\frac{${p}}{x+${a}}+\frac{${q}}{x+${b}}`,
      wrong: [
        tex`\frac{${p + 1}}{x+${a}}+\frac{${q}}{x+${b}}`,
        tex`\frac{${p}}{x+${a}}-\frac{${q}}{x+${b}}`,
        tex`\frac{${p}}{x-${a}}+\frac{${q}}{x+${b}}`,
        tex`\frac{${p + q}}{x+${a}}`,
        tex`\frac{${p + q}x+${p * b + q * a + 1}}{(x+${a})(x+${b})}`,
      ],
      equal: [
        tex`\frac{${p + q}x+${p * b + q * a}}{(x+${a})(x+${b})}`,
        tex`\frac{${p + q}x+${p * b + q * a}}{x^2+${a + b}x+${a * b}}`,
        tex`\frac{${q}}{x+${b}}+\frac{${2 * p}}{2x+${2 * a}}`,
      ],
    };
  },
  'exponentials in a variable': (random) => {
    const [a, b, c] = [between(random, 2, 9), between(random, 1, 6), between(random, 2, 30)];
    return {
      reference: tex`${c}\cdot ${a}^{n}-${b}`,
      wrong: [
        tex`${c}\cdot ${a}^{n+1}-${b}`,
        tex`${c}\cdot ${a + 1}^{n}-${b}`,
        tex`${c}\cdot ${a}^{n}+${b}`,
        tex`${c + 1}\cdot ${a}^{n}-${b}`,
        tex`${c}n^{${a}}-${b}`,
        tex`${c}\cdot ${a}^{n}-${b + 1}`,
      ],
      equal: [tex`${c * a}\cdot ${a}^{n-1}-${b}`, tex`-${b}+${c}\cdot ${a}^n`, tex`${c}e^{n\ln ${a}}-${b}`],
    };
  },
  'step functions': (random) => {
    const [k, c] = [between(random, 2, 7), between(random, 0, 5)];
    const value = (n: number): number => Math.floor(n / k) + c;
    const candidates: readonly (readonly [string, (n: number) => number])[] = [
      [tex`\lceil n/${k}\rceil+${c}`, (n) => Math.ceil(n / k) + c],
      [tex`\lfloor n/${k + 1}\rfloor+${c}`, (n) => Math.floor(n / (k + 1)) + c],
      [tex`\lfloor n/${k}\rfloor+${c + 1}`, (n) => Math.floor(n / k) + c + 1],
      [tex`\lfloor (n+1)/${k}\rfloor+${c}`, (n) => Math.floor((n + 1) / k) + c],
      [tex`\frac{n}{${k}}+${c}`, (n) => n / k + c],
      [tex`\lfloor\sqrt n\rfloor+${c}`, (n) => Math.floor(Math.sqrt(n)) + c],
      [tex`\lfloor\log_{${k}} n\rfloor+${c}`, (n) => Math.floor(Math.log(n) / Math.log(k) + 1e-12) + c],
    ];
    return {
      reference: tex`\lfloor n/${k}\rfloor+${c}`,
      wrong: candidates
        .filter(([, of]) => Array.from({ length: 500 }, (_, i) => i + 1).some((n) => of(n) !== value(n)))
        .map(([text]) => text),
      equal: [
        tex`\lceil (n-${k - 1})/${k}\rceil+${c}`,
        tex`${c}+\left\lfloor\frac{n}{${k}}\right\rfloor`,
        tex`\lfloor (n+${k * c})/${k}\rfloor`,
        tex`\frac{n-(n \bmod ${k})}{${k}}+${c}`,
      ],
    };
  },
  'logarithms in steps': (random) => {
    const k = between(random, 2, 9);
    return {
      reference: tex`\lfloor\log_{${k}} n\rfloor+1`,
      wrong: [
        tex`\lceil\log_{${k}} n\rceil`,
        tex`\lfloor\log_{${k + 1}} n\rfloor+1`,
        tex`\lfloor\log_{${k}} n\rfloor`,
        tex`\lfloor\sqrt n\rfloor`,
        tex`\lfloor\log_{${k}}(n+1)\rfloor+1`,
        tex`\log_{${k}} n+1`,
      ],
      equal: [
        tex`\lceil\log_{${k}}(n+1)\rceil`,
        tex`\lfloor\log_{${k}}(${k}n)\rfloor`,
        tex`\left\lfloor\frac{\ln n}{\ln ${k}}\right\rfloor+1`,
      ],
    };
  },
  'divisors and factorials': (random) => {
    const [k, j] = [between(random, 2, 30), between(random, 2, 6)];
    return random.pick<Case>([
      {
        reference: tex`\gcd(n,${k})`,
        wrong: [
          tex`\gcd(n,${k + 1})`,
          '0',
          '1',
          `${k}`,
          'n',
          tex`\gcd(n+1,${k})`,
          tex`\operatorname{lcm}(n,${k})`,
          tex`\gcd(n,${k})+1`,
        ],
        equal: [tex`\gcd(${k},n)`, tex`\gcd(n+${k},${k})`, tex`\frac{${k}n}{\operatorname{lcm}(n,${k})}`],
      },
      {
        reference: tex`\gcd(m,n+${k})`,
        wrong: [tex`\gcd(m,n+${k + 1})`, tex`\gcd(m,n)`, '1', tex`\gcd(m+1,n+${k})`, tex`\gcd(n,m+${k})`],
        equal: [tex`\gcd(n+${k},m)`, tex`\gcd(m,n+m+${k})`],
      },
      {
        reference: tex`${j}\cdot n!`,
        wrong: [
          tex`${j}(n+1)!`,
          tex`${j + 1}\cdot n!`,
          tex`${j} n^n`,
          tex`${j}\cdot n!+1`,
          tex`(${j}n)!`,
          tex`${j}(n-1)!`,
        ],
        equal: [tex`${j}n\cdot(n-1)!`, tex`n!\cdot ${j}`, tex`\frac{${j}(n+1)!}{n+1}`],
      },
      {
        reference: tex`\binom{n+${j}}{2}`,
        wrong: [
          tex`\binom{n+${j + 1}}{2}`,
          tex`\binom{n+${j}}{3}`,
          tex`\frac{(n+${j})(n+${j})}{2}`,
          tex`\binom{n}{2}+${j}`,
        ],
        equal: [tex`\frac{(n+${j})(n+${j - 1})}{2}`, tex`\binom{n+${j}}{n+${j - 2}}`],
      },
    ]);
  },
  'remainders and alternating signs': (random) => {
    const [k, a, b] = [between(random, 2, 9), between(random, 1, 20), between(random, 1, 20)];
    return random.int(2) === 0
      ? {
          reference: tex`n \bmod ${k}`,
          wrong: [tex`n \bmod ${k + 1}`, tex`(n+1) \bmod ${k}`, 'n', '0', tex`(n \bmod ${k})+1`],
          equal: [tex`(n+${k}) \bmod ${k}`, tex`n-${k}\lfloor n/${k}\rfloor`],
        }
      : {
          reference: tex`${a}+${b}(-1)^n`,
          wrong: [
            tex`${a}-${b}(-1)^n`,
            `${a + b}`,
            tex`${a}+${b}(-1)^{n+1}`,
            tex`${a + 1}+${b}(-1)^n`,
            tex`${a}+${b + 1}(-1)^n`,
            `${a}+${b}n`,
          ],
          equal: [tex`${b}(-1)^{n+2}+${a}`, tex`${a}+${b}\cos(n\pi)`, tex`${a}-${b}(-1)^{n-1}`],
        };
  },
  'absolute values and extremes': (random) => {
    const a = between(random, 3, 900);
    const x = random.pick(['x', 'n', 't']);
    return random.int(2) === 0
      ? {
          reference: `|${x}-${a}|`,
          wrong: [`${a}-${x}`, `${x}-${a}`, `|${x}-${a + 1}|`, `|${x}+${a}|`, `|${x}|-${a}`, x],
          equal: [`|${a}-${x}|`, tex`\max(${x}-${a},${a}-${x})`, tex`\sqrt{(${x}-${a})^2}`],
        }
      : {
          reference: tex`\max(${x},${a})`,
          wrong: [`${a}`, x, tex`\min(${x},${a})`, tex`\max(${x},${a + 1})`, `${x}+${a}`],
          equal: [tex`\max(${a},${x})`, tex`\frac{${x}+${a}+|${x}-${a}|}{2}`, tex`-\min(-${x},-${a})`],
        };
  },
  tuples: (random) => {
    const [a, b, c] = [between(random, -20, -1), between(random, 1, 20), between(random, 21, 40)];
    return {
      reference: `(${a},${b},${c})`,
      wrong: [
        `(${b},${a},${c})`,
        `(${a},${b},${c + 1})`,
        `(${a},${b})`,
        `(${a},${c},${b})`,
        `(${-a},${b},${c})`,
        `(${a},${b},${c},0)`,
        tex`\emptyset`,
      ],
      equal: [
        `( ${a} , ${b} , ${c} )`,
        tex`\left(${a}, \frac{${2 * b}}{2}, ${c}\right)`,
        tex`\langle ${a},${b},${c}\rangle`,
        tex`\begin{pmatrix}${a}\\${b}\\${c}\end{pmatrix}`,
      ],
    };
  },
  'pairs of equal numbers': (random) => {
    const a = between(random, -9, 9);
    return {
      reference: `(${a},${a})`,
      wrong: [
        tex`\emptyset`,
        tex`\{\}`,
        'no solution',
        `(${a},${a + 1})`,
        `${a}<x<${a}`,
        `(${-a - 1},${a})`,
        `(${a},${a},${a})`,
        `x>${a} and x<${a}`,
      ],
      equal: [`( ${a}, ${a} )`, tex`\left(${a},${a}\right)`, `(x,y)=(${a},${a})`, `x=${a}, y=${a}`],
    };
  },
  'named values': (random) => {
    const [a, b] = [between(random, -20, 0), between(random, 1, 20)];
    return {
      reference: `(x,y)=(${a},${b})`,
      wrong: [
        `(x,y)=(${b},${a})`,
        `x=${b}, y=${a}`,
        `y=${a}, x=${b}`,
        `(${b},${a})`,
        `x=${a}, y=${b + 1}`,
        `(x,y)=(${a},${b + 1})`,
      ],
      equal: [`(${a},${b})`, `x=${a}, y=${b}`, `y=${b}, x=${a}`, tex`x=${a} \text{ and } y=${b}`],
    };
  },
  'sets and lists': (random) => {
    const [a, b, c] = [between(random, -20, -1), between(random, 1, 20), between(random, 21, 40)];
    return {
      reference: tex`\{${a}, ${b}, ${c}\}`,
      wrong: [
        tex`\{${a}, ${b}\}`,
        tex`\{${a}, ${b}, ${c + 1}\}`,
        tex`\{${a}, ${b}, ${c}, ${c + 1}\}`,
        `${a}`,
        tex`\{${a - 1}, ${b}, ${c}\}`,
        tex`\emptyset`,
        tex`\mathbb{R}`,
      ],
      equal: [
        tex`\{${c}, ${a}, ${b}\}`,
        `${b}, ${c}, ${a}`,
        tex`${a} \text{ and } ${b} \text{ and } ${c}`,
        `x=${a}, x=${b}, x=${c}`,
        tex`\{${a}\}\cup\{${b},${c}\}`,
      ],
    };
  },
  intervals: (random) => {
    const [a, b] = [between(random, -30, 0), between(random, 2, 30)];
    const [open, close] = [random.pick(['(', '[']), random.pick([')', ']'])];
    const [low, high] = [open === '(' ? '<' : tex`\le`, close === ')' ? '<' : tex`\le`];
    return {
      reference: `${open}${a},${b}${close}`,
      wrong: [
        `${open === '(' ? '[' : '('}${a},${b}${close}`,
        `${open}${a},${b}${close === ')' ? ']' : ')'}`,
        `${open}${a - 1},${b}${close}`,
        `${open}${a},${b + 1}${close}`,
        tex`${open}${a},\infty)`,
        tex`\{${a},${b}\}`,
        `${open}${a},${b}+10^{-20}${close}`,
      ],
      equal: [
        `${a} ${low} x ${high} ${b}`,
        tex`x \in ${open}${a}, ${b}${close}`,
        tex`${open}${a},1]\cup(1,${b}${close}`,
        tex`\left${open}\frac{${2 * a}}{2},${b}\right${close}`,
      ],
    };
  },
  inequalities: (random) => {
    const [a, b] = [between(random, 2, 9), between(random, -30, 30)];
    return {
      reference: `x>${b}`,
      wrong: [`x<${b}`, tex`x\ge ${b}`, `x>${b + 1}`, tex`(-\infty,${b})`, tex`[${b},\infty)`, `x=${b}`, `${b}`],
      equal: [tex`(${b},\infty)`, `${b}<x`, `${a}x>${a * b}`, `-x<${-b}`],
    };
  },
  matrices: (random) => {
    const [a, b, c, d] = [
      between(random, 1, 9),
      between(random, 10, 19),
      between(random, 20, 29),
      between(random, 30, 39),
    ];
    const of = (rows: readonly (readonly number[])[], kind = 'p'): string =>
      tex`\begin{${kind}matrix}${rows.map((row) => row.join('&')).join('\\\\')}\end{${kind}matrix}`;
    return {
      reference: of([
        [a, b],
        [c, d],
      ]),
      wrong: [
        of([
          [a, c],
          [b, d],
        ]),
        of([
          [a, b],
          [c, d + 1],
        ]),
        of([
          [c, d],
          [a, b],
        ]),
        of([[a, b, c, d]]),
        of([[a], [b], [c], [d]]),
        `${a * d - b * c}`,
        `2${of([
          [a, b],
          [c, d],
        ])}`,
      ],
      equal: [
        of(
          [
            [a, b],
            [c, d],
          ],
          'b',
        ),
        `[[${a},${b}],[${c},${d}]]`,
        tex`\frac12${of([
          [2 * a, 2 * b],
          [2 * c, 2 * d],
        ])}`,
      ],
    };
  },
  'rows and columns': (random) => {
    const [a, b] = [between(random, 1, 9), between(random, 10, 19)];
    return {
      reference: tex`\begin{pmatrix}${a}\\${b}\end{pmatrix}`,
      wrong: [
        tex`\begin{pmatrix}${a}&${b}\end{pmatrix}`,
        tex`\begin{pmatrix}${b}\\${a}\end{pmatrix}`,
        tex`\begin{pmatrix}${a}\\${b + 1}\end{pmatrix}`,
      ],
      equal: [tex`\begin{bmatrix}${a}\\${b}\end{bmatrix}`, `(${a},${b})`],
    };
  },
  equations: (random) => {
    const [a, b, k] = [between(random, 2, 9), between(random, 1, 20), between(random, 2, 5)];
    return {
      reference: `y=${a}x+${b}`,
      wrong: [
        `y=${a}x-${b}`,
        `y=${a + 1}x+${b}`,
        `x=${a}y+${b}`,
        `${a}x+y+${b}=0`,
        `y=${a}x+${b}+10^{-9}z`,
        `y=${b}x+${a + 30}`,
        '1=1',
      ],
      equal: [`y=${b}+${a}x`, `${a}x-y+${b}=0`, `${k}y=${k * a}x+${k * b}`, `${a}x+${b}=y`],
    };
  },
  congruences: (random) => {
    const m = between(random, 3, 40);
    const a = between(random, 0, m - 1);
    return {
      reference: tex`x \equiv ${a} \pmod{${m}}`,
      wrong: [
        tex`x \equiv ${a + 1} \pmod{${m}}`,
        tex`x \equiv ${a} \pmod{${m + 1}}`,
        tex`y+x \equiv ${a} \pmod{${m}}`,
        `x = ${a}`,
        `${a}`,
        tex`x \equiv ${a},${a + 1} \pmod{${m}}`,
      ],
      equal: [
        tex`x \equiv ${a + m} \pmod{${m}}`,
        tex`x\equiv ${a} \pmod ${m}`.replace(/pmod (\d\d)/, 'pmod{$1}'),
        tex`${a} \pmod{${m}}`,
        tex`x \equiv ${a - m} \pmod{${m}}`,
      ],
    };
  },
  percent: (random) => {
    const n = between(random, 2, 99);
    return {
      reference: tex`${n}\%`,
      wrong: [tex`${n + 1}\%`, `${(n + 1) / 100}`, `${n * 10}`, tex`-${n}\%`, tex`${n}.5\%`],
      equal: [`${n}%`, `${n / 100}`, tex`${n} \text{ percent}`, tex`\frac{${n}}{100}`],
    };
  },
  units: (random) => {
    const n = between(random, 2, 500);
    const unit = random.pick(['cm', 'hours', 'dollars', 'km/h', 'cm^2', 'square meters']);
    return {
      reference: tex`${n} \text{ ${unit}}`,
      wrong: [
        tex`${n + 1} \text{ ${unit}}`,
        tex`${n}0 \text{ ${unit}}`,
        tex`-${n} \text{ ${unit}}`,
        tex`\frac{${n}}{2} \text{ ${unit}}`,
        tex`\text{${unit}}`,
      ],
      equal: [`${n}`, `${n} ${unit}`, tex`${n}.0 \text{ ${unit}}`],
    };
  },
  words: (random) => {
    const word = random.pick(WORDS);
    return {
      reference: tex`\text{${word}}`,
      wrong: [
        ...WORDS.filter((each) => each !== word).slice(0, 4),
        `not ${word}`,
        `${word}ly`,
        `${word} or ${WORDS[(WORDS.indexOf(word) + 1) % WORDS.length]!}`,
      ],
      equal: [word, word.toUpperCase().length > 3 ? word.toUpperCase() : word, tex`\textbf{${word}}`, `${word}.`],
    };
  },
  letters: (random) => {
    const letter = random.pick('CDRSMNabkxy'.split(''));
    const other = letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase();
    return {
      reference: letter,
      wrong: [other, tex`\text{${other}}`, `${letter}'`, `2${letter}`, `${letter}${letter}`, `-${letter}`],
      equal: [tex`\text{${letter}}`, `(${letter})`, `$${letter}$`],
    };
  },
  'functions at a number': (random) => {
    const name = random.pick('IVyufP'.split(''));
    const k = between(random, 2, 9);
    return {
      reference: `${name}(0)e^{-${k}t}`,
      wrong: ['0', `2${name}(0)e^{-${k}t}`, `${name}(1)e^{-${k}t}`, `${name}(0)e^{-${k + 1}t}`, `e^{-${k}t}`],
      equal: [`e^{-${k}t}${name}(0)`, tex`\frac{${name}(0)}{e^{${k}t}}`],
    };
  },
  'complex numbers': (random) => {
    const [a, b] = [between(random, 1, 9), between(random, 10, 19)];
    return {
      reference: `${a}+${b}i`,
      wrong: [`${a}-${b}i`, `${b}+${a}i`, `${a}+${b + 1}i`, `${a + b}`, `${a}+${b}`, `-${a}-${b}i`],
      equal: [`${b}i+${a}`, `i(${b}-${a}i)`, tex`\frac{${a * a + b * b}}{${a}-${b}i}`],
    };
  },
  'roots of variables': (random) => {
    const [a, b] = [between(random, 2, 9), random.pick([2, 3, 5, 7])];
    return {
      reference: tex`${a}\sqrt{\frac{m}{k}}+\ln(m^{${b}}k)`,
      wrong: [
        tex`${a}\sqrt{\frac{k}{m}}+\ln(m^{${b}}k)`,
        tex`${a + 1}\sqrt{\frac{m}{k}}+\ln(m^{${b}}k)`,
        tex`${a}\sqrt{\frac{m}{k}}+\ln(mk^{${b}})`,
        tex`${a}\frac{m}{k}+\ln(m^{${b}}k)`,
        tex`${a}\sqrt{\frac{m}{k}}+${b}\ln(mk)`,
      ],
      equal: [tex`\frac{${a}\sqrt m}{\sqrt k}+${b}\ln m+\ln k`, tex`\frac{${a}}{\sqrt{k/m}}+\ln k+\ln m^{${b}}`],
    };
  },
  'exponential and hyperbolic functions': (random) => {
    const k = between(random, 2, 6);
    return {
      reference: tex`\sin(${k}x)+e^{${k}x}`,
      wrong: [
        tex`\cos(${k}x)+e^{${k}x}`,
        tex`\sin(${k}x)-e^{${k}x}`,
        tex`\sin(${k + 1}x)+e^{${k}x}`,
        tex`\sin(${k}x)+e^{${k + 1}x}`,
        tex`${k}\sin x+e^{${k}x}`,
      ],
      equal: [
        tex`e^{${k}x}+\sin ${k}x`,
        tex`\sin(${k}x)+(e^x)^{${k}}`,
        tex`2\sin\frac{${k}x}{2}\cos\frac{${k}x}{2}+\frac{1}{e^{-${k}x}}`,
      ],
    };
  },
  'connectives, arrows and strokes': (random) => {
    const [p, q] = random.pick<readonly [string, string]>([
      ['p', 'q'],
      ['A', 'B'],
      ['r', 's'],
    ]);
    const n = between(random, 2, 900);
    return random.pick([
      {
        reference: tex`${p}\land ${q}`,
        wrong: [tex`${p}\lor ${q}`, p, tex`${p}\land\neg ${q}`, tex`${p}\Rightarrow ${q}`, `${p}, ${q}`],
        equal: [tex`${q}\land ${p}`, tex`${p}\wedge ${q}`],
      },
      {
        reference: tex`${p}\Rightarrow ${q}`,
        wrong: [q, p, tex`${q}\Rightarrow ${p}`, tex`${p}\iff ${q}`],
        equal: [tex`${p}\implies ${q}`],
      },
      {
        reference: tex`\overrightarrow{AB}`,
        wrong: [tex`\overrightarrow{BA}`, tex`\overleftarrow{AB}`, tex`\overrightarrow{AC}`],
        equal: [tex`\vec{AB}`],
      },
      {
        reference: tex`\emptyset`,
        wrong: [tex`\{\emptyset\}`, tex`\{0\}`, tex`\{${n}\}`],
        equal: [tex`\varnothing`, tex`\{\}`],
      },
      {
        reference: `${n}`,
        wrong: [tex`\cancel{${n}}`, tex`\xcancel{${n}}`, tex`\overline{${n}}`, `${n}?`, tex`\sout{${n}}`],
        equal: [tex`\{${n}\}`],
      },
      {
        reference: tex`x>${n} \text{ and } x<${n + 5}`,
        wrong: [tex`x>${n} \text{ or } x<${n + 5}`],
        equal: [`(${n},${n + 5})`],
      },
    ]);
  },
  'turns that are far or of no width': (random) => {
    const far = between(random, 10_001, 10 ** random.pick([5, 6, 8]));
    const k = between(random, 2, 9);
    return random.pick([
      {
        reference: tex`\sqrt{(x-${far})^2}`,
        wrong: [`${far}-x`, `x-${far}`],
        equal: [`|x-${far}|`, tex`\sqrt{(${far}-x)^2}`],
      },
      {
        reference: tex`\lfloor\sin^2(${k}x)\rfloor`,
        wrong: ['0', '1', tex`\lfloor\cos^2(${k}x)\rfloor`],
        equal: [tex`\lfloor(\sin ${k}x)^2\rfloor`],
      },
      {
        reference: `(-1)^n`,
        wrong: [tex`\cos(\pi n)+\lfloor n/${far}\rfloor`, tex`(-1)^n+\lfloor n/(7\cdot ${far})\rfloor`],
        equal: [tex`\cos(\pi n)`],
      },
      {
        reference: 'n!',
        wrong: [
          tex`n!+\lfloor n/${far}\rfloor`,
          tex`n!+|n-${far}|-${far}+n`,
          tex`n!+\lfloor n/(${k}\cdot 9000)\rfloor`,
        ],
        equal: [tex`n(n-1)!`],
      },
    ]);
  },
  hedges: (random) => {
    const [a, b] = [between(random, 2, 400), between(random, 401, 900)];
    return {
      reference: `${a}`,
      wrong: [
        tex`${a} \text{ or } ${b}`,
        tex`${a}\text{ (alternatively ${b})}`,
        `${a} versus ${b}`,
        tex`${a} \text{ (if x>0), ${b} otherwise}`,
        `${a}, ${b}`,
        tex`${a} \approx ${b}`,
        `${b} = ${a}`,
        tex`${a} \text{ or maybe } ${b}`,
        tex`\text{not } ${a}`,
        `${a} versus eight`,
      ],
      equal: [tex`\text{The value is } ${a}`, `${a}.`, tex`${a - 1}+1=${a}`],
    };
  },
};
