/** Which part of a response is its answer, and when none is. */
import { Verifiers } from '../verifiers.js';

const verifiers = new Verifiers({ mathThreads: 1 });
afterAll(() => verifiers.close());

const judged = (text: string, reference: string, options: Record<string, string> = {}) =>
  verifiers.verify({ kind: 'math', version: '1', options }, { text, finished: true }, reference);

describe('the answer of a response', () => {
  it.each<[string, string | null]>([
    ['so \\boxed{\\frac{1}{\\sqrt{2}}} it is', '\\frac{1}{\\sqrt{2}}'],
    ['\\boxed{1} and \\boxed{2}', '1 , 2'],
    ['\\boxed{1} or rather \\boxed{2}', '2'],
    ['\\boxed{1}. Wait, that was wrong: I forgot a term. \\boxed{2}', '2'],
    ['\\boxed{3} but the answer is 4', '4'],
    ['Answer: 4, hence \\boxed{5}', '5'],
    ['The final answer is $7$. I hope it is correct.', '$7$'],
    ['\\boxed{4} and then \\boxed{5', null],
    ['#### 1,234', '1,234'],
    ['thus $x=3$', 'x=3'],
    ['we get $x=3$, which makes 12 apples', '12'],
    ['I do not know how this is done', null],
    ['', null],
  ])('of %j is %j', async (text, answer) => {
    expect((await judged(text, '1')).extractedAnswer).toBe(answer);
  });

  const VALUES = [
    ['3', '4'],
    ['\\frac{1}{2}', '7'],
    ['x+1', 'x-1'],
  ] as const;

  it.each([
    'I doubt the answer is $V$.',
    'I doubt that it is \\boxed{V}.',
    'The answer is not $V$.',
    'It is not \\boxed{V}.',
    'This is unlikely to be \\boxed{V}.',
    'A wrong answer: $V$',
    'Answer: $V$, nope.',
    'Answer: $V$? No.',
    'Answer: maybe $V$',
    'Answer: $W$ (not $V$)',
    'Answer: $W$, never $V$',
    'Answer: $V$\nNo, that is wrong.',
    'The answer is $V$. Wait, I forgot a term.',
    '\\boxed{V}? I am unsure.',
    '\\boxed{V}. Scratch that.',
    'we get $V$, or not',
    'we get not $V$',
    '#### V, nope',
    'If n is even then \\boxed{W}, otherwise \\boxed{V}',
    '\\boxed{W} if n is even, \\boxed{V} if n is odd',
    '\\boxed{W} (alternatively, \\boxed{V})',
    'Case 1: \\boxed{W}. Case 2: \\boxed{V}.',
    'First guess: \\boxed{W}, second guess: \\boxed{V}',
    'We have \\boxed{W}; if that is wrong, \\boxed{V}',
    'Answer: W\nOption two, answer: V',
    'A wrong answer would be \\boxed{V}',
    '\\boxed{V} (false)',
    '\\boxed{V} EDIT: $W$',
    '\\boxed{V} → correction: $W$',
    '\\boxed{V} was my first guess',
    '\\boxed{V} looks good, but the right value is $W$.',
    'The candidates are $W$ and $V$',
    'It is one of $W$; $V$',
  ])('does not count where %j denies, doubts or takes it back', async (form) => {
    for (const [value, other] of VALUES) {
      const { success } = await judged(form.replaceAll('V', value).replaceAll('W', other), value);
      expect([value, success]).toEqual([value, false]);
    }
  });

  it.each([
    'The answer is $V$.',
    'Thus, the answer is $V$, as claimed.',
    'So we get \\boxed{V}. This completes the proof.',
    'Since it is not negative, it is \\boxed{V}.',
    'Answer: $V$ (we used that it cannot be negative)',
    'The first guess was not right. But now the answer is $V$, as before.',
    'No other case is left, so \\boxed{V}',
    'It may be easier to count the rest. Answer: $V$',
    'we get $V$',
    '#### V',
    'So we get \\boxed{V}. This is not hard to check.',
    '\\boxed{W} Hmm, that misses a term. We get \\boxed{V}',
    'In the first case there are none, otherwise \\boxed{V}',
    'Therefore, the answer is **V**.',
    'Answer: \\textcolor{red}{V}',
    'Thus \\boxed{{\\color{blue}V}}',
    '\\boxed{\\Large V}',
    'One of the roots is ignored, so the number of choices is $V$',
  ])('is read where %j only speaks of other things in such words', async (form) => {
    for (const [value] of VALUES) {
      const { success } = await judged(form.replaceAll('V', value), value);
      expect([value, success]).toEqual([value, true]);
    }
  });

  it('must be stated where that is asked for', async () => {
    expect((await judged('thus $x=3$', '3', { answer: 'stated' })).extractedAnswer).toBeNull();
    expect((await judged('thus $x=3$', '3')).success).toBe(true);
    expect((await judged('thus \\boxed{3}', '3', { answer: 'stated' })).success).toBe(true);
  });

  it('does not count in an unfinished response', async () => {
    const spec = { kind: 'math', version: '1', options: {} };
    expect(await verifiers.verify(spec, { text: '\\boxed{12}', finished: false }, '12')).toMatchObject({
      success: false,
      extractedAnswer: null,
    });
  });
});
