/** Results in a log, as evidence reads them. */
import type { InMemoryEventLog } from '@seamstream/event-log';
import { decodeEvent, encodeEvent, type Problem, type SeamEvent, TOPIC } from '@seamstream/events';
import { type FlakyLog, openLog, recordsOf } from '@seamstream/testing';
import { explored, type HonestResults } from '@seamstream/testing/result-log';
import type { PlacedEvent } from './evidence.js';

export const problemOf = (index: number): Problem => ({
  problemId: `p-${index}`,
  domain: 'sums',
  prompt: `What is ${index}?`,
  reference: String(index),
  verifier: { kind: 'exact', version: '1', options: { trim: 'yes', case: 'keep' } },
  metadata: { a: '1', b: '2' },
});

export async function logOf(events: readonly SeamEvent[]): Promise<FlakyLog> {
  const log = await openLog();
  await log.append(events.map(encodeEvent));
  return log;
}

/** The results in a log, partition by partition in their order. */
export const resultsIn = async (log: InMemoryEventLog): Promise<PlacedEvent[]> =>
  (await recordsOf(log, TOPIC.outcomes)).map((record) => ({
    event: decodeEvent(record),
    position: record,
    value: record.value,
  }));

/** A result as a consumer hands it over: what was decoded, and from what. */
export function placed(event: SeamEvent, offset = 0): PlacedEvent {
  const record = { ...encodeEvent(event), partition: 0, offset };
  return { event: decodeEvent(record), position: record, value: record.value };
}

export const honest = (count: number): HonestResults[] =>
  Array.from({ length: count }, (_, index) => explored(problemOf(index), { solved: [index % 4] }));
