/** The records of a self-training whose first iterations have ended, for tests of who reads them. */
import type { EventOf, SeamEvent } from '@seamstream/events';
import { derivedId } from '@seamstream/kernel';
import { EXAMPLE_EVENTS } from './example-events.js';
import { promotedByRun } from './promotion-log.js';

/** @param iterations in their order, the rewards of each one's attempts */
export function selfTrainingLog(selfTrainingId: string, iterations: readonly (readonly number[])[]): SeamEvent[] {
  const configuration = { algorithm: {}, iterations: iterations.length + 1, passages: 1, patience: 0 };
  const started = {
    ...EXAMPLE_EVENTS.SelfTrainingStarted,
    ...{ selfTrainingId, configuration: JSON.stringify(configuration) },
  };
  return [started, ...iterations.flatMap((rewards, at) => endedIteration(selfTrainingId, at + 1, rewards))];
}

/** What was explored, and the run that was trained on it and promoted: it ends a second after that of the iteration before. */
export function endedIteration(selfTrainingId: string, index: number, rewards: readonly number[]): SeamEvent[] {
  const row = index - 1;
  const problem = {
    ...EXAMPLE_EVENTS.ProblemPublished.problem,
    problemId: derivedId(selfTrainingId, `iteration/${index}`, row),
    metadata: { selfTraining: selfTrainingId, iteration: String(index) },
  };
  const outcomes = rewards.map((reward, candidateIndex): EventOf<'OutcomeRecorded'> => {
    const experienceId = `${selfTrainingId}/${index}/${candidateIndex}`;
    const meta = { ...EXAMPLE_EVENTS.OutcomeRecorded.meta, messageId: experienceId };
    const place = { meta, problem, groupId: `${selfTrainingId}/${index}`, experienceId, candidateIndex };
    return { ...EXAMPLE_EVENTS.OutcomeRecorded, ...place, groupSize: rewards.length, reward, arm: 'explore' };
  });
  const run = promotedByRun({
    ...{ adapterDigest: `${selfTrainingId}-${index}`, algorithm: 'rest-em', occurredAt: 1e12 + index * 1000 },
    configuration: JSON.stringify({ iteration: { of: selfTrainingId, index } }),
  });
  return [{ ...EXAMPLE_EVENTS.ProblemPublished, problem }, ...outcomes, ...run];
}
