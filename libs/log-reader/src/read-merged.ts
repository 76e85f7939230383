/**
 * Reads several partitions as one stream in the order of their timestamps, oldest first. Within a partition the offsets
 * always ascend, regardless of the timestamps; between partitions equal timestamps are ordered by topic and partition.
 */
import type { EventLog, LogRecord } from '@seamstream/event-log';
import type { ReadRange } from './read-range.js';

interface Source {
  readonly range: ReadRange;
  readonly chunks: AsyncIterator<readonly LogRecord[]>;
  chunk: readonly LogRecord[];
  next: number;
}

async function refill(source: Source): Promise<boolean> {
  while (source.next >= source.chunk.length) {
    const result = await source.chunks.next();
    if (result.done === true) return false;
    source.chunk = result.value;
    source.next = 0;
  }
  return true;
}

const head = (source: Source): LogRecord => source.chunk[source.next]!;

function isBefore(a: Source, b: Source): boolean {
  const [left, right] = [head(a), head(b)];
  if (left.timestampMs !== right.timestampMs) return left.timestampMs < right.timestampMs;
  if (left.topic !== right.topic) return left.topic < right.topic;
  return left.partition < right.partition;
}

/** Records of all ranges, merged. Holds one chunk per range in memory. */
export async function* readMerged(
  log: EventLog,
  ranges: readonly ReadRange[],
  chunkRecords = 500,
): AsyncIterable<LogRecord> {
  const open: Source[] = [];
  for (const range of ranges) {
    if (range.from >= range.to) continue;
    const chunks = log.read({ ...range, chunkRecords })[Symbol.asyncIterator]();
    const source: Source = { range, chunks, chunk: [], next: 0 };
    if (await refill(source)) open.push(source);
  }
  while (open.length > 0) {
    // A handful of partitions: a scan for the smallest is cheaper than a heap.
    const first = open.reduce((earliest, source) => (isBefore(source, earliest) ? source : earliest));
    yield head(first);
    first.next++;
    if (!(await refill(first))) open.splice(open.indexOf(first), 1);
  }
}
