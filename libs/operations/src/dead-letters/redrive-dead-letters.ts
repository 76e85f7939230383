import type { EventLog } from '@seamstream/event-log';
import { encodeEvent, originMeta } from '@seamstream/events';
import { type Clock, newId } from '@seamstream/kernel';
import { resolveTopic } from '../tail/topic-name.js';
import { type DeadLetterFilter, planRedrive, type RedrivePlan, selectLetters } from './dead-letter.js';
import { readDeadLetters, readRedriven } from './read-dead-letters.js';

/** Records appended in one transaction. */
const APPEND_RECORDS = 500;

export interface Redrive {
  /** Letters that the filter chose. */
  readonly selected: number;
  readonly plan: RedrivePlan;
}

/** Which records would go back to their consumers. @throws UNKNOWN_TOPIC */
export async function planRedriveOf(log: EventLog, filter: DeadLetterFilter): Promise<Redrive> {
  const topics = (await log.topics()).map(({ name }) => name);
  const topic = filter.topic === undefined ? undefined : resolveTopic(filter.topic, topics);
  const { letters } = await readDeadLetters(log);
  const selected = selectLetters(letters, { ...filter, topic });
  const plan = planRedrive(selected, await readRedriven(log, selected), new Set(topics));
  return { selected: selected.length, plan };
}

/** Who redrives, and why. */
export interface RedriveOrder {
  readonly by: string;
  readonly reason: string;
}

/**
 * Appends the original records of a plan to their topics, each once however often this is called, each step with
 * an event that says who did it. Ends early where the signal aborts.
 * @returns of each step, how many records were appended
 */
export async function* redriveDeadLetters(
  log: EventLog,
  { records }: RedrivePlan,
  { by, reason }: RedriveOrder,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<number, void> {
  const redriveId = newId();
  for (let at = 0; at < records.length && !signal.aborted; at += APPEND_RECORDS) {
    const step = records.slice(at, at + APPEND_RECORDS);
    const redriven = encodeEvent({
      type: 'DeadLettersRedriven',
      meta: originMeta({
        ...{ messageId: newId(), correlationId: redriveId, source: 'seam/cli' },
        ...{ occurredAt: clock.now(), sourceClass: 'trusted' },
      }),
      ...{ redriveId, records: step.length, redrivenBy: by, reason },
    });
    await log.append([...step, redriven]);
    yield step.length;
  }
}
