/** A batch on the log: who judged is read back, an older record is read as it was, and another judge is another batch. */
import { InMemoryEventLog } from '@seamstream/event-log';
import { encodeEvent, type Problem, type SeamEvent, TOPICS } from '@seamstream/events';
import { canonicalJson, sha256 } from '@seamstream/kernel';
import { EXAMPLE_EVENTS } from '@seamstream/testing/example-events';
import { teamOf } from './team.js';
import { batchEvents, recordedBatch } from './team-records.js';
import type { TeamRollout } from './team-rollout.js';

describe('a batch of rollouts on the log', () => {
  it('names who judged each rollout, and is read back with it', async () => {
    const rollouts = [rolloutOf(0, 'fp_1'), rolloutOf(1, 'fp_2'), rolloutOf(2, null)];
    const events = recorded(rollouts);
    expect(events.flatMap((event) => (event.type === 'TeamRolloutJudged' ? [event.judge] : []))).toEqual([
      { model: 'judge', revision: 'fp_1' },
      { model: 'judge', revision: 'fp_2' },
      null,
    ]);
    expect(events.at(-1)).toMatchObject({
      type: 'TeamBatchSampled',
      judges: ['fp_1', 'fp_2'].map((revision) => ({ model: 'judge', revision, verdicts: 1 })),
    });
    expect(await readBack(events)).toEqual(rollouts);
  });

  it('is read as it was where it is of a version that did not name the judge', async () => {
    const rollouts = [rolloutOf(0, null), rolloutOf(1, null)];
    const digest = sha256(
      ...rollouts.map(
        ({ rolloutId, turns, outcome, reward }) => `${canonicalJson({ rolloutId, turns, outcome, reward })}\n`,
      ),
    );
    const events = recorded(rollouts).map((event) => {
      if (event.type === 'TeamBatchSampled') return { ...event, judges: [], digest };
      if (event.type !== 'TeamRolloutJudged') return event;
      const { judge: _judge, ...older } = event;
      return older;
    });
    expect(await readBack(events)).toEqual(rollouts);
  });

  it.each([
    ['another revision', { model: 'judge', revision: 'fp_2' }],
    ['another model', { model: 'other', revision: 'fp_1' }],
    ['none', null],
  ])('is not believed where a verdict names %s than its digest says', async (_, judge) => {
    const events = recorded([rolloutOf(0, 'fp_1'), rolloutOf(1, 'fp_1')]);
    const forged = events.map((event) =>
      event.type === 'TeamRolloutJudged' && event.candidate === 1 ? { ...event, judge } : event,
    );
    expect(await readBack(forged)).toBeUndefined();
  });
});

const FACTS = { runId: 'run-1', batch: 0 };
const TEAM = teamOf({ agents: [{ name: 'one', path: 'm' }] }, 'of a spec');
const PROBLEM: Problem = EXAMPLE_EVENTS.ProblemPublished.problem;

function rolloutOf(candidate: number, revision: string | null): TeamRollout {
  const turn = { agent: 'one', promptTokenIds: [1], tokenIds: [2], logProbs: [-0.5], forced: [false], text: 'b' };
  return {
    ...{ rolloutId: `rollout ${candidate}`, problem: PROBLEM, candidate, turns: [{ ...turn, adapterDigest: null }] },
    ...{ outcome: 'b', response: 'b', success: true, reward: 1 },
    judgedBy: revision === null ? null : { model: 'judge', revision },
  };
}

function recorded(rollouts: readonly TeamRollout[]): readonly SeamEvent[] {
  return batchEvents(rollouts, {
    ...{ ...FACTS, team: TEAM, agents: ['one'], isResampled: false, groupSize: rollouts.length, at: 7 },
    ...{ sampling: { temperature: 1, topK: 0, topP: 1, maxTokens: 8 }, baseModelDigests: new Map([['one', 'digest']]) },
    executor: { model: 'm', revision: 'r', template: 't', decoding: '{}' },
  });
}

async function readBack(events: readonly SeamEvent[]): Promise<readonly TeamRollout[] | undefined> {
  const log = new InMemoryEventLog();
  await log.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));
  await log.append(events.map(encodeEvent));
  return recordedBatch(log, FACTS, [PROBLEM]);
}
