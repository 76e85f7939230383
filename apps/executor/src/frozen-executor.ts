/** The executor is frozen: within one log, every outcome of an experience names the same one. What follows from none stops no executor. */

import type { EventLog } from '@seamstream/event-log';
import { type EventOf, type ExecutorIdentity, isConversation, TOPIC } from '@seamstream/events';
import { answersExperience, KnownExperiences } from '@seamstream/evidence';
import { SeamError } from '@seamstream/kernel';
import { readEvents, storedRanges } from '@seamstream/log-reader';
import type { TokenCount } from '@seamstream/model-clients';

const CHUNK_RECORDS = 100;

/**
 * Compares the executor with the first one on record.
 * @param evidence `none`: each outcome is believed, also without its experience
 * @throws CONFLICT naming what differs
 */
export async function assertFrozen(
  log: EventLog,
  identity: ExecutorIdentity,
  evidence: 'required' | 'none',
): Promise<void> {
  const recorded = await firstRecorded(log, evidence);
  if (recorded === undefined) return;
  const differing = (['revision', 'template', 'decoding'] as const).filter(
    (field) => recorded[field] !== identity[field],
  );
  if (differing.length > 0) {
    throw new SeamError(
      'CONFLICT',
      `Cannot start executor ${identity.model}: the outcomes in this log were made by another one (${differing
        .map((field) => `${field}: recorded ${recorded[field]}, this one ${identity[field]}`)
        .join('; ')}). Restore its model, templates and settings, or begin a new log.`,
      { details: { recorded, identity } },
    );
  }
}

/** Tokens in the outcomes that executors of this model have on record, each counted so many times. */
export async function recordedTokens(log: EventLog, model: string, times: number): Promise<TokenCount> {
  const tokens = { promptTokens: 0, responseTokens: 0 };
  for await (const { executor, promptTokens, responseTokens } of recordedOutcomes(log)) {
    if (executor.model !== model) continue;
    // Unknown of answers to a gateway's clients alone, which no budget of this service paid for.
    tokens.promptTokens += (promptTokens ?? 0) * times;
    tokens.responseTokens += (responseTokens ?? 0) * times;
  }
  return tokens;
}

async function firstRecorded(log: EventLog, evidence: 'required' | 'none'): Promise<ExecutorIdentity | undefined> {
  const experiences = new KnownExperiences(log);
  for await (const outcome of recordedOutcomes(log)) {
    if (isConversation(outcome.executor)) continue;
    if (evidence === 'none') return outcome.executor;
    const [experience] = await experiences.find([outcome], outcome.meta.occurredAt);
    if (experience !== undefined && answersExperience(outcome)(experience)) return outcome.executor;
  }
  return undefined;
}

async function* recordedOutcomes(log: EventLog): AsyncGenerator<EventOf<'OutcomeRecorded'>> {
  const ranges = await storedRanges(log, TOPIC.outcomes);
  for await (const { events } of readEvents(log, ranges, { undecodable: 'skip', chunkRecords: CHUNK_RECORDS }))
    for (const { event } of events) if (event.type === 'OutcomeRecorded') yield event;
}
