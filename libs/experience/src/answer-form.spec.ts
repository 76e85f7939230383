import { type AnswerForm, judgedText } from './answer-form.js';

const CASES: readonly [AnswerForm, string, string, string][] = [
  ['stated', 'the response as it is', '<think>Answer: 3</think>\nAnswer: 4', '<think>Answer: 3</think>\nAnswer: 4'],
  ['tag', 'the text between the tags', '<think>2+2</think><answer>4</answer>', 'Answer: 4'],
  ['tag', 'an answer over lines', 'So\n<answer>\n4\n</answer>', 'Answer: 4'],
  ['tag', 'the last of two', '<answer>3</answer> no: <answer>4</answer>', 'Answer: 4'],
  ['tag', 'the inner of two beginnings', '<answer> is <answer>4</answer>', 'Answer: 4'],
  ['tag', 'nothing within thinking', '<think><answer>4</answer>', ''],
  ['tag', 'nothing before the end of thinking', 'I try <answer>3</answer></think> and stop', ''],
  ['tag', 'nothing of a number in the text', 'It is 4.', ''],
  ['tag', 'nothing of an open tag', '<answer>4', ''],
  ['tag', 'nothing of a blank one', '<answer> </answer>', ''],
  ['tag', 'a box inside', '<answer>\\boxed{\\frac{1}{2}}</answer>', 'Answer: \\boxed{\\frac{1}{2}}'],
  ['boxed', 'the last box, braces counted', 'We get $\\boxed{\\frac{1}{2}}$.', '\\boxed{\\frac{1}{2}}'],
  [
    'boxed',
    'the boxes of the last line',
    'x is \\boxed{1}\nso \\boxed{2} and \\boxed{3}.',
    '\\boxed{2} and \\boxed{3}',
  ],
  ['boxed', 'nothing of thinking', '<think>\\boxed{3}</think> It is 4.', ''],
  ['boxed', 'nothing of a box without end', 'It is \\boxed{4', ''],
  ['boxed', 'the box although an answer is announced before', 'Answer: see below\n\\boxed{4}', '\\boxed{4}'],
  ['firstLine', 'the first line with text', '\n\n 4 \n\nQuestion: And now?\nAnswer: 5', 'Answer: 4'],
  ['firstLine', 'what it announces', '**Answer:** 4\nSo it is.', '**Answer:** 4'],
  ['firstLine', 'what follows thinking', '<think>3</think>\n4\n5', 'Answer: 4'],
  ['lastLine', 'the last line with text', 'First\n\n 4 \n\n', 'Answer: 4'],
  ['lastLine', 'what it announces', 'First\n**Answer:** 4', '**Answer:** 4'],
  ['lastLine', 'what follows thinking', '<think>a\n3</think>', ''],
];

describe("a response's answer", () => {
  it.each(CASES)('in the form %s is %s', (form, _, response, judged) => {
    expect(judgedText(form, response)).toBe(judged);
  });

  it('is found in hostile text in linear time', () => {
    const startedMs = performance.now();
    for (const piece of ['<answer>', '</answer>', '\\boxed{', '<think>', '\n', '**Answer:']) {
      for (const form of ['tag', 'boxed', 'firstLine', 'lastLine'] as const) judgedText(form, piece.repeat(100_000));
    }
    expect(performance.now() - startedMs).toBeLessThan(5000);
  });
});
