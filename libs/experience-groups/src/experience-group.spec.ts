import { Random } from '@seamstream/kernel';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { type AttemptResult, definiteResults, isAttemptResult, isComplete } from './experience-group.js';

const KINDS = ['OutcomeRecorded', 'ExecutionFailed', 'AttemptUngraded'] as const;

/** Results of one group, some of them repeated, some attempts repeated with different words. */
function drawn(random: Random): AttemptResult[] {
  const groupSize = 1 + random.int(4);
  const results = Array.from({ length: 1 + random.int(10) }, (): AttemptResult => {
    const index = random.int(groupSize);
    const example = EXAMPLE_EVENTS[random.pick(KINDS)];
    // An experience that is tried once, and one that is tried twice under its id.
    const attemptId = random.pick([null, `a-${index}`]);
    const told = { experienceId: `x-${index}`, attemptId, groupId: 'g', groupSize: 2 * groupSize };
    return { ...example, ...told, meta: { ...example.meta, messageId: `m-${random.int(4)}-${example.type}` } };
  });
  return [...results, ...results.filter(() => random.float() < 0.3)];
}

const countingOf = (results: readonly AttemptResult[]): readonly string[] =>
  [...definiteResults(results)].map(([attempt, { meta }]) => `${attempt} ${meta.messageId}`).sort();

describe('a group of attempts', () => {
  it('is the same for the same set of results, in any order and however often they are repeated', () => {
    for (let seed = 0; seed < 500; seed++) {
      const random = Random.of('groups', seed);
      const results = drawn(random);
      for (let order = 0; order < 4; order++)
        expect(countingOf(random.shuffled([...results, ...results.slice(0, order)]))).toEqual(countingOf(results));
    }
  });

  it('counts a verdict before none, and of two of a kind the one with the smaller id', () => {
    for (let seed = 0; seed < 500; seed++) {
      const results = drawn(Random.of('definite', seed));
      const counting = definiteResults(results);
      for (const [attempt, result] of counting) {
        const told = results.filter((each) => (each.attemptId ?? each.experienceId) === attempt);
        const verdicts = told.filter(({ type }) => type === 'OutcomeRecorded');
        const ids = (verdicts.length > 0 ? verdicts : told).map(({ meta }) => meta.messageId).sort();
        expect(result.meta.messageId).toBe(ids[0]);
      }
      expect(counting.size).toBe(new Set(results.map((each) => each.attemptId ?? each.experienceId)).size);
    }
  });

  it('is complete when as many attempts are in as were asked for, regardless of their verdicts', () => {
    const result = (type: (typeof KINDS)[number], index: number): AttemptResult => ({
      ...EXAMPLE_EVENTS[type],
      ...{ experienceId: `x-${index}`, groupId: 'g', groupSize: 3 },
    });
    const some = [result('OutcomeRecorded', 0), result('ExecutionFailed', 1), result('ExecutionFailed', 1)];
    const isWhole = (results: readonly AttemptResult[]): boolean =>
      isComplete({ groupSize: 3, members: definiteResults(results).size });
    expect(isWhole(some)).toBe(false);
    expect(isWhole([...some, result('AttemptUngraded', 2)])).toBe(true);
  });

  it('has results alone: an answer that waits is not one', () => {
    const results = Object.values(EXAMPLE_EVENTS).filter(isAttemptResult);
    expect(results.map(({ type }) => type).sort()).toEqual(KINDS.toSorted());
  });
});
