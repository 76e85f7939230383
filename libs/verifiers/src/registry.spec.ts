import { VERIFIER_TRAITS } from '@seamstream/events';
import fc from 'fast-check';
import { checkVerifiable, knownVerifiers } from './registry.js';
import { Verifiers } from './verifiers.js';

const verifiers = new Verifiers();
afterAll(() => verifiers.close());

const exact = (text: string, reference: string, options: Record<string, string> = {}) =>
  verifiers.verify({ kind: 'exact', version: '1', options }, { text, finished: true }, reference);
const numeric = (text: string, reference: string, options: Record<string, string> = {}) =>
  verifiers.verify({ kind: 'numeric', version: '1', options }, { text, finished: true }, reference);

it('knows the verifiers that readers of the log know traits of, and no others', () => {
  const kinds = knownVerifiers.map((name) => name.split('@')[0]);
  expect(Object.keys(VERIFIER_TRAITS).sort()).toEqual([...new Set(kinds)].sort());
});

describe('the final answer of a response', () => {
  it.each<[string, string | null]>([
    ['oak 3 plus ash 4 = 7\nAnswer: 7', '7'],
    ['Answer: 3\nno, wait.\nAnswer: 4', '4'],
    ['Answer: 3\nThat is 4.', '3'],
    ['so it is\n#### 1,234', '1,234'],
    ['thus $\\boxed{\\frac{1}{2}}$.', '\\frac{1}{2}'],
    ['**Final answer:** \\boxed{12}', '12'],
    ['Answer:\n  red blue', 'red blue'],
    ['Answer: $18$.', '18'],
    ['Answer: 0.5', '0.5'],
    ['The result is 7', null],
    ['Answer:', null],
    ['Answer:   \n  ', null],
    ['\\boxed{12', null],
    ['', null],
    [`Answer: ${'x'.repeat(501)}`, null],
  ])('of %j is %j', async (text, answer) => {
    expect((await exact(text, 'whatever')).extractedAnswer).toBe(answer);
  });

  it('is absent from an unfinished response, regardless of its text so far', async () => {
    const spec = { kind: 'numeric', version: '1', options: {} };
    expect(await verifiers.verify(spec, { text: 'Answer: 12', finished: false }, '12')).toEqual({
      success: false,
      extractedAnswer: null,
      detail: expect.stringContaining('unfinished') as string,
    });
  });
});

describe('the exact verifier', () => {
  it.each([
    ['102', '10²', false],
    ['25', '2⁵', false],
    ['x2', 'x²', false],
    ['102', '10₂', false],
    ['x^2', 'x²', true],
    ['10²³', '10^23', true],
    ['H2O', 'H₂O', true],
    ['U.S.', 'U.S.', true],
    ['U.S.', 'It is the U.S.', false],
    ['Paris.', 'Paris', true],
    ['Paris.', 'Paris.', true],
    ['**bold**', '**bold**', true],
    ['$x$', '$x$', true],
    ['wrong answer: 7', '7', false],
    ['7 or 8.', '7', false],
  ])('for %j takes %j: %s', async (reference, answer, success) => {
    expect((await exact(`Answer: ${answer}`, reference)).success).toBe(success);
  });

  it('compares text without regard to case, width and spacing', async () => {
    expect(await exact('Answer:  Red   BLUE', 'red blue')).toEqual({
      success: true,
      extractedAnswer: 'Red   BLUE',
      detail: 'equal to the reference',
    });
    expect((await exact('Answer: ｒｅｄ', 'red')).success).toBe(true);
    expect((await exact('Answer: blue red', 'red blue')).success).toBe(false);
    expect((await exact('red', 'red')).success).toBe(false);
  });

  it('wants the reference and nothing else: an answer that merely contains it is wrong', async () => {
    expect((await exact('Answer: 19 and 29', '9 and 29')).success).toBe(false);
    expect((await exact('Answer: 9 and 29 or 30', '9 and 29')).success).toBe(false);
    expect((await exact('Answer: 9 and 2', '9 and 29')).success).toBe(false);
    const word = fc.stringMatching(/^[a-z0-9]{1,4}$/);
    const words = fc.array(word, { minLength: 1, maxLength: 3 }).map((each) => each.join(' '));
    const beside = fc.oneof(
      words,
      words.map((each) => ` ${each}`),
    );
    await fc.assert(
      fc.asyncProperty(words, beside, fc.boolean(), async (reference, more, isBefore) => {
        expect((await exact(`Answer: ${reference}`, reference)).success).toBe(true);
        const longer = isBefore ? `${more.trim()} ${reference}` : `${reference}${more}`;
        expect((await exact(`Answer: ${longer}`, reference)).success).toBe(false);
        expect((await exact(`Answer: ${reference}`, longer)).success).toBe(false);
      }),
      { numRuns: 100 },
    );
  });

  it('distinguishes case when asked to', async () => {
    expect((await exact('Answer: Red', 'red', { caseSensitive: 'true' })).success).toBe(false);
  });
});

describe('the numeric verifier', () => {
  it.each([
    '63872/8 and less km/h',
    '7984 and the other one cm',
    '\\boxed{7984} or \\boxed{7985}',
    '\\boxed{7985} or \\boxed{7984}',
    '7984 plus',
    '7984 more',
    '7984 less',
    '7984 others and/or',
  ])('takes no two answers for one: %s', async (answer) => {
    expect((await numeric(`Answer: ${answer}`, '7984', { units: 'ignore' })).success).toBe(false);
    expect((await numeric('Answer: 7984 km/h', '7984', { units: 'ignore' })).success).toBe(true);
  });

  it.each<[string, string, Record<string, string>, boolean]>([
    ['12', '12', {}, true],
    ['12.0', '12', {}, true],
    ['+12', '12', {}, true],
    ['1,234', '1234', {}, true],
    ['12,34', '1234', {}, false],
    ['1,234', '1234', { thousands: 'none' }, false],
    ['$18', '18', {}, true],
    ['-$18', '-18', {}, true],
    ['−5', '-5', {}, true],
    ['3/4', '0.75', {}, true],
    ['-\\dfrac{3}{4}', '-0.75', {}, true],
    ['1/3', '0.3333', {}, false],
    ['1/3', '0.3333', { tolerance: '0.0001' }, true],
    ['3/0', '0', {}, false],
    ['3/4', '0.75', { fractions: 'refuse' }, false],
    ['50%', '50', {}, true],
    ['50\\%', '0.5', { percent: 'fraction' }, true],
    ['50%', '50', { percent: 'refuse' }, false],
    ['101', '100', { relativeTolerance: '0.01' }, true],
    ['102', '100', { relativeTolerance: '0.01' }, false],
    ['1e3', '1000', {}, true],
    ['18 dollars', '18', {}, false],
    ['18 dollars', '18', { units: 'ignore' }, true],
    ['3 or 5', '3', { units: 'ignore' }, false],
    ...['million', 'thousand dollars', 'dozen', 'k', 'squared', 'half', 'percent', 'if even', 'xor eight'].map(
      (words): [string, string, Record<string, string>, boolean] => [`3 ${words}`, '3', { units: 'ignore' }, false],
    ),
    ['9007199254740993', '9007199254740992', {}, false],
    ['9007199254740993', '9007199254740993', {}, true],
    // Doubles would take these for the same.
    ['0', '1e-400', {}, false],
    ['1e-400', '1e-400', {}, true],
    ['123456789012345678902/1', '123456789012345678901', {}, false],
    ['123456789012345678902/1', '123456789012345678902', {}, true],
    ['1e999', '1', { tolerance: '1' }, false],
    ['NaN', '0', {}, false],
    ['Infinity', '0', { tolerance: '1' }, false],
    ['0x10', '16', {}, false],
    ['twelve', '12', {}, false],
  ])('judges %s against %s with %j as %s', async (answer, reference, options, success) => {
    expect((await numeric(`Answer: ${answer}`, reference, options)).success).toBe(success);
  });

  it('reads references as GSM8K writes them', async () => {
    expect((await numeric('so\n#### 18', 'Janet sells 9 eggs. 9 * 2 = <<9*2=18>>18 dollars\n#### 18')).success).toBe(
      true,
    );
    expect((await numeric('Answer: 70,000', 'profit of $70000\n#### 70,000')).success).toBe(true);
  });
});

describe('a problem that cannot be judged', () => {
  it('is an error, never a verdict: unknown verifier, with the known ones named', async () => {
    expect(knownVerifiers).toEqual([
      'exact@1',
      'numeric@1',
      'math@1',
      'choice@1',
      'json@1',
      'code@1',
      'http@1',
      'passage@1',
      'grid@1',
      'judge@1',
    ]);
    const poem = { kind: 'poem', version: '1', options: {} };
    await expect(verifiers.verify(poem, { text: '', finished: true }, 'x')).rejects.toMatchObject({
      code: 'UNKNOWN_VERIFIER',
      message: expect.stringContaining('exact@1, numeric@1') as string,
    });
    expect(() => checkVerifiable({ kind: 'exact', version: '2', options: {} }, 'x')).toThrow(/exact@2/);
  });

  it.each<[string, string, string, Record<string, string>, RegExp]>([
    ['numeric', 'a word as number', 'twelve', {}, /expected a number as reference/],
    ['numeric', 'nothing as number', '', {}, /expected a number/],
    ['numeric', 'a number beyond all bounds', '1e999', {}, /too large/],
    ['exact', 'nothing as text', '  ', {}, /expected a text as reference/],
    ['numeric', 'a negative tolerance', '1', { tolerance: '-1' }, /tolerance/],
    ['numeric', 'an unknown choice', '1', { percent: 'maybe' }, /percent to be number or fraction or refuse/],
    ['exact', 'an unknown option', 'a', { tolerence: '1' }, /expected options among .*, got tolerence/],
    ['exact', 'an odd flag', 'a', { caseSensitive: 'yes' }, /caseSensitive/],
  ])('%s: %s', async (kind, _, reference, options, message) => {
    expect(() => checkVerifiable({ kind, version: '1', options }, reference)).toThrow(message);
    // Even where the response holds no answer at all.
    await expect(
      verifiers.verify({ kind, version: '1', options }, { text: '', finished: false }, reference),
    ).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});
