import { SeamError } from '@seamstream/kernel';
import { RememberingJudge } from './remembering-judge.js';
import type { AnswerJudge, JudgedMeaning, JudgingTask } from './verifier.types.js';

const task = (answer: string): JudgingTask => ({ question: 'Where?', reference: 'Vienna', answer });

describe('a judge that remembers', () => {
  it('is asked once about equal tasks, those under way included, and again about any other', async () => {
    const { judging, remembering } = judgeOf();
    const verdicts = await Promise.all(
      [task('Wien'), task('Wien'), task('Graz')].map((each) => remembering.judge(each)),
    );
    expect(verdicts[0]).toEqual(verdicts[1]);
    expect(await remembering.judge(task('Wien'))).toEqual(verdicts[0]);
    await remembering.judge({ ...task('Wien'), reference: 'Graz' });
    await remembering.judge({ ...task('Wien'), question: 'When?' });
    expect(judging.asked).toEqual(['Wien', 'Graz', 'Wien', 'Wien']);
  });

  it('keeps no failure: the task is asked again', async () => {
    const { judging, remembering } = judgeOf();
    judging.failing = new SeamError('VERIFIER_FAILED', 'Cannot judge an answer: it says nothing.');
    await expect(remembering.judge(task('Wien'))).rejects.toMatchObject({ code: 'VERIFIER_FAILED' });
    judging.failing = undefined;
    expect(await remembering.judge(task('Wien'))).toMatchObject({ success: true });
  });

  it('does not give up with a caller that does, when another one still waits', async () => {
    const { judging, remembering } = judgeOf();
    const leaving = new AbortController();
    const left = remembering.judge(task('Wien'), leaving.signal);
    const waiting = remembering.judge(task('Wien'));
    leaving.abort();
    await expect(left).rejects.toMatchObject({ code: 'ABORTED' });
    expect(await waiting).toMatchObject({ success: true });
    expect(judging.asked).toEqual(['Wien', 'Wien']);
  });

  it('lets a caller go that gives up while another one asks, and ends nothing by it', async () => {
    const { judging, remembering } = judgeOf();
    judging.lateMs = 60;
    const asking = remembering.judge(task('Wien'));
    const leaving = new AbortController();
    const order: string[] = [];
    const left = remembering
      .judge(task('Wien'), leaving.signal)
      .catch((error: unknown) => order.push((error as SeamError).code));
    void asking.then(() => order.push('judged'));
    leaving.abort();
    await Promise.all([left, asking]);
    expect(order).toEqual(['ABORTED', 'judged']);
    expect(judging.asked).toEqual(['Wien']);
  });

  it('forgets the verdicts of a revision when another one judges: those tasks are asked again, once', async () => {
    const { judging, remembering } = judgeOf();
    const revisionsOf = async (...answers: string[]) => {
      const verdicts = await Promise.all(answers.map((answer) => remembering.judge(task(answer))));
      return verdicts.map(({ judgedBy }) => judgedBy.revision);
    };
    expect(await revisionsOf('a', 'b')).toEqual(['fp_1', 'fp_1']);
    judging.revision = 'fp_2';
    // That it changed is not known yet.
    expect(await revisionsOf('a')).toEqual(['fp_1']);
    expect(await revisionsOf('c', 'd')).toEqual(['fp_2', 'fp_2']);
    for (let time = 0; time < 2; time++)
      expect(await revisionsOf('a', 'b', 'c', 'd')).toEqual(['fp_2', 'fp_2', 'fp_2', 'fp_2']);
    expect(judging.asked).toEqual(['a', 'b', 'c', 'd', 'a', 'b']);
  });

  it('comes to one revision also where a verdict of the old one arrives among those of the new one', async () => {
    const { judging, remembering } = judgeOf();
    judging.lateMs = 40;
    const late = remembering.judge(task('late'));
    Object.assign(judging, { revision: 'fp_2', lateMs: 1 });
    await remembering.judge(task('a'));
    expect((await late).judgedBy.revision).toBe('fp_1');
    await remembering.judge(task('b'));
    for (const answer of ['late', 'a', 'b'])
      expect((await remembering.judge(task(answer))).judgedBy.revision).toBe('fp_2');
  });

  it('keeps so many verdicts and no more, those that were last asked for', async () => {
    const { judging, remembering } = judgeOf(2);
    for (const answer of ['a', 'b', 'a', 'c', 'a', 'b']) await remembering.judge(task(answer));
    expect(judging.asked).toEqual(['a', 'b', 'c', 'b']);
  });
});

class SlowJudge implements AnswerJudge {
  readonly asked: string[] = [];
  failing: Error | undefined;
  revision: string | null = 'fp_1';
  lateMs = 5;

  async judge({ answer }: JudgingTask, signal?: AbortSignal): Promise<JudgedMeaning> {
    this.asked.push(answer);
    const { revision } = this;
    await new Promise((resolve) => setTimeout(resolve, this.lateMs));
    if (signal?.aborted === true) throw new SeamError('ABORTED', 'Cannot judge an answer: it was stopped.');
    if (this.failing !== undefined) throw this.failing;
    return { success: answer !== 'Graz', detail: 'said so', judgedBy: { model: 'slow', revision } };
  }

  close = (): Promise<void> => Promise.resolve();
}

function judgeOf(mostKept?: number) {
  const judging = new SlowJudge();
  return { judging, remembering: new RememberingJudge(judging, mostKept) };
}
