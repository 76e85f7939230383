/** The log from its newest record backwards, as far as a page shows. */
import { type EventLog, type LogRecord, parsePartitionName, partitionName } from '@seamstream/event-log';
import { TOPIC, TOPICS } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import { type DecodedRecord, decodeRecord, readRecords } from '@seamstream/log-reader';
import { resolveTopic } from '../tail/topic-name.js';
import { fits, type LogFilter } from './log-filter.js';

export interface BrowseRequest {
  /** With or without "seam."; all where there are none. */
  readonly topics: readonly string[];
  readonly filter: LogFilter | null;
  readonly limit: number;
  /** Where an earlier answer ended, as it said; absent: at the newest record. */
  readonly before?: Readonly<Record<string, number>> | undefined;
}

export interface BrowsedLog {
  /** Newest first; of equal times the later partition first, within a partition by offset. */
  readonly records: readonly DecodedRecord[];
  readonly topics: readonly string[];
  /** Records that were looked at. */
  readonly looked: number;
  /** Where to continue; null at the log's beginning. */
  readonly next: Readonly<Record<string, number>> | null;
}

/** What is shown: everything but digests of keys. */
const BROWSED = TOPICS.map(({ name }) => name).filter((name) => name !== TOPIC.access);

/** Records that a reading back takes at once from a partition. */
const CHUNK = 64;
/** Records that one answer looks at: what fits is rare then, and the page says how far it looked. */
const MOST_LOOKED = 20_000;

/** A partition that is read from its end. */
interface Source {
  readonly topic: string;
  readonly partition: number;
  readonly low: number;
  /** What is before it was not read yet. */
  end: number;
  /** Oldest first; the last is returned next. */
  read: LogRecord[];
}

/**
 * @param log unsigned: with every record that is in it
 * @throws UNKNOWN_TOPIC; INVALID_INPUT for a place that no answer gave
 */
export async function browseLog(log: EventLog, request: BrowseRequest, signal: AbortSignal): Promise<BrowsedLog> {
  const known = (await log.topics()).map(({ name }) => name);
  const present = BROWSED.filter((name) => known.includes(name));
  const topics = request.topics.length === 0 ? present : request.topics.map((name) => resolveTopic(name, present));
  const sources = await sourcesOf(log, topics, request.before);
  const records: DecodedRecord[] = [];
  let looked = 0;
  for (; records.length < request.limit && looked < MOST_LOOKED; looked++) {
    signal.throwIfAborted();
    const newest = await newestOf(log, sources);
    if (newest === undefined) break;
    const decoded = decodeRecord(newest.read.pop()!);
    if (fits(decoded, request.filter)) records.push(decoded);
  }
  const rest = sources.map(({ topic, partition, end, read }): [string, number] => [
    partitionName(topic, partition),
    read.length > 0 ? read.at(-1)!.offset + 1 : end,
  ]);
  const isOver = sources.every(({ low, end, read }) => read.length === 0 && end <= low);
  return { records, topics, looked, next: isOver ? null : Object.fromEntries(rest) };
}

async function sourcesOf(
  log: EventLog,
  topics: readonly string[],
  before: BrowseRequest['before'],
): Promise<readonly Source[]> {
  const sources: Source[] = [];
  for (const topic of topics)
    for (const { partition, low, high } of await log.watermarks(topic)) {
      const place = before?.[partitionName(topic, partition)] ?? high;
      sources.push({ topic, partition, low, end: Math.min(Math.max(place, low), high), read: [] });
    }
  for (const name of Object.keys(before ?? {})) {
    const { topic, partition } = parsePartitionName(name);
    if (!sources.some((each) => each.topic === topic && each.partition === partition))
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot continue from ${name}: expected a partition of ${topics.join(', ')}, got another. Begin at the newest record.`,
      );
  }
  return sources;
}

/** The source whose next record is the newest of all, filled; undefined where nothing is left. */
async function newestOf(log: EventLog, sources: readonly Source[]): Promise<Source | undefined> {
  let newest: Source | undefined;
  for (const source of sources) {
    while (source.read.length === 0 && source.end > source.low) await fill(log, source);
    const own = source.read.at(-1);
    if (own !== undefined && (newest === undefined || own.timestampMs >= newest.read.at(-1)!.timestampMs))
      newest = source;
  }
  return newest;
}

/** A log may have offsets without a record, so that a chunk may bring nothing. */
async function fill(log: EventLog, source: Source): Promise<void> {
  const { topic, partition, low, end } = source;
  const from = Math.max(low, end - CHUNK);
  for await (const { records } of readRecords(log, [{ topic, partition, from, to: end }])) source.read.push(...records);
  source.end = from;
}
