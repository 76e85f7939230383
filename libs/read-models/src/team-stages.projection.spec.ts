import type { SeamEvent } from '@seamstream/events';
import { EXAMPLE_EVENTS } from '@seamstream/testing/example-events';
import { answerOf, interleaved, placed } from '@seamstream/testing/log-of';
import { teamStagesProjection } from './team-stages.projection.js';

describe('stages of teams', () => {
  it('have batches by number, and of each agent its passes and what they came to', () => {
    expect(answerOf(teamStagesProjection, placed([...stage('a'), tried('b', 0, 'taken back')]))).toEqual([
      {
        runId: 'a',
        batches: [
          { batch: 0, isResampled: false, rollouts: 2, successes: 1, judges: [{ ...JUDGE, verdicts: 1 }] },
          { batch: 1, isResampled: true, rollouts: 2, successes: 1, judges: [{ ...JUDGE, verdicts: 2 }] },
        ],
        updates: [
          {
            ...{ agent: 'planner', slot: 'team/planner', batch: 0 },
            passes: [
              expect.objectContaining({ attempt: 0, decision: 'taken back' }),
              expect.objectContaining({ attempt: 1, decision: 'accepted', beta: 0.15, distance: 0.3, target: 0.05 }),
            ],
            result: expect.objectContaining({ position: 0, adapterDigest: '56'.repeat(32), distance: 0.04 }),
          },
        ],
        swapped: null,
        warmedUp: null,
      },
      {
        runId: 'b',
        batches: [],
        updates: [expect.objectContaining({ agent: 'planner', result: null })],
        swapped: null,
        warmedUp: null,
      },
    ]);
  });

  it('count once what a stage that was killed records again, and the first record counts', () => {
    const again = [tried('a', 0, 'given up'), sampled('a', 0, 9)];
    expect(answerOf(teamStagesProjection, placed([...stage('a'), ...again]))).toEqual(
      answerOf(teamStagesProjection, placed(stage('a'))),
    );
  });

  it('say which agent was swapped, and the first record counts', () => {
    const { AgentSwapped: swapped } = EXAMPLE_EVENTS;
    const [run] = answerOf(teamStagesProjection, placed([swapped, { ...swapped, agent: 'critic' }]));
    expect(run?.swapped).toEqual({
      ...{ agent: 'planner', slot: 'team/planner', adapterDigest: '59'.repeat(32) },
      ...{ joinedBaseModelDigest: '57'.repeat(32), joinedAdapterDigest: null },
      ...{ replacedBaseModelDigest: '58'.repeat(32), replacedAdapterDigest: '56'.repeat(32) },
      ...{ target: 0.01, distanceBefore: 0.4, distance: 0.009, passes: 6, states: 8 },
    });
  });

  it('are the same in any order of reading partitions', () => {
    const log = placed(
      ['a', 'b', 'c', 'd'].flatMap((run) => [...stage(run), { ...EXAMPLE_EVENTS.AgentSwapped, runId: run }]),
    );
    const expected = answerOf(teamStagesProjection, log);
    for (let seed = 0; seed < 50; seed++)
      expect(answerOf(teamStagesProjection, interleaved(log, seed))).toEqual(expected);
    expect(answerOf(teamStagesProjection, [...log, ...log])).toEqual(expected);
  });
});

const JUDGE = { model: 'words-judge', revision: 'fp_1' };
const tried = (runId: string, attempt: number, decision: string): SeamEvent => ({
  ...EXAMPLE_EVENTS.AgentUpdateTried,
  ...{ runId, attempt, decision },
});
const sampled = (runId: string, batch: number, successes = 1): SeamEvent => ({
  ...EXAMPLE_EVENTS.TeamBatchSampled,
  ...{ runId, batch, successes, isResampled: batch > 0, judges: [{ ...JUDGE, verdicts: batch + 1 }] },
});
const stage = (runId: string): readonly SeamEvent[] => [
  ...[sampled(runId, 0), tried(runId, 0, 'taken back'), tried(runId, 1, 'accepted')],
  ...[{ ...EXAMPLE_EVENTS.AgentUpdated, runId }, sampled(runId, 1)],
];
