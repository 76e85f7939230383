/**
 * Mathematical equivalence, measured by what others publish. test/published-cases.json holds the cases with their sources; where the
 * published verdict is doubtful it says why, and the verifier's own verdict is the other one.
 */
import { readFileSync } from 'node:fs';
import { isSeamError } from '@seamstream/kernel';
import { Verifiers } from '../verifiers.js';

interface PublishedCase {
  readonly source: string;
  readonly reference: string;
  readonly response: string;
  readonly expected: boolean;
  readonly decimals?: number;
  readonly doubt?: string;
}

const { cases } = JSON.parse(readFileSync(new URL('../../test/published-cases.json', import.meta.url), 'utf8')) as {
  readonly cases: readonly PublishedCase[];
};

const verifiers = new Verifiers({ mathThreads: 1 });
afterAll(() => verifiers.close());

const judged = (text: string, reference: string, options: Record<string, string> = {}) =>
  verifiers.verify({ kind: 'math', version: '1', options }, { text, finished: true }, reference);
const equals = async (answer: string, reference: string, options: Record<string, string> = {}) =>
  (await judged(`\\boxed{${answer}}`, reference, options)).success;

describe('the cases that other checkers publish', () => {
  it('are judged as published, but for the doubtful ones, each within a fraction of its deadline', async () => {
    const differing: PublishedCase[] = [];
    let slowestMs = 0;
    for (const each of cases) {
      const startedAt = performance.now();
      const options = each.decimals === undefined ? {} : { decimals: String(each.decimals) };
      const { success } = await judged(each.response, each.reference, options);
      slowestMs = Math.max(slowestMs, performance.now() - startedAt);
      if (success !== each.expected) differing.push(each);
    }
    expect(cases.length).toBeGreaterThan(200);
    expect(differing).toEqual(cases.filter(({ doubt }) => doubt !== undefined));
    const ofMathVerify = (list: readonly PublishedCase[]) =>
      list.filter(({ source }) => source === 'Math-Verify').length;
    expect(ofMathVerify(differing) / ofMathVerify(cases)).toBeLessThan(0.02);
    // The first includes the start of the thread; the deadline of 5 s begins after it.
    expect(slowestMs).toBeLessThan(20_000);
  });
});

describe('mathematical equivalence', () => {
  it.each<[string, string, string, boolean]>([
    ['expressions', '\\frac{1}{3}', '0.333', false],
    ['expressions', '\\frac{1}{3}', '0.333333', true],
    ['expressions', '2\\frac{1}{2}', '2.5', true],
    ['expressions', '-2\\frac{1}{2}', '-2.5', true],
    ['expressions', '\\frac{\\sqrt{3}}{3}', '\\frac{1}{\\sqrt{3}}', true],
    ['expressions', '\\frac{\\pi}{4}', '\\pi/4', true],
    ['expressions', '\\tan 60^\\circ', '\\sqrt{3}', true],
    ['expressions', '60^\\circ', '60', true],
    ['expressions', 'x^2+2x+1', '(x+1)^2', true],
    ['expressions', '\\sin^2 x', '1-\\cos^2 x', true],
    ['expressions', '\\sin x', '\\cos x', false],
    ['expressions', '2^{n+1}', '2\\cdot 2^n', true],
    ['expressions', '\\ln 2', '\\log_{e} 2', true],
    ['expressions', '\\log_2 8', '3', true],
    ['expressions', '\\binom{5}{2}', '10', true],
    ['expressions', '3+4i', '4i+3', true],
    ['expressions', '\\frac{1}{1+i}', '\\frac{1-i}{2}', true],
    ['expressions', 'e^{i\\pi}', '-1', true],
    ['expressions', 'C', '(C)', true],
    ['expressions', 'C', 'D', false],
    ['expressions', '\\sqrt{12}', '2\\sqrt{3}', true],
    ['expressions', '|x-2|', '|2-x|', true],
    ['expressions', '\\frac{a}{b}', 'a/b', true],
    ['expressions', '3xy', '3 x y', true],
    ['expressions', '3xy', '3x', false],
    ['expressions', '\\frac{3}{4}i', '\\frac34i', true],
    ['expressions', '2*pi*r', '2\\pi r', true],
    ['expressions', 'sqrt(3)/2', '\\frac{\\sqrt{3}}{2}', true],
    ['expressions', 'x^10', 'x^{10}', true],
    ['expressions', '0.\\overline{3}', '\\frac{1}{3}', true],
    ['expressions', '\\frac{1}{2}+\\frac{1}{72}', '\\tfrac{1}{2} +\\! \\frac1{72}', true],
    ['expressions', '1 - \\frac{1}{n}', '\\frac{n-1}{n}', true],
    ['expressions', '\\sqrt{67},-\\sqrt{85}', '\\sqrt{67}', false],
    ['expressions', '\\frac{\\sqrt{3}}{3} \\approx 0.577', '\\frac{\\sqrt{3}}{3}', true],
    ['expressions', '2.5 \\times 10^{-3}', '0.0025', true],
    ['expressions', '-\\frac{1}{2}', '\\frac{-1}{2}', true],
    ['expressions', '\\frac{x^2-1}{x-1}', 'x+1', true],
    ['expressions', 'e^{x+y}', 'e^x e^y', true],
    ['expressions', '\\sqrt{x}\\sqrt{y}', '\\sqrt{xy}', true],
    ['expressions', '\\arctan(1)', '\\frac{\\pi}{4}', true],
    ['expressions', '\\tan^{-1} 1', '\\frac{\\pi}{4}', true],
    ['expressions', '\\frac{n(n+1)}{2}', '\\binom{n+1}{2}', true],
    ['expressions', '2+3+\\cdots+n', '2+3+\\cdots+n', true],
    ['expressions', '\\alpha+\\beta', 'β+α', true],
    ['expressions', '\\langle 1,2,3\\rangle', '(1,2,3)', true],
    ['expressions', '\\mathbf{i}+2\\mathbf{j}', '2\\mathbf{j}+\\mathbf{i}', true],
    ['expressions', 'n(n-1)!', 'n!', true],
    ['expressions', '2x+3', '2x-3', false],
    ['expressions', '2n\\pi + \\frac{\\pi}{2}', '\\frac{\\pi}{2} + 2n\\pi', true],
    ['expressions', '\\frac{1}{x+1}+C', 'C+\\frac1{1+x}', true],
    ['expressions', '\\frac{13}{4}', '3.25', true],
    ['expressions', '\\boxed{14}', '14', true],
    ['expressions', 'a+b', 'a-b', false],
    ['matrices', '(1,2,3)', '\\begin{pmatrix}1\\\\2\\\\3\\end{pmatrix}', true],
    ['matrices', '\\begin{bmatrix}1&2\\\\3&4\\end{bmatrix}', '\\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}', true],
    ['matrices', '\\begin{pmatrix}2&4\\\\6&8\\end{pmatrix}', '2\\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}', true],
    ['matrices', '\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}', '\\begin{pmatrix}1&3\\\\2&4\\end{pmatrix}', false],
    ['named values and lists', '2,3', 'x=2 \\text{ or } x=3', true],
    ['named values and lists', '2,3', 'x_1=2,x_2=3', true],
    ['named values and lists', '2, 3', 'x=3, x=2', true],
    ['named values and lists', 'y=x^2+2x+1', '2x+1+x^2', true],
    ['named values and lists', 'y = 2x+1', '2x - y + 1 = 0', true],
    ['named values and lists', '\\pm 3', '3, -3', true],
    ['named values and lists', 'x = \\pm 3', '-3,3', true],
    ['named values and lists', '1\\pm\\sqrt{2}', '1+\\sqrt2, 1-\\sqrt2', true],
    ['named values and lists', '\\pm 3', '3', false],
    ['named values and lists', 'f(x)=x+1', 'x+1', true],
    ['named values and lists', 'f(x)=x+1', 'f(x)=1+x', true],
    ['named values and lists', '(x,y)=(1,2)', '(1,2)', true],
    ['named values and lists', 'x=1,y=2', '(1,2)', true],
    ['named values and lists', 'x=1,y=2', 'y=2, x=1', true],
    ['named values and lists', 'x=1,y=2', 'x=2,y=1', false],
    ['named values and lists', 'x-2y+z-1=0', '2x-4y+2z=2', true],
    ['named values and lists', '\\sum_{k=1}^{10} k', '55', true],
    ['named values and lists', 'a_n = 2n-1', '2n-1', true],
    ['named values and lists', '\\angle ABC = 30^\\circ', '30', true],
    ['named values and lists', 'x = \\frac{\\pi}{6}', '\\pi/6', true],
    ['named values and lists', '12 \\text{ and } 15', '12, 15', true],
    ['named values and lists', '12 and 15', '15 and 12', true],
    ['named values and lists', '14', 'x=14', true],
    ['numbers', '10^{6}', '1000000', true],
    ['numbers', '1000000', '1 \\times 10^6', true],
    ['numbers', '2 1/2', '5/2', true],
    ['numbers', '5!', '120', true],
    ['numbers', '1{,}234', '1234', true],
    ['numbers', '1,234,567', '1234567', true],
    ['numbers', '3:4', '6:8', true],
    ['numbers', '1:2', '\\frac12', true],
    ['numbers', '12:00', '1:00', false],
    ['numbers', '204_5', '204_{5}', true],
    ['numbers', '9007199254740992', '9007199254740993', false],
    ['numbers', '100!', '100\\cdot 99!', true],
    ['numbers', '2^{100}', '2^{100}+1', false],
    ['numbers', '.5', '0.5', true],
    ['numbers', '185\\', '185', true],
    ['numbers', '10, 4, 2', '4, 12, 2', false],
    ['numbers', '3^{1/2}', '\\sqrt3', true],
    ['numbers', '1\\,000\\,000', '1000000', true],
    ['numbers', '4.5', '4\\frac{1}{2}', true],
    ['numbers', '0', '0.0', true],
    ['numbers', '0.001', '0', false],
    ['numbers', '1', '1.1', false],
    ['numbers', '7', '7.00', true],
    ['numbers', '-1', '\\cos\\pi', true],
    ['sets and intervals', '\\{1,2,3\\}', '\\{3,2,1\\}', true],
    ['sets and intervals', '\\{1,2\\}', '{1,2}', true],
    ['sets and intervals', '\\{1\\} \\cup \\{2\\}', '\\{1,2\\}', true],
    ['sets and intervals', '[0,1)', '(0,1]', false],
    ['sets and intervals', '\\{(1,2),(3,4)\\}', '(3,4),(1,2)', true],
    ['sets and intervals', '(2,3)', '2 < x < 3', true],
    ['sets and intervals', '2<x<3', 'x\\in(2,3)', true],
    ['sets and intervals', '2<x<3', '3>x>2', true],
    ['sets and intervals', '(2,3)', 'x<3 \\text{ and } x>2', true],
    ['sets and intervals', '(-\\infty,2)\\cup(3,\\infty)', 'x<2 \\text{ or } x>3', true],
    ['sets and intervals', 'x \\leq 5', 'x<5', false],
    ['sets and intervals', 'x>5', '5<x', true],
    ['sets and intervals', '\\mathbb{R}\\setminus\\{2\\}', '(-\\infty,2)\\cup(2,\\infty)', true],
    ['sets and intervals', 'x\\neq 2', '(-\\infty,2)\\cup(2,\\infty)', true],
    ['sets and intervals', '(-\\infty,\\infty)', '\\mathbb{R}', true],
    ['sets and intervals', '\\emptyset', '\\varnothing', true],
    ['sets and intervals', '(1,2)', '[1,2]', false],
    ['sets and intervals', '[1,2]', '[1, 2]', true],
    ['sets and intervals', '\\sqrt[3]{8}', '2', true],
    ['sets and intervals', '\\sqrt[3]{-8}', '-2', true],
    ['sets and intervals', '\\infty', '+\\infty', true],
    ['sets and intervals', '\\infty', '-\\infty', false],
    ['sets and intervals', '\\{x \\mid 0<x<1\\}', '(0,1)', true],
    ['sets and intervals', '[1,2)\\cup(2,3]', '[1,3]\\setminus\\{2\\}', true],
    ['sets and intervals', '-1<x\\le 3', '(-1,3]', true],
    ['sets and intervals', 'k \\in [2,\\infty)', 'k \\ge 2', true],
    ['sets and intervals', '\\left(\\frac{1}{2}, \\infty\\right)', 'x > 0.5', true],
    ['sets and intervals', '\\{-2, 0, 2\\}', '0,\\pm2', true],
    ['sets and intervals', '(1,2)\\cup(3,4)', '(1,2)\\cup(3,5)', false],
    ['sets and intervals', '(3,4)\\cup(1,2)', '(1,2)\\cup(3,4)', true],
    ['sets and intervals', '[-4,0]', '-4\\leq k\\leq 0', true],
    ['tuples', '(r+5)(r+5)', '(r+5)^2', true],
    ['tuples', '(1,2)', '(2,1)', false],
    ['tuples', '(0, \\frac{1}{2})', '(0, 0.5)', true],
    ['words, units, percent', '28\\%', '0.28', true],
    ['words, units, percent', '28\\%', '28', true],
    ['words, units, percent', '28\\%', '0.27', false],
    ['words, units, percent', '0.5', '50\\%', true],
    ['words, units, percent', '\\text{Tuesday}', 'tuesday', true],
    ['words, units, percent', '\\text{(C)}', 'C', true],
    ['words, units, percent', '17\\text{ any text}', '17', true],
    ['words, units, percent', '35 \\text{ cm}^2', '35', true],
    ['words, units, percent', '5 \\text{ m/s}', '5', true],
    ['words, units, percent', '120 square meters', '120', true],
    ['words, units, percent', '\\$18.90', '18.9', true],
    ['words, units, percent', 'odd', '\\text{oddd}', false],
    ['words, units, percent', '\\text{Yes}', 'Yes', true],
    ['words, units, percent', '\\text{No solution}', 'no solution', true],
    ['words, units, percent', '6\\text{ hours}', '6 hours', true],
    ['words, units, percent', '8\\sqrt{3}\\text{ cm}^2', '8\\sqrt{3}', true],
    ['words, units, percent', '\\text{E}', '\\mathrm{E}', true],
    ['words, units, percent', '$5', '5 dollars', true],
    ['degrees in braces', '{60^\\circ}', '60', true],
    ['units that are also functions', '30 \\text{ sec}', '30', true],
    ['units that are also functions', '5\\frac14 \\mathrm{~min}', '5.25', true],
    ['units that are also functions', '\\operatorname{sec} x', '\\frac{1}{\\cos x}', true],
    ['units of one letter', '4000 / 49 \\mathrm{~m} / \\mathrm{s}', '4000/49', true],
    ['units of one letter', '14\\pi~\\mathrm{m}', '14\\pi', true],
    ['units of one letter', '2\\mathrm{m}', '3\\mathrm{m}', false],
    ['units of one letter', '7.5\\,\\mathrm{kg\\,m^{-3}}', '7.5', true],
    ['inverse functions', '\\sin^{-1} a', 'asin(a)', true],
    ['inverse functions', '\\sinh^{-1}(2)', '\\ln(2+\\sqrt5)', true],
    ['inverse functions', '\\sin^{-1} a', '\\frac{1}{\\sin a}', false],
    ['what programs print', '\\sqrt[15]{x^7}', '(x**7)**(1/15)', true],
    ['what programs print', '\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}', 'Matrix([[1, 2], [3, 4]])', true],
    ['what programs print', '\\frac{1}{20!}', '1/factorial(20)', true],
    ['what programs print', '\\lceil x \\rceil - |x|', 'ceiling(x) - Abs(x)', true],
    ['what programs print', '2.2\\tau', '2.2*tau', true],
    ['brackets that group', '5[x+2]\\{x-2\\}', '5x^2-20', true],
    ['brackets that group', '[1,2]', '(1,2)', false],
    ['order of scripts', 'x^2_i', 'x_i^2', true],
    ['words in lists', 'B, C', 'C, B', true],
    ['words in lists', '\\text{B, E, G}', 'B, E, G', true],
    ['words in lists', 'B, C', 'B, D', false],
    ['lists', '0, \\pm 1, -2', 'x=0, x=\\pm 1, x=-2', true],
    ['sentences', '100', 'The value is 100', true],
    ['sentences', '\\text{no real solutions}', '\\emptyset', true],
    ['sentences', '\\mathbb{R}', 'all real numbers', true],
    ['ratios', '\\frac{1}{15}', '1:15', true],
    ['ratios', '1:15', '2:30', false],
    ['choices with their wording', 'B', '\\textbf{(B)}\\ 12', true],
    ['qualifiers', '\\frac{\\pi}{3}+2k\\pi', '2\\pi k+\\frac{\\pi}{3}, k \\in \\mathbb{Z}', true],
    ['sets', '\\{2,4\\} \\cap \\{1,2\\}', '{1,2} \\cap {2,4}', true],
    ['sets', '(-\\infty,1)\\cup(2,\\infty)', 'x<1, x>2', true],
    ['sets', '(1,2)', 'x>1, x<2', true],
    ['sets', 'x=[1,2)\\cup(3,4)', 'x=[1,2) \\text{ or } (3,4)', true],
    ['numbers', '\\sqrt{-4}', '2i', true],
    ['numbers', '\\frac{8}{9}', '0.888888888888889', true],
    ['numbers', '\\frac13', '0.333...', true],
    ['numbers', '1.325e-27', '2.65e-27', false],
    ['numbers', '\\frac{1}{2004!}', '\\frac{1}{2\\cdot 2004!}', false],
    ['numbers', '\\operatorname{lcm}(-12,4)', '12', true],
    ['equations between numbers', '\\log_8 4=\\frac23', '\\log_8 4=\\frac53', false],
    ['series', '\\sum_{i=1}^{10} i', '55', true],
    ['series', '\\sum_{i=1}^{n} i^2', '\\sum_{k=1}^{n} k^2', true],
    ['series', '\\sum_{i=1}^{n} i^2', '\\sum_{k=1}^{n} k', false],
  ])('%s: %s, %s', async (_, reference, answer, expected) => {
    expect(await equals(answer, reference)).toBe(expected);
  });

  it.each<[string, string, Record<string, string>, boolean]>([
    ['0.33', '\\frac{1}{3}', { decimals: '2' }, true],
    ['0.33', '\\frac{1}{3}', {}, false],
    ['0.5', '50\\%', { percent: 'fraction' }, true],
    ['0.5', '50\\%', { percent: 'number' }, false],
    ['50', '50\\%', { percent: 'number' }, true],
    ['50', '50\\%', { percent: 'fraction' }, false],
  ])('%s against %s under %j', async (answer, reference, options, expected) => {
    expect(await equals(answer, reference, options)).toBe(expected);
  });

  it.each([
    ['the relation that was to be solved', '(-2,2)', 'x^2 < 4'],
    ['the equation that was to be solved', 'x = 3', '2x = 6'],
    ['every value there is', '3', '1, 2, 3, 4'],
    ['nothing', '3', ' '],
    ['the reference with more', '3', '3 + 0 \\cdot 1 , 4'],
  ])('is not had by %s', async (_, reference, answer) => {
    expect(await equals(answer, reference)).toBe(false);
  });
});

describe('a costly expression', () => {
  const hostile: readonly [string, string][] = [
    ['a tower of powers', '9^{9^{9^{9^{9}}}}'],
    ['a factorial', '100000000!!!'],
    ['a long sum', `\\sum_{i=1}^{10000}\\sum_{j=1}^{10000}\\sum_{k=1}^{10000} \\sin(ijk)`],
    ['deep brackets', `${'('.repeat(400)}1${')'.repeat(400)}`],
    ['deep braces', `${'{'.repeat(450)}2${'}'.repeat(450)}`],
    ['many fractions', '\\frac{1}{1+'.repeat(70) + 'x' + '}'.repeat(70)],
    ['many dollars', '$'.repeat(30_000)],
    ['many open formulas', '\\['.repeat(15_000)],
    ['many open boxes', '\\boxed{'.repeat(4000)],
    ['many commas', '1,'.repeat(400)],
    ['many signs', '\\pm 1'.repeat(150)],
    ['many backslashes', '\\'.repeat(30_000)],
    ['many words', 'and or '.repeat(4000)],
    ['many digits', '9'.repeat(900)],
    ['many equals', 'x='.repeat(400)],
    ['many blanks', `1${' '.repeat(30_000)}1`],
    ['brackets that stay open', `2${'('.repeat(120)}x`],
    ['braces that stay open', `${'('.repeat(12)}\\binom{x${')'.repeat(12)}`],
    ['many bars', 'abs()'.repeat(100)],
    ['many calls', 'sqrt('.repeat(5000)],
  ];

  it.each(hostile)('(%s) ends by the deadline, with a verdict or an error, and blocks nothing', async (_, text) => {
    await judged('\\boxed{1}', '1'); // the thread is there
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 20);
    const startedAt = performance.now();
    const spec = { kind: 'math', version: '1', options: {} };
    for (const response of [text, `\\boxed{${text}}`]) {
      const outcome = await verifiers
        .verify(spec, { text: response, finished: true }, '1', { deadlineMs: 1500 })
        .catch((error: unknown) => error);
      if (isSeamError(outcome)) expect(outcome.code).toBe('VERIFIER_FAILED');
      else expect(outcome).toMatchObject({ success: false });
    }
    const tookMs = performance.now() - startedAt;
    clearInterval(ticking);
    // Two deadlines, and the start of a new thread, which takes seconds where two processors have ten to serve.
    expect(tookMs).toBeLessThan(2 * 1500 + 30_000);
    expect(ticks).toBeGreaterThanOrEqual(Math.floor(tookMs / 20 / 4));
    expect(await equals('1', '1')).toBe(true);
  });

  it('as an answer is a zero where the reference can be compared, so that no answer gains by it', async () => {
    const [, sum] = hostile[2]!;
    const spec = { kind: 'math', version: '1', options: {} };
    const verdict = verifiers.verify(spec, { text: `\\boxed{${sum}}`, finished: true }, '1', { deadlineMs: 300 });
    await expect(verdict).resolves.toMatchObject({ success: false, detail: expect.stringContaining('too costly') });
  });

  it('as a reference is VERIFIER_FAILED for every answer but its own text', async () => {
    const [, sum] = hostile[2]!;
    const spec = { kind: 'math', version: '1', options: {} };
    const judge = (answer: string) => verifiers.verify(spec, { text: `\\boxed{${answer}}`, finished: true }, sum);
    await expect(judge('1')).rejects.toMatchObject({ code: 'VERIFIER_FAILED', retryable: true });
    await expect(judge(sum)).resolves.toMatchObject({ success: true });
  });

  it('is given up when the caller stops', async () => {
    const [, sum] = hostile[2]!;
    const spec = { kind: 'math', version: '1', options: {} };
    await expect(
      verifiers.verify(spec, { text: `\\boxed{${sum}}`, finished: true }, '1', { signal: AbortSignal.timeout(200) }),
    ).rejects.toMatchObject({ code: 'ABORTED' });
  });
});
