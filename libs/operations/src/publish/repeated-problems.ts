/** Whether problems of a request that has a name were published under this name before, and in the same words. */
import { type EventLog, type NewRecord, partitionForKey } from '@seamstream/event-log';
import { decodeEvent, type SeamEvent, TOPIC } from '@seamstream/events';
import { canonicalJson } from '@seamstream/kernel';
import { decodeRecord, readRecords } from '@seamstream/log-reader';

/** Of a partition its newest records are looked at: a retry comes soon, and each request with a name looks once. */
const LOOK_BACK_RECORDS = 10_000;

/**
 * @param records what the request publishes, each under its problem's id
 * @param nextId of the problem that one row more would have
 * @returns false where the log has others under these ids, or some of them alone
 */
export async function saysTheSame(log: EventLog, records: readonly NewRecord[], nextId: string): Promise<boolean> {
  const own = new Map(
    records.map((record) => [record.key, wordsOf(decodeEvent({ ...record, partition: 0, offset: 0 }))]),
  );
  const marks = await log.watermarks(TOPIC.problems);
  const partitions = new Set([...own.keys(), nextId].map((key) => partitionForKey(key ?? '', marks.length)));
  const ranges = marks
    .filter(({ partition }) => partitions.has(partition))
    .map(({ partition, low, high }) => ({
      ...{ topic: TOPIC.problems, partition, to: high },
      from: Math.max(low, high - LOOK_BACK_RECORDS),
    }));
  const found = new Set<string | null>();
  for await (const read of readRecords(log, ranges))
    for (const record of read.records) {
      if (record.key === nextId) return false;
      const words = own.get(record.key);
      if (words === undefined) continue;
      const decoded = decodeRecord(record);
      if (!('event' in decoded)) continue;
      if (wordsOf(decoded.event) !== words) return false;
      found.add(record.key);
    }
  return found.size === 0 || found.size === own.size;
}

/** All that a publication says but when, on which trace and by which way. */
function wordsOf(event: SeamEvent): string | undefined {
  if (event.type !== 'ProblemPublished') return undefined;
  const { problem, mode, expiresAt, task, feedbackWithinMs } = event;
  return canonicalJson([problem, mode, expiresAt, task, feedbackWithinMs]);
}
