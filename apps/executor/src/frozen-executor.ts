/** The executor is frozen: within one log, every outcome of an experience names the same one. What follows from none stops no executor. */

import type { EventLog } from '@seamstream/event-log';
import { type EventOf, type ExecutorIdentity, isConversation, TOPIC } from '@seamstream/events';
import { answersExperience, KnownExperiences } from '@seamstream/evidence';
import { SeamError } from '@seamstream/kernel';
import { readEvents, storedRanges } from '@seamstream/log-reader';
import type { TokenCount } from '@seamstream/model-clients';

const CHUNK_RECORDS = 100;
/**
 * Outcomes of executors that are compared with their experiences in each partition, until one is borne out: the first one is in an honest
 * log. Where none is, those of a first chunk are looked up, which reads the experiences once.
 */
const MOST_OUTCOMES = 1_000;

type Outcome = EventOf<'OutcomeRecorded'>;
type Ranges = Awaited<ReturnType<typeof storedRanges>>;

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

/** The executor of an outcome that its experience bears out; undefined where none of those that are looked at is borne out. */
async function firstRecorded(log: EventLog, evidence: 'required' | 'none'): Promise<ExecutorIdentity | undefined> {
  const experiences = new KnownExperiences(log, 'start');
  const doubted: Outcome[] = [];
  for (const range of await storedRanges(log, TOPIC.outcomes)) {
    let left = MOST_OUTCOMES;
    for await (const outcomes of outcomesIn(log, [range])) {
      if (left <= 0) break;
      const own = outcomes.filter(({ executor }) => !isConversation(executor));
      if (evidence === 'none') {
        if (own.length > 0) return own[0]!.executor;
        continue;
      }
      // Those of a gateway are asked for too: so reading follows the outcomes.
      const known = await experiences.near(outcomes, 0);
      const borneOut = outcomes.find((each, at) => isOwn(each, known[at]));
      if (borneOut !== undefined) return borneOut.executor;
      if (left === MOST_OUTCOMES) doubted.push(...own);
      left -= own.length;
    }
  }
  const known = await experiences.everywhere(doubted, 0);
  return doubted.find((each, at) => isOwn(each, known[at]))?.executor;
}

type Experience = Awaited<ReturnType<KnownExperiences['near']>>[number];

function isOwn(outcome: Outcome, experience: Experience): boolean {
  if (isConversation(outcome.executor)) return false;
  return experience !== undefined && answersExperience(outcome)(experience);
}

async function* recordedOutcomes(log: EventLog): AsyncGenerator<Outcome> {
  for await (const outcomes of outcomesIn(log, await storedRanges(log, TOPIC.outcomes))) yield* outcomes;
}

async function* outcomesIn(log: EventLog, ranges: Ranges): AsyncGenerator<readonly Outcome[]> {
  for await (const { events } of readEvents(log, ranges, { undecodable: 'skip', chunkRecords: CHUNK_RECORDS }))
    yield events.flatMap(({ event }) => (event.type === 'OutcomeRecorded' ? [event] : []));
}
