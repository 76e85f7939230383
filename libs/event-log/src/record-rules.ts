/**
 * What every driver refuses before anything is recorded. The limits are Kafka's, so that what one driver took another
 * can take.
 */
import { SeamError } from '@seamstream/kernel';
import type { Claim, ConsumedOffset, ConsumeOptions, NewRecord, TopicSpec, Watermarks } from './event-log.js';

/** Records of a chunk of `read` and `follow` by default. */
export const DEFAULT_CHUNK_RECORDS = 1000;

/**
 * Most bytes of a record: key, value and headers together. Below Kafka's default `max.message.bytes` (1 048 588), which
 * counts the batch's own framing too.
 */
export const MAX_RECORD_BYTES = 1_000_000;

/** Longest topic name, and its alphabet: org.apache.kafka.common.internals.Topic. */
const MAX_TOPIC_NAME = 249;
const TOPIC_NAME = /^[a-zA-Z0-9._-]+$/;
const MAX_PARTITIONS = 10_000;
/** A prefix has room before it in Kafka's names. */
const MAX_CLAIM_NAME = 200;
const HEADER_NAME = /^[a-z0-9][a-z0-9._-]{0,127}$/;
/** Names that were found good: records of one kind carry the same few. */
const goodHeaderNames = new Set<string>();
const MAX_HEADERS = 256;

/** Whether a header may have this name: 1 to 128 characters of a-z 0-9 . _ -, the first a letter or digit. */
export function isHeaderName(name: string): boolean {
  if (goodHeaderNames.has(name)) return true;
  if (!HEADER_NAME.test(name)) return false;
  if (goodHeaderNames.size < 1000) goodHeaderNames.add(name);
  return true;
}

/** INVALID_INPUT unless the name is one that Kafka takes: 1 to 249 of `a-z A-Z 0-9 . _ -`, not `.` or `..`. */
export function checkTopicSpec(spec: TopicSpec): void {
  const { name, partitions } = spec;
  if (name.length > MAX_TOPIC_NAME || !TOPIC_NAME.test(name) || name === '.' || name === '..') {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot create a topic: expected a name of 1 to ${MAX_TOPIC_NAME} characters of a-z A-Z 0-9 . _ - (not . or ..), got ${JSON.stringify(name)}.`,
      { details: { topic: name } },
    );
  }
  if (!Number.isSafeInteger(partitions) || partitions < 1 || partitions > MAX_PARTITIONS) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot create topic ${name}: expected 1 to ${MAX_PARTITIONS} partitions, got ${partitions}.`,
      { details: { topic: name, partitions } },
    );
  }
}

/** The error of a topic that exists with another number of partitions. */
export function partitionConflict(name: string, existing: number, wanted: number): SeamError {
  return new SeamError(
    'CONFLICT',
    `Cannot create topic ${name}: it exists with ${existing} partitions, ${wanted} were asked for; keys would change their ` +
      'partition. Use the existing number or another topic name.',
    { details: { topic: name, existing, wanted } },
  );
}

/** The error of a topic or partition that the log does not have. */
export function unknownTopic(
  operation: string,
  topic: string,
  known: readonly string[],
  partition?: number,
): SeamError {
  const place = partition === undefined ? `topic ${JSON.stringify(topic)}` : `partition ${partition} of topic ${topic}`;
  return new SeamError(
    'UNKNOWN_TOPIC',
    `Cannot ${operation}: there is no ${place}. Known topics: ${known.length === 0 ? 'none' : known.join(', ')}. Create it with createTopics first.`,
    { details: { topic, ...(partition === undefined ? {} : { partition }) } },
  );
}

/** Size of a record as {@link MAX_RECORD_BYTES} counts it, in bytes. */
export function recordBytes(record: NewRecord): number {
  let bytes = (record.key === null ? 0 : Buffer.byteLength(record.key)) + (record.value?.length ?? 0);
  for (const name in record.headers) bytes += name.length + Buffer.byteLength(record.headers[name] ?? '');
  return bytes;
}

/**
 * INVALID_INPUT for a key or header that UTF-8 cannot carry, a header name that is not lower-case, a time stamp that is
 * not a whole number of milliseconds since the epoch; RECORD_TOO_LARGE above {@link MAX_RECORD_BYTES}.
 */
export function checkRecord(record: NewRecord, index: number): void {
  const refuse = (expected: string, came: unknown): never => {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot append record ${index} to ${record.topic}: expected ${expected}, got ${JSON.stringify(came)}.`,
      { details: { topic: record.topic, index } },
    );
  };
  const { key, value, headers, timestampMs } = record;
  if (key !== null && (typeof key !== 'string' || !key.isWellFormed()))
    refuse('a key of well-formed text or null', key);
  if (value !== null && !(value instanceof Uint8Array)) refuse('a value of bytes (Uint8Array) or null', typeof value);
  let count = 0;
  let characters = key?.length ?? 0;
  for (const name in headers) {
    if (++count > MAX_HEADERS) refuse(`at most ${MAX_HEADERS} headers`, Object.keys(headers).length);
    if (!isHeaderName(name))
      refuse('header names of 1 to 128 characters of a-z 0-9 . _ -, the first a letter or digit', name);
    const text: unknown = headers[name];
    if (typeof text !== 'string' || !text.isWellFormed()) refuse(`well-formed text in header ${name}`, text);
    else characters += name.length + text.length;
  }
  if (timestampMs !== undefined && (!Number.isSafeInteger(timestampMs) || timestampMs < 0)) {
    refuse('a time stamp in whole milliseconds since the epoch', timestampMs);
  }
  // UTF-8 takes at most three bytes for a UTF-16 code unit; mostly that is enough to know.
  if (characters * 3 + (value?.length ?? 0) <= MAX_RECORD_BYTES) return;
  const bytes = recordBytes(record);
  if (bytes > MAX_RECORD_BYTES) {
    throw new SeamError(
      'RECORD_TOO_LARGE',
      `Cannot append record ${index} to ${record.topic}: expected at most ${MAX_RECORD_BYTES} bytes of key, value and headers, got ${bytes}. ` +
        'Put large content into the object store and its address and digest into the event.',
      { details: { topic: record.topic, index, bytes, maxBytes: MAX_RECORD_BYTES } },
    );
  }
}

/** INVALID_INPUT unless the name is one that can be claimed. */
export function checkClaimName(name: string): void {
  if (TOPIC_NAME.test(name) && name.length <= MAX_CLAIM_NAME) return;
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot claim a name: expected 1 to ${MAX_CLAIM_NAME} characters of a-z A-Z 0-9 . _ -, got ${JSON.stringify(name)}.`,
  );
}

/** INVALID_INPUT unless group, topics, batch size and concurrency make sense. */
export function checkConsumeOptions(options: ConsumeOptions): void {
  const { group, topics, maxBatchRecords, maxConcurrentPartitions, sharing, turn } = options;
  const refuse = (expected: string, came: unknown): never => {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot consume as group ${JSON.stringify(group)}: expected ${expected}, got ${String(came)}.`,
      {
        details: { group },
      },
    );
  };
  if (!TOPIC_NAME.test(group) || group.length > MAX_TOPIC_NAME)
    refuse(`a group of 1 to ${MAX_TOPIC_NAME} characters of a-z A-Z 0-9 . _ -`, group);
  if (topics.length === 0) refuse('at least one topic', 'none');
  if (!Number.isSafeInteger(maxBatchRecords) || maxBatchRecords < 1)
    refuse('maxBatchRecords of at least 1', maxBatchRecords);
  if (maxConcurrentPartitions !== undefined && !(maxConcurrentPartitions >= 1)) {
    refuse('maxConcurrentPartitions of at least 1', maxConcurrentPartitions);
  }
  if (turn !== undefined && !(Number.isSafeInteger(turn) && turn >= 0 && sharing === 'whole'))
    refuse('a turn of 0, 1, 2, …, in a group that is whole', `${turn}, ${sharing ?? 'spread'}`);
}

/** INVALID_INPUT unless the number is an offset: a whole number from 0 on. */
function checkOffset(operation: string, name: string, offset: number): void {
  if (!Number.isSafeInteger(offset) || offset < 0) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot ${operation}: expected ${name} to be a whole number from 0 on, got ${offset}.`,
    );
  }
}

/** The error of a place that a partition does not have (any more, or yet). */
export function offsetOutOfRange(
  operation: string,
  place: {
    readonly topic: string;
    readonly partition: number;
    readonly low: number;
    readonly high: number;
    readonly offset: number;
  },
): SeamError {
  const { topic, partition, low, high, offset } = place;
  return new SeamError(
    'OFFSET_OUT_OF_RANGE',
    `Cannot ${operation} ${topic}/${partition}: offset ${offset} is outside of what is stored, ${low} to ${high} (exclusive). ` +
      'Ask watermarks() for the range.',
    { details: { ...place } },
  );
}

/** What of a partition is stored, and which one it is. */
type StoredRange = Watermarks & { readonly topic: string };

/** INVALID_INPUT or OFFSET_OUT_OF_RANGE unless both ends of what is to be read lie within what is stored. */
export function checkReadRange(stored: StoredRange, from: number, to: number): void {
  checkOffset('read', 'from', from);
  checkOffset('read', 'to', to);
  for (const offset of [from, to]) {
    if (offset < stored.low || offset > stored.high) throw offsetOutOfRange('read', { ...stored, offset });
  }
}

/** Where following begins in a partition: the given place, else what `latest` or `earliest` stands for. OFFSET_OUT_OF_RANGE. */
export function followFrom(stored: StoredRange, from: 'earliest' | 'latest' | readonly ConsumedOffset[]): number {
  const { topic, partition, low, high } = stored;
  const given =
    typeof from === 'string'
      ? undefined
      : from.find((place) => place.topic === topic && place.partition === partition)?.nextOffset;
  const offset = given ?? (from === 'latest' ? high : low);
  if (offset < low || offset > high) throw offsetOutOfRange('follow', { ...stored, offset });
  return offset;
}

/** INVALID_INPUT unless all are offsets of the claimed partition. */
export function checkClaimedOffsets(
  { group }: Claim,
  claimed: { readonly topic: string; readonly partition: number },
  offsets: readonly ConsumedOffset[],
): void {
  for (const { topic, partition, nextOffset } of offsets) {
    if (topic !== claimed.topic || partition !== claimed.partition) {
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot commit offsets of group ${group}: the claim is for ${claimed.topic}/${claimed.partition}, got an offset of ${topic}/${partition}.`,
      );
    }
    checkOffset('commit offsets', 'nextOffset', nextOffset);
  }
}

/**
 * CONFLICT unless an offset is after the one that its group has committed so far: what was consumed once is not consumed
 * again, regardless of the claim's bookkeeping.
 */
export function checkProgress(
  group: string,
  { topic, partition, nextOffset }: ConsumedOffset,
  committed: number | undefined,
): void {
  if (committed === undefined || nextOffset > committed) return;
  throw new SeamError(
    'CONFLICT',
    `Cannot commit offset ${nextOffset} of ${topic}/${partition} for group ${group}: it has committed ${committed} already, and expected is an offset after that. ` +
      'Nothing was committed: these records were consumed before. Start the consumer again; it reads from the committed offset.',
    { details: { group, topic, partition, nextOffset, committed } },
  );
}
