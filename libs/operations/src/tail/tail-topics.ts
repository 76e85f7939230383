/** The records of topics in the order of time, as they lie in the log and as they come. */
import { type EventLog, type LogRecord, partitionName, type Watermarks } from '@seamstream/event-log';
import { TOPICS } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import { type DecodedRecord, decodeRecord, type ReadRange, readMerged } from '@seamstream/log-reader';
import { type EventFilter, isFiltering, isWanted } from './event-filter.js';
import type { StartPosition } from './start-position.js';
import { lastRanges, rangesFrom } from './tail-ranges.js';
import { resolveTopic } from './topic-name.js';

export interface TailRequest {
  /** With or without "seam."; where there are none, all topics, if the filter looks for something. */
  readonly topics: readonly string[];
  readonly filter: EventFilter;
  /** Without it the last records are returned. */
  readonly from?: StartPosition | undefined;
  readonly limit?: number | undefined;
  readonly partition?: number | undefined;
  /** Continues with new records until the signal aborts. */
  readonly follow?: boolean | undefined;
}

export interface Tail {
  /** The topics that are read, by their whole names. */
  readonly topics: readonly string[];
  /** Records of the past that are looked at. */
  readonly looked: number;
  /** Ends early, and without an error, where the signal aborts. */
  readonly records: AsyncGenerator<DecodedRecord, void>;
}

/** Records that are returned without a beginning or a limit: twice the lines that `tail` of Unix shows. */
export const DEFAULT_RECORDS = 20;

async function startOf(log: EventLog, topic: string, mark: Watermarks, from: StartPosition): Promise<number> {
  switch (from.at) {
    case 'earliest':
      return mark.low;
    case 'latest':
      return mark.high;
    case 'offset':
      return from.offset;
    case 'time':
      return log.offsetForTime(topic, mark.partition, from.timestampMs);
  }
}

/** What to read of a topic: all of it from the given place on, or where none is given and all are wanted as much of its end as is shown. */
async function rangesOf(
  log: EventLog,
  topic: string,
  { from, limit = DEFAULT_RECORDS, partition, filter }: TailRequest,
): Promise<readonly ReadRange[]> {
  const all = await log.watermarks(topic);
  const marks = partition === undefined ? all : all.filter((mark) => mark.partition === partition);
  if (marks.length === 0) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot read --partition: expected 0 to ${all.length - 1} for ${topic}, got ${partition ?? ''}.`,
      { details: { topic, partition } },
    );
  }
  if (from === undefined)
    return isFiltering(filter)
      ? rangesFrom(topic, marks, ({ low }) => low)
      : (await lastRanges(log, topic, marks, limit)).ranges;
  const starts = new Map<number, number>();
  for (const mark of marks) starts.set(mark.partition, await startOf(log, topic, mark, from));
  return rangesFrom(topic, marks, ({ partition: own, low }) => starts.get(own) ?? low);
}

/** The topics that are meant; where only a filter says what is wanted, all. @throws INVALID_INPUT where nothing says it */
function chosenTopics(
  { topics: names, partition, filter }: TailRequest,
  present: readonly string[],
): readonly string[] {
  if (names.length === 0 && !isFiltering(filter)) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot show a topic: expected its name, or what to look for in all of them (--problem, --type, --domain, --grep), got neither. Name one of ${TOPICS.map((topic) => topic.name.replace(/^seam\./, '')).join(', ')}.`,
    );
  }
  const known = TOPICS.map((topic) => topic.name).filter((topic) => present.includes(topic));
  const topics = names.length === 0 ? known : [...new Set(names.map((each) => resolveTopic(each, present)))];
  if (partition !== undefined && topics.length > 1)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot read --partition ${partition}: expected one topic with it, got ${topics.length}. Name one.`,
    );
  return topics;
}

/** The last so many records that are wanted. */
async function lastWanted(
  records: AsyncIterable<LogRecord>,
  limit: number,
  filter: EventFilter,
  signal: AbortSignal,
): Promise<readonly DecodedRecord[]> {
  const last: DecodedRecord[] = [];
  for await (const record of records) {
    if (signal.aborted) break;
    const decoded = decodeRecord(record);
    if (!isWanted(decoded, filter)) continue;
    last.push(decoded);
    if (last.length > limit) last.shift();
  }
  return last;
}

/**
 * Opens a tail. @param log unsigned: with every record that is in it
 * @throws INVALID_INPUT, UNKNOWN_TOPIC
 */
export async function tailTopics(log: EventLog, request: TailRequest, signal: AbortSignal): Promise<Tail> {
  const present = (await log.topics()).map((topic) => topic.name);
  const topics = chosenTopics(request, present);
  const ranges: ReadRange[] = [];
  for (const topic of topics) ranges.push(...(await rangesOf(log, topic, request)));
  const looked = ranges.reduce((sum, { from, to }) => sum + Math.max(0, to - from), 0);
  return { topics, looked, records: told(log, topics, ranges, request, signal) };
}

async function* told(
  log: EventLog,
  topics: readonly string[],
  ranges: readonly ReadRange[],
  { from, filter, limit: given, follow }: TailRequest,
  signal: AbortSignal,
): AsyncGenerator<DecodedRecord, void> {
  let count = 0;
  const limit = given ?? (from === undefined ? DEFAULT_RECORDS : Number.POSITIVE_INFINITY);
  const past = readMerged(log, ranges);
  if (from === undefined) {
    for (const decoded of await lastWanted(past, limit, filter, signal)) {
      if (signal.aborted) return;
      yield decoded;
    }
  } else {
    for await (const record of past) {
      if (signal.aborted || count >= limit) break;
      const decoded = decodeRecord(record);
      if (!isWanted(decoded, filter)) continue;
      yield decoded;
      count++;
    }
  }
  // Without a beginning the limit says how many past records are returned; later ones are returned without end.
  const followLimit = from === undefined ? Number.POSITIVE_INFINITY : limit;
  if (follow !== true || signal.aborted || count >= followLimit) return;
  const places = ranges.map(({ topic, partition, to }) => ({ topic, partition, nextOffset: to }));
  const followed = new Set(ranges.map(({ topic, partition }) => partitionName(topic, partition)));
  for await (const chunk of log.follow({ topics, from: places, signal })) {
    for (const record of chunk) {
      const decoded = decodeRecord(record);
      if (!followed.has(partitionName(record.topic, record.partition)) || !isWanted(decoded, filter)) continue;
      yield decoded;
      if (++count >= followLimit) return;
    }
  }
}
