/** A generator on a log, without a model: it answers each published problem with the experience that a spec gives it. */
import type { EventLog } from '@seamstream/event-log';
import {
  copyOf,
  decodeEvent,
  deriveMeta,
  type EventOf,
  encodeEvent,
  experienceIdOf,
  groupIdOf,
  isControl,
  type SeamEvent,
  TOPIC,
} from '@seamstream/events';

/** What is written for a problem: an entry, or nothing, which is what a late generator writes. */
export type EntryFor = (published: EventOf<'ProblemPublished'>) => string | null;

/** Answers until the signal aborts. */
export async function answerProblems(log: EventLog, entryFor: EntryFor, signal: AbortSignal): Promise<void> {
  for await (const records of log.follow({ topics: [TOPIC.problems], from: 'earliest', signal })) {
    for (const record of records) {
      const event = decodeEvent(record);
      if (event.type !== 'ProblemPublished') continue;
      const answer = experienceOf(event, copyOf(event.problem, record, 1024), entryFor);
      if (answer !== null) await log.append([encodeEvent(answer)]);
    }
  }
}

/** What a generator writes for a problem; null where it is late. */
export function experienceOf(
  event: EventOf<'ProblemPublished'>,
  problem: ReturnType<typeof copyOf>,
  entryFor: EntryFor,
): SeamEvent | null {
  const { meta, feedbackWithinMs, assignment, answeredBy } = event;
  const shared = {
    meta: deriveMeta(meta, { role: 'experience', source: 'seam/generator', occurredAt: meta.occurredAt + 1 }),
    ...{ attemptId: null, feedbackWithinMs, problem, assignment, answeredBy },
    experienceId: experienceIdOf(meta.messageId, 0),
    groupId: groupIdOf(meta.messageId),
  };
  if (assignment !== null && assignment !== undefined && isControl(assignment))
    return { type: 'ExperienceWithheld', ...shared, share: assignment.controlShare };
  const entry = entryFor(event);
  if (entry === null) return null;
  return {
    type: 'ExperienceGenerated',
    ...shared,
    ...{
      candidateIndex: 0,
      groupSize: 1,
      arm: event.mode,
      entry,
      entrySchema: 's',
      promptTokenIds: [1],
      tokenIds: [2],
    },
    ...{ logProbs: [-1], legalMass: [1], forced: [false], tokenizerDigest: 't', baseModelDigest: 'b', latencyMs: 1 },
    sampling: { temperature: 0, topK: 0, topP: 1, maxTokens: 9, seed: 's' },
    adapterDigest: null,
  };
}
