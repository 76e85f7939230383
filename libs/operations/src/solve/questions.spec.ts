import { bytesInMemory } from '@seamstream/datasets';
import { type AnswerFacts, answerLine, counted, heldAnswers, NO_ANSWERS } from './answer-lines.js';
import { chosenQuestions, type QuestionOptions } from './questions.js';

const READING = { fractions: '0.9,0.05,0.05', splitSeed: '0' };
const chosen = (text: string, path: string | undefined, options: Partial<QuestionOptions> = {}) =>
  chosenQuestions({ openInput: () => Promise.resolve(bytesInMemory(Buffer.from(text))) }, path, {
    ...READING,
    ...options,
  });
const TWO = '{"prompt":"What is 2 + 3?"}\n{"prompt":"What is 4 + 4?","reference":"8","verifier":"numeric"}\n';

describe('The questions to solve', () => {
  it('need a prompt only, and are judged where a reference is stated', async () => {
    expect(await chosen(TWO, 'q.jsonl')).toMatchObject([
      { prompt: 'What is 2 + 3?', judgedBy: null },
      { prompt: 'What is 4 + 4?', judgedBy: { reference: '8' } },
    ]);
    expect(await chosen('', undefined, { prompt: 'Why?' })).toMatchObject([{ prompt: 'Why?', judgedBy: null }]);
  });

  it.each<[string, string | undefined, Partial<QuestionOptions>]>([
    ['neither a file nor a prompt', undefined, {}],
    ['both', 'q.jsonl', { prompt: 'Why?' }],
    ['a reference with a file', 'q.jsonl', { reference: '5' }],
  ])('are refused for %s', async (_, path, options) => {
    await expect(chosen(TWO, path, options)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

describe('Lines of answers', () => {
  it('are continued where they answer the same questions, without those at the end that failed', async () => {
    const questions = await chosen(TWO, 'q.jsonl');
    const facts: AnswerFacts = { adapterDigest: null, withEntry: false, seed: 's' };
    const answered = { entry: null, response: '8', answer: '8', verdict: null, failure: null };
    const failed = { ...answered, answer: null, failure: { code: 'TIMEOUT', reason: 'late' } };
    const lines = [answered, failed].map((answer, at) =>
      JSON.stringify(answerLine(questions[at]!, answer as Parameters<typeof answerLine>[1], facts)),
    );
    expect(await heldAnswers(lines, questions)).toHaveLength(1);
    expect(await heldAnswers(lines, questions.toReversed())).toEqual([]);
    expect(await heldAnswers(['{"problemId"', ...lines], questions)).toEqual([]);
    expect((await heldAnswers(lines.slice(0, 1), questions)).reduce(counted, NO_ANSWERS)).toMatchObject({
      answered: 1,
    });
  });
});
