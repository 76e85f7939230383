import { Random } from '@seamstream/kernel';
import { answersOf, givesAnswerAway, hasFindableAnswer, holdsAnswer, withoutAnswer } from './leaks.js';

const answered = (reference: string, kind = 'exact') => ({ reference, verifier: { kind, version: '1', options: {} } });

interface Case {
  readonly reference: string;
  readonly kind: string;
  readonly text: string;
}

const KINDS = ['numeric', 'math', 'exact'];
const AROUND = [
  ['', ''],
  ['the result: ', ''],
  ['so it is ', '.'],
  ['(', ')'],
  // eslint-disable-next-line house/plain-words -- the text of an entry that leaks
  ['recall "', '" and go on'],
  ['carry the one, ', ', then check'],
] as const;
const pick = <T>(random: Random, list: readonly T[]): T => random.pick([...list]);
const grouped = (digits: string, separator: string): string => digits.replaceAll(/\B(?=(?:\d{3})+$)/g, separator);
/** Digits of another script. */
const inScript = (text: string, zero: number): string =>
  text.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));

/** A number, written in the ways of an author who must not write it. */
function disguisedLeak(random: Random): Case {
  const whole = 21 + random.int(100_000);
  const hundredths = 1 + random.int(98);
  const isWhole = random.float() < 0.6;
  const value = isWhole ? String(whole) : `${whole}.${String(hundredths).padStart(2, '0')}`;
  const [digits = '', part] = value.split('.');
  const forms: string[] = isWhole
    ? [
        digits,
        `${digits}.0`,
        `00${digits}`,
        ...[',', ' ', '.', "'", '_', '\u00a0', '\u2009', '\u202f'].map((separator) => grouped(digits, separator)),
        `${whole * 3}/3`,
        `\\frac{${whole * 7}}{7}`,
        `${digits}e0`,
        `${digits}0e-1`,
        `answer${digits}`,
        `is${digits}`,
        `${digits}kg`,
        `${digits} apples`,
        `$${digits}`,
        `${whole * 100}%`,
      ]
    : [
        value,
        `${digits},${part}`,
        `${grouped(digits, ',')}.${part}`,
        `${grouped(digits, ' ')},${part}`,
        `${value}0`,
        `${digits}${part}%`,
        `${digits}${part} percent`,
        `${digits}${part}/100`,
        `result${value}`,
      ];
  let written = pick(random, forms);
  const disguise = random.int(5);
  if (disguise === 0) written = inScript(written, pick(random, [0xff10, 0x0660, 0x06f0, 0x0966, 0x1d7ce]));
  if (disguise === 1)
    written = Array.from(written).join(pick(random, ['\u200b', '\u200d', '\u2060', '\ufeff', '\u00ad']));
  const isNegative = random.float() < 0.2 && /^[\p{Nd}.,]/u.test(written.replaceAll(/\p{Cf}/gu, ''));
  const sign = isNegative ? pick(random, ['-', '\u2212', '\u2013']) : '';
  const [before, behind] = pick(random, AROUND);
  const reference = `${isNegative ? '-' : ''}${isWhole && random.float() < 0.2 ? grouped(digits, ',') : value}`;
  return { reference, kind: pick(random, KINDS), text: `${before}${sign}${written}${behind}` };
}

/** A text of advice with a number in it that is, or is a part of, another thing. */
function innocentText(random: Random): Case {
  const small = 1 + random.int(20);
  const large = 21 + random.int(10_000);
  const constant = pick(random, [2, 3, 4, 5, 10, 12, 60, 100, 360, 1000]);
  const ordinal = `${small}${small % 10 === 1 && small !== 11 ? 'st' : small % 10 === 2 && small !== 12 ? 'nd' : small % 10 === 3 && small !== 13 ? 'rd' : 'th'}`;
  const cases: readonly (readonly [reference: number | string, text: string])[] = [
    [small, `look at the ${ordinal} word`],
    [pick(random, [2, 3]), `draw it in ${pick(random, ['2', '3'])}D`],
    [large, `it may be -${large}`],
    [-large, `it may be ${large}`],
    [constant, `${pick(random, ['divide', 'multiply', 'scale'])} by ${constant}`],
    [constant, `so many out of ${constant}`],
    [small, `Step ${small}: add up`],
    [small, `${small}. add up`],
    [large, `about ${large}${random.int(10)} of them`],
    [large, `about 9${large} of them`],
    [large, `about ${large}.5 of them`],
    [large, `about 0.${large} of them`],
    [large, `call it x${large}`],
    [large, `${large}x + 1`],
    [large, `${large}/7 of it`],
    [7, `${large}/7 of it`],
    [large, `as in ${large + 1}, not more`],
    [large, `${large},000 boards`],
    ['A', 'a word is a word'],
    ['x', 'solve for x, then check x again'],
    [`${large}.25`, `${large}.2 or ${large}.250001`],
  ];
  const [reference, text] = pick(random, cases);
  return { reference: String(reference), kind: pick(random, KINDS), text };
}

describe('an answer in an entry', () => {
  it.each([
    ['72', '{"strategy":["add to 72"]}', true],
    ['72', 'of 172 or 72.5 or 1.72', false],
    ['72', 'so it is 72.', true],
    ['1234', 'about 1,234 boards', true],
    ['1,234', 'about 1234 boards', true],
    ['234', 'about 1,234 boards', false],
    ['-3', 'x = -3', true],
    ['29 and 9', 'that is 29  AND 9', true],
    ['29 and 9', '29, 9', false],
    ['\\frac{1}{2}', 'the half, \\frac{1}{2}', true],
    ['oak', 'oaken boards', false],
  ])('%s in %s: %s', (reference, entry, holds) => {
    expect(holdsAnswer(entry, answered(reference))).toBe(holds);
  });

  it('is looked for where the reference is one: not in tests of code, and not in a single letter', () => {
    expect(hasFindableAnswer(answered('assert f(1) == 2', 'python'))).toBe(false);
    expect(hasFindableAnswer(answered('B', 'choice'))).toBe(false);
    expect(hasFindableAnswer(answered('  '))).toBe(false);
    expect(hasFindableAnswer(answered('7', 'numeric'))).toBe(true);
    expect(holdsAnswer('anything B', answered('B', 'choice'))).toBe(false);
  });

  it('is taken out everywhere it stands, and nothing else is', () => {
    expect(withoutAnswer('72 of 172, so 72.', answered('72'))).toBe('… of 172, so ….');
    expect(withoutAnswer('{"a":"1,234"}', answered('1234'))).toBe('{"a":"…"}');
    expect(withoutAnswer('B or not', answered('B', 'choice'))).toBe('B or not');
  });

  it('may be what a whole entry or one of its texts says', () => {
    expect(answersOf('{"concepts":["a"],"strategy":["b","72"],"pitfalls":[]}')).toEqual([
      'a\nb\n72',
      'Answer: a',
      'Answer: b',
      'Answer: 72',
    ]);
    expect(answersOf('no JSON')).toEqual(['no JSON']);
  });
});

describe('an entry that gives its answer away', () => {
  const asked = (reference: string, kind: string, prompt = 'How many are left?') => ({
    ...answered(reference, kind),
    prompt,
  });
  const entry = (text: string): string => JSON.stringify({ concepts: [text], strategy: [], pitfalls: [] });

  it('is found in a hundred of a hundred, however a number is written and a text is quoted', () => {
    const random = Random.of('planted leaks', '1');
    const numbers = ['1250', '-17', '0.5', '1,250', '42'];
    const forms: ((value: string) => string)[] = [
      (value) => value,
      (value) => `it is ${value}.`,
      (value) => `${Number(value.replaceAll(',', ''))}.00`,
      (value) => Number(value.replaceAll(',', '')).toLocaleString('en-US'),
      (value) => `so ($${value})`,
      (value) => `00${value}`.replace('00-', '-00'),
    ];
    const missed = Array.from({ length: 100 }, (_, index) => {
      const value = random.pick(numbers);
      const text = `count, ${random.pick(forms)(value)}`;
      return givesAnswerAway(entry(text), asked(value, index % 2 === 0 ? 'numeric' : 'math')) ? [] : [[value, text]];
    });
    expect(missed.flat()).toEqual([]);
  });

  it('is found behind the escapes of its JSON, and by five words of a longer answer', () => {
    expect(givesAnswerAway(entry('take \\frac{1}{2}'), asked('\\frac{1}{2}', 'math'))).toBe(true);
    const long = asked('the cat that sat on the mat is black', 'exact');
    expect(givesAnswerAway(entry('the Cat, that sat on it'), long)).toBe(true);
    expect(givesAnswerAway(entry('the cat that sits on the mat'), long)).toBe(false);
  });

  it('does not count as one where the problem states it, the number is another, or the reference is no answer', () => {
    expect(givesAnswerAway(entry('first 7, then'), asked('7', 'numeric', 'Of 7 and 9, which is prime?'))).toBe(false);
    for (const text of ['17', '7.5', '1.7', '70', 'x7', '7,000'])
      expect([text, givesAnswerAway(entry(text), asked('7', 'numeric'))]).toEqual([text, false]);
    expect(givesAnswerAway(entry('3 of them'), asked('(3, 4)', 'math'))).toBe(false);
    expect(givesAnswerAway(entry('assert'), asked('assert f(1) == 2', 'code'))).toBe(false);
  });

  it('calls one of the numbers that the problem states the answer', () => {
    const given = asked('5', 'numeric', 'Ann has 5 apples and 3 pears. How many apples has she?');
    for (const text of ['the answer is 5', 'answer: 5', 'Result = $5', 'answer5', 'so the solution must be **5**'])
      expect([text, givesAnswerAway(entry(text), given)]).toEqual([text, true]);
    for (const text of [
      'take 5 apples',
      'the answer is not 5',
      'the answer is more than 5',
      'answer with 3',
      '5 is a number',
      'beans: 5',
      'cans = 5',
      'plans (5)',
      'with that result: 5 - x',
      'the result is 5 * 3, then halve it',
      'Give the answer (5 decimals)',
      'answer 5 questions first',
    ])
      expect([text, givesAnswerAway(entry(text), given)]).toEqual([text, false]);
  });

  it('calls no number the answer by a key of its schema, or by the end of another text', () => {
    const given = asked('12', 'numeric', 'There are 12 apples and 3 pears.');
    for (const keyed of [
      { solution: '12 apples are in the basket' },
      { 'solution is': '12 apples' },
      { plans: '12 apples' },
      { list: ['check the answer', '12 apples'] },
    ])
      expect([keyed, givesAnswerAway(JSON.stringify(keyed), given)]).toEqual([keyed, false]);
    expect(givesAnswerAway(JSON.stringify(['the answer is', '12']), given)).toBe(true);
  });

  const CASES = Number(process.env.SEAM_TEST_LEAKS ?? 2000);

  it(`is found in ${CASES} of ${CASES} disguises of a number`, () => {
    const random = Random.of('disguised leaks', '1');
    const missed = Array.from({ length: CASES }, () => disguisedLeak(random)).filter(
      ({ reference, text, kind }) => !givesAnswerAway(entry(text), asked(reference, kind)),
    );
    expect(missed).toEqual([]);
  });

  it(`is not found in ${CASES} of ${CASES} texts that mention a number for another thing`, () => {
    const random = Random.of('innocent texts', '1');
    const accused = Array.from({ length: CASES }, () => innocentText(random)).filter(({ reference, text, kind }) =>
      givesAnswerAway(entry(text), asked(reference, kind)),
    );
    expect(accused).toEqual([]);
  });

  it.each([
    ['0.42', 'so 0,42 it is'],
    ['42', 'so it is42 then'],
    ['42', 'ans42'],
    ['42', 'write 4\u200b2'],
    ['42', 'write \uff14\uff12'],
    ['42', 'write \u0664\u0662'],
    ['1234', 'about 1 234'],
    ['1234', 'about 1\u202f234'],
    ['1234', "about 1'234"],
    ['1234', 'about 1.234'],
    ['0.5', 'half, 50%'],
    ['0.5', 'half, 50\\%'],
    ['0.5', 'that is 1/2'],
    ['0.5', 'that is \u00bd'],
    ['\\frac{1}{2}', 'that is 0.5'],
    ['1/3', 'that is \\frac{1}{3}'],
    ['50%', 'that is 0.5'],
    ['3.5', 'that is 3 1/2'],
    ['42', 'it is 84/2'],
    ['1500', 'it is 1.5e3'],
    ['1500', 'it is 1.5 × 10^3'],
    ['-5', 'it is \u22125'],
    ['42', 'the 42nd'],
    ['7', 'it takes 7m'],
  ])('%s is given away by %j', (reference, text) => {
    expect(givesAnswerAway(entry(text), asked(reference, 'math'))).toBe(true);
  });

  it.each([
    ['2', 'take the 2nd one'],
    ['3', 'draw it in 3D'],
    ['5', 'it may be -5'],
    ['100', 'divide by 100'],
    ['2', 'split it into 2'],
    ['2', 'Step 2: add'],
    ['2', '2. add'],
    ['2', 'half is 1/2'],
    ['7', 'call it x7'],
    ['8', 'as in utf8'],
    ['42', 'it is 0.42'],
    ['42', 'version 1.42.3'],
    ['A', 'a vowel is a letter'],
  ])('%s is not given away by %j', (reference, text) => {
    for (const kind of ['math', 'exact']) expect(givesAnswerAway(entry(text), asked(reference, kind))).toBe(false);
  });

  it('of one letter is given away by a text that says nothing else', () => {
    for (const text of ['B', '(B)', 'b.'])
      expect(givesAnswerAway(entry(text), asked('B', 'exact'))).toBe(text !== 'b.');
  });

  it('is looked for in linear time', () => {
    for (const piece of ['7', '1,', 'a ', '-', '1.', ',000', '0', '1 ', '1/', '\u200b', '%', '1e', "1'000"])
      for (const reference of ['1,111', piece.repeat(100), piece.repeat(30_000)]) {
        const text = piece.repeat(16_000 / piece.length);
        expect(typeof givesAnswerAway(text, asked(reference, 'numeric', text.repeat(16)))).toBe('boolean');
      }
  });
});

describe('an entry for a passage', () => {
  const problem = (answers: string) => ({
    ...{ problemId: 'p', prompt: 'A passage.', reference: '[["1815","in 1815"],"Charles Babbage"]' },
    verifier: { kind: 'passage', version: '1', options: { answers } },
  });

  it.each(['exact', 'squad'])('gives an answer away that is any of the right ones: %s', (answers) => {
    const gives = (entry: string): boolean => givesAnswerAway(entry, problem(answers));
    expect(gives('{"memory_item":"She met Charles Babbage."}')).toBe(true);
    expect(gives('{"memory_item":"Read the passage twice."}')).toBe(false);
  });
});
