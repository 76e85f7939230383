import type { SeamEvent } from '@seamstream/events';
import {
  answerOf,
  deadLettered,
  executionFailed,
  expired,
  generated,
  interleaved,
  placed,
  published,
  recorded,
  withheld,
} from '@seamstream/testing/log-of';
import { runCompleted, runFailed, runRejected, runStarted } from '@seamstream/testing/training-log';
import fc from 'fast-check';
import { problemStoryProjection } from './problem-story.projection.js';

const OF_TWO = { size: 2, group: 'explored' };
const OF_P1: readonly SeamEvent[] = [
  published('p1'),
  published('p1'),
  generated('p1', { index: 0, ...OF_TWO }),
  generated('p1', { index: 1, ...OF_TWO }),
  recorded('p1', false, { index: 0, ...OF_TWO }),
  executionFailed('p1', { index: 1, ...OF_TWO }),
  recorded('p1', true, { index: 1, ...OF_TWO }),
  withheld('p1'),
  deadLettered('seam.problems', 'p1'),
  runStarted('r1', 'grpo'),
  runCompleted('r1', 3, {}),
  runStarted('r2', 'grpo'),
  runRejected('r2', 'a2'),
  runStarted('r3', 'sft'),
  runFailed('r3', {}),
];

describe('the story of a problem', () => {
  it('is the same in any order of reading partitions, and however often', () => {
    const log = placed([...OF_P1, published('p2'), recorded('p2', true)]);
    const story = problemStoryProjection('p1');
    const expected = answerOf(story, log);
    expect(expected).toMatchObject({
      standing: 'solved',
      publications: [{}, {}],
      deadLetters: [{ code: 'MALFORMED_RECORD' }],
    });
    expect(expected!.attempts.map(({ arm, candidateIndex, results }) => [arm, candidateIndex, results.length])).toEqual(
      [
        ['explore', 0, 1],
        ['explore', 1, 2],
        ['control', 0, 0],
      ],
    );
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        expect(answerOf(story, interleaved(log, seed))).toEqual(expected);
      }),
      { numRuns: 50, seed: 43 },
    );
    expect(answerOf(story, [...log, ...log])).toEqual(expected);
  });

  it('has nothing of another tenant, whose problem of the same id has the same attempts', () => {
    const own = [published('p'), recorded('p', false), generated('p')];
    const others = [published('p'), recorded('p', true), generated('p'), expired('p')];
    const told = (tenant: string, events: readonly SeamEvent[]): SeamEvent[] =>
      events.map((event) => ({ ...event, meta: { ...event.meta, tenant } }));
    const [first, second] = [told('acme', own), told('globex', others)];
    const alone = answerOf(problemStoryProjection('p'), placed(first));
    expect(alone).toMatchObject({ tenant: 'acme', standing: 'notSolved', attempts: [{ results: [{}] }] });
    // In each order, also where the other's candidate is first in its partition.
    for (const log of [placed([...first, ...second]), placed([...first.slice(0, 2), ...second, first[2]!])])
      expect(withoutPlaces(answerOf(problemStoryProjection('p'), log))).toEqual(withoutPlaces(alone));
  });

  it('ends as the ledger has it, and does not exist for a problem that was never published', () => {
    const standing = (...events: SeamEvent[]): unknown =>
      answerOf(problemStoryProjection('p'), placed(events))?.standing;
    expect(standing()).toBeUndefined();
    expect(standing(published('p'))).toBe('inFlight');
    expect(standing(published('p'), recorded('p', false, { index: 0, size: 2 }))).toBe('inFlight');
    expect(standing(published('p'), recorded('p', false, { size: 1 }))).toBe('notSolved');
    expect(standing(published('p'), executionFailed('p', { size: 1 }))).toBe('notSolved');
    expect(standing(published('p'), expired('p'))).toBe('expired');
    expect(standing(published('p'), deadLettered('seam.problems', 'p'))).toBe('deadLettered');
  });
});

function withoutPlaces(story: unknown): unknown {
  return JSON.parse(JSON.stringify(story, (name, value: unknown) => (name === 'position' ? null : value)));
}
