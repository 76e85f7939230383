import type { Problem } from '@seamstream/events';
import { loadPrompts } from '@seamstream/experience';
import { answerRepeatedly, judgeAll, toSamplingParams } from './answer-sampling.js';
import { FakeExecutor } from './models.fake.js';
import type { ExecutorModel, ExecutorResponse } from './models.port.js';

const problem: Pick<Problem, 'verifier' | 'reference'> = {
  verifier: { kind: 'numeric', version: '1', options: {} },
  reference: '4',
};
const answerOf = (text: string): ExecutorResponse => ({
  status: 'answered',
  text: `Answer: ${text}`,
  finished: true,
  promptTokens: 9,
  responseTokens: 2,
});
const drawing = { rollouts: 4, temperature: 0.7, topP: 0.9 };

describe('several answers to one entry', () => {
  it('earn the mean of their verdicts; the first on the side of the majority stands for all', async () => {
    const { answer, judgement } = await judgeAll(problem, ['5', '4', '4', '4'].map(answerOf));
    expect(judgement).toMatchObject({ success: true, reward: 3 / 4, extractedAnswer: '4' });
    expect(judgement.detail).toMatch(/^3 of 4 answers right; this one: /);
    expect(answer.text).toBe('Answer: 4');
  });

  it('are no success when only half of them are right, and their reward says that half were', async () => {
    const { answer, judgement } = await judgeAll(problem, ['4', '5', '4', '6'].map(answerOf));
    expect(judgement).toMatchObject({ success: false, reward: 1 / 2, extractedAnswer: '5' });
    expect(answer.text).toBe('Answer: 5');
  });

  it('are one verdict when there is one', async () => {
    expect(await judgeAll(problem, [answerOf('4')])).toMatchObject({ judgement: { success: true, reward: 1 } });
    expect(await judgeAll(problem, [answerOf('5')])).toMatchObject({ judgement: { success: false, reward: 0 } });
  });

  it('are drawn by seeds of the entry, whoever else is asked', async () => {
    const prompts = await loadPrompts();
    const executor = new FakeExecutor((_, seed) => seed);
    const asked = (ids: readonly string[]) =>
      answerRepeatedly(
        ids.map((seed) => ({ problem: { problemId: seed, domain: 'd', prompt: 'How many?' }, entry: '{}', seed })),
        executor,
        prompts,
        drawing,
      );
    const [alone] = await asked(['x']);
    expect(alone).toHaveLength(4);
    expect(new Set(alone!.map((answer) => (answer.status === 'answered' ? answer.text : ''))).size).toBe(4);
    expect((await asked(['w', 'x']))[1]).toEqual(alone);
  });

  it('make another executor of it, and need one that can draw', () => {
    const executor = new FakeExecutor(() => '4');
    const drawn = toSamplingParams(executor, drawing);
    expect(JSON.parse(drawn.identity.decoding)).toEqual({ answer: '{}', rollouts: 4, temperature: 0.7, topP: 0.9 });
    expect(drawn.identity).toMatchObject({ model: 'fake', revision: '1' });
    const greedy: ExecutorModel = { identity: executor.identity, answer: (prompts) => executor.answer(prompts) };
    expect(() => toSamplingParams(greedy, drawing)).toThrow(/came fake, which answers greedily/);
  });
});
