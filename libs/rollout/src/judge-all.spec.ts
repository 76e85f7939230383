import type { ExecutorResponse } from '@seamstream/environments';
import type { Problem } from '@seamstream/events';
import { builtInVerifiers, type Verifiers } from '@seamstream/verifiers';
import { judgeAll } from './judge.js';

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

  it('say whose opinion their mean is: of one revision, or of several by all their names', async () => {
    const saidBy = async (...revisions: readonly (string | null)[]) => {
      const left = [...revisions];
      const verify = async () => {
        const revision = left.shift() ?? null;
        const judgedBy = revision === null ? {} : { judgedBy: { model: 'judge', revision } };
        return { success: true, detail: '', extractedAnswer: '4', ...judgedBy };
      };
      const answers = revisions.map(() => answerOf('4'));
      return (await judgeAll(problem, answers, Object.assign(Object.create(builtInVerifiers) as Verifiers, { verify })))
        .judgement.judgedBy;
    };
    expect(await saidBy(null, 'fp_1', 'fp_1')).toEqual({ model: 'judge', revision: 'fp_1' });
    expect(await saidBy('fp_2', null, 'fp_1')).toEqual({ model: 'judge', revision: 'fp_1, fp_2' });
    // Of a passage one answer may rest on several.
    expect(await saidBy('fp_1', 'fp_1, fp_2')).toEqual({ model: 'judge', revision: 'fp_1, fp_2' });
    expect(await saidBy(null, null)).toBeUndefined();
  });

  it('are one verdict when there is one', async () => {
    expect(await judgeAll(problem, [answerOf('4')])).toMatchObject({ judgement: { success: true, reward: 1 } });
    expect(await judgeAll(problem, [answerOf('5')])).toMatchObject({ judgement: { success: false, reward: 0 } });
  });
});
