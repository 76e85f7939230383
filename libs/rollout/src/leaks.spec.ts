import { answersOf, hasFindableAnswer, holdsAnswer, withoutAnswer } from './leaks.js';

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
