import fc from 'fast-check';
import { parseFractions, splitOf } from './split.js';

const rule = (fractions: string, seed = '0') => ({ fractions: parseFractions(fractions), seed });

describe('splits', () => {
  it('give each part about its share, and other seeds other parts', () => {
    const questions = Array.from({ length: 20_000 }, (_, i) => `How many apples are ${i} apples?`);
    const parts = questions.map((question) => splitOf(question, rule('0.9,0.05,0.05')));
    const share = (part: string) => parts.filter((each) => each === part).length / parts.length;
    // Standard deviation of a share of 0.05 over 20,000: 0.0015; of 0.9: 0.0021. Four of them.
    expect(Math.abs(share('train') - 0.9)).toBeLessThan(0.0085);
    expect(Math.abs(share('validation') - 0.05)).toBeLessThan(0.0062);
    expect(Math.abs(share('test') - 0.05)).toBeLessThan(0.0062);
    const moved = questions.filter((question, i) => splitOf(question, rule('0.9,0.05,0.05', '1')) !== parts[i]).length;
    // Two independent splits agree with probability 0.9² + 2 · 0.05² = 0.815.
    expect(Math.abs(moved / questions.length - 0.185)).toBeLessThan(0.011);
  });

  it('depend on the question as it is compared alone, so that copies stay together', () => {
    const question = 'If $\\frac{x}{2} = 3$, what is $x$?';
    const copies = ['if  $\\dfrac{x}{2}=3$, what is $x$? ', 'If \\(\\frac{x}{2}=3\\)'];
    expect(splitOf(copies[0]!, rule('0.5,0.25,0.25'))).toBe(splitOf(question, rule('0.5,0.25,0.25')));
  });

  it('are fixed: a change of the hash would move problems from test to train', () => {
    const parts = ['a?', 'b?', 'c?', 'd?', 'e?', 'f?'].map((question) => splitOf(question, rule('0.4,0.3,0.3', 'x')));
    expect(parts).toEqual(['train', 'train', 'test', 'test', 'test', 'validation']);
  });

  it('leave a part without a share empty', () => {
    fc.assert(
      fc.property(fc.string(), (question) => {
        expect(splitOf(question, rule('1,0,0'))).toBe('train');
        expect(splitOf(question, rule('0,0,1'))).toBe('test');
        expect(splitOf(question, rule('0.3,0.7,0'))).not.toBe('test');
      }),
    );
  });

  it.each(['0.9,0.1', '0.9,0.05,0.06', '1.2,-0.1,-0.1', '0.9,,0.1', 'a,b,c', '0.9,0.05,0.05,0'])(
    'refuse the fractions %j',
    (text) => {
      expect(() => parseFractions(text)).toThrow('expected three shares of train, validation and test with the sum 1');
    },
  );
});
