import { answerOf, interleaved, placed, recorded } from '@seamstream/testing/log-of';
import { editedPassagesProjection } from './edited-passages.projection.js';

describe('passages that self-edits were tried on', () => {
  it('have every edit once, with the questions right before and after it, and no other problems', () => {
    const events = [tried('a', 0, 0.2, 0.8), tried('a', 1, 0.2, 0.4), recorded('plain', true), tried('b', 0, 0.5, 0.5)];
    const answer = answerOf(editedPassagesProjection, placed(events));
    expect(
      answer.map(({ problemId, tried: all }) => [problemId, all.map(({ before, after }) => [before, after])]),
    ).toEqual([
      [
        'a',
        [
          [0.2, 0.8],
          [0.2, 0.4],
        ],
      ],
      ['b', [[0.5, 0.5]]],
    ]);
    expect(answerOf(editedPassagesProjection, placed([...events, ...events]))).toEqual(answer);
  });

  it('are the same in any order of reading partitions, and the newest thousand', () => {
    const log = placed(Array.from({ length: 1300 }, (_, at) => tried(`p${at}`, 0, 0, 1, at)));
    const expected = answerOf(editedPassagesProjection, log);
    expect(expected).toHaveLength(1000);
    expect(expected[0]!.problemId).toBe('p1299');
    for (let seed = 0; seed < 3; seed++)
      expect(answerOf(editedPassagesProjection, interleaved(log, seed))).toEqual(expected);
  });
});

function tried(problemId: string, index: number, accuracyBefore: number, accuracyAfter: number, at = 5) {
  const outcome = recorded(problemId, true, { index, size: 2 });
  const measurement = {
    ...{ reward: 'accuracy-gain@1', form: 'binary', threshold: 0, value: 1, earned: 1 },
    ...{ accuracyBefore, accuracyAfter, lossBefore: null, lossAfter: null },
  };
  return { ...outcome, meta: { ...outcome.meta, occurredAt: at }, measurement };
}
