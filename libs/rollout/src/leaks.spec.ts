import { Random } from '@seamstream/kernel';
import { answersOf, givesAnswerAway, hasFindableAnswer, holdsAnswer, withoutAnswer } from './leaks.js';

const answered = (reference: string, kind = 'exact') => ({ reference, verifier: { kind, version: '1', options: {} } });

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

  it('is none where the problem states it, where the number is another, and where the reference is no answer', () => {
    expect(givesAnswerAway(entry('first 7, then'), asked('7', 'numeric', 'Of 7 and 9, which is prime?'))).toBe(false);
    for (const text of ['17', '7.5', '1.7', '70', 'x7', '7,000'])
      expect([text, givesAnswerAway(entry(text), asked('7', 'numeric'))]).toEqual([text, false]);
    expect(givesAnswerAway(entry('3 of them'), asked('(3, 4)', 'math'))).toBe(false);
    expect(givesAnswerAway(entry('B'), asked('B', 'choice'))).toBe(false);
    expect(givesAnswerAway(entry('assert'), asked('assert f(1) == 2', 'code'))).toBe(false);
  });

  it('is looked for in linear time', () => {
    for (const piece of ['7', '1,', 'a ', '-', '1.', ',000'])
      for (const reference of ['1,111', piece.repeat(100), piece.repeat(30_000)]) {
        const text = piece.repeat(16_000 / piece.length);
        expect(typeof givesAnswerAway(text, asked(reference, 'numeric', text.repeat(16)))).toBe('boolean');
      }
  });
});
