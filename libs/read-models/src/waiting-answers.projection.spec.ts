/** Which answers wait, and what a client with access to the topic of answers can do to their number. */
import type { EventOf, SeamEvent } from '@seamstream/events';
import { answerOf, answerTo, attempted, endOf, interleaved, type Placed, placed } from '@seamstream/testing/log-of';
import { waitingAnswersProjection } from './waiting-answers.projection.js';

describe('The answers that wait', () => {
  it('are those without an end that has its result, in any order of reading', () => {
    const [first, second, third] = [answered('a', 30), answered('b', 20), answered('c', 10)];
    const log = placed([first, second, third, ...endOf(third), ...endOf(first).slice(0, 1)]);
    for (let seed = 0; seed < 20; seed++)
      expect(answerOf(waitingAnswersProjection, interleaved(log, seed))).toEqual({ answers: 2, firstEndsAt: 20 });
  });

  it('end ungraded as well', () => {
    const answer = answered('a', 1);
    const [end, { problem, experienceId, meta }] = endOf(answer);
    const { groupId, candidateIndex, groupSize, arm, adapterDigest, attemptId } = answer;
    const ungraded: SeamEvent = {
      ...{ type: 'AttemptUngraded', meta, problem, experienceId, groupId, candidateIndex, groupSize, arm },
      ...{ adapterDigest, attemptId, feedbackUntil: 1 },
    };
    expect(waitingIn([answer, end, ungraded])).toBe(0);
  });

  it.each<[string, (end: EventOf<'AnswerSettled'>) => EventOf<'AnswerSettled'>]>([
    ['under a free id', (end) => ({ ...end, meta: { ...end.meta, messageId: 'm' } })],
    ['with another result', (end) => ({ ...end, resultId: 'r' })],
    ['of another tenant', (end) => ({ ...end, meta: { ...end.meta, tenant: 'acme' } })],
  ])('do not end with an end %s', (_, forge) => {
    const answer = answered('a', 1);
    const [end, result] = endOf(answer);
    expect(waitingIn([answer, forge(end), { ...result, meta: { ...result.meta, messageId: 'r' } }, result])).toBe(1);
    expect(waitingIn([answer, forge(end), end, result])).toBe(0);
  });

  it('are not more by an answer that can get no end', () => {
    const answer = answered('a', 1);
    const forged = [
      { ...answer, meta: { ...answer.meta, messageId: 'm' } },
      { ...answer, experienceId: 'x' },
    ];
    expect(waitingIn([...forged, answer, answer])).toBe(1);
  });

  it('have ended where their result may be in the log no more', () => {
    const [answer, later] = [answered('a', 1), answered('b', 1)];
    const [end] = endOf(answer);
    const [, result] = endOf(later);
    const newest = { ...result, meta: { ...result.meta, occurredAt: end.meta.occurredAt + 1 } };
    const cut: Placed = [newest, { topic: 'seam.outcomes', partition: 0, offset: 7 }];
    expect(answerOf(waitingAnswersProjection, [...placed([answer, end]), cut]).answers).toBe(0);
    const whole: Placed = [newest, { topic: 'seam.outcomes', partition: 0, offset: 0 }];
    expect(answerOf(waitingAnswersProjection, [...placed([answer, end]), whole]).answers).toBe(1);
  });
});

const answered = (problemId: string, feedbackUntil: number): EventOf<'AnswerRecorded'> => ({
  ...answerTo(attempted(problemId, true, { arm: 'deploy' })),
  feedbackUntil,
});

const waitingIn = (events: readonly SeamEvent[]): number => answerOf(waitingAnswersProjection, placed(events)).answers;
