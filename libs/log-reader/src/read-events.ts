/**
 * Ranges of the log, read in their order, partition by partition. A reader names its policy for undecodable records:
 * the topic's consumer sends them to the dead letters, so most other readers skip them.
 */
import type { EventLog, LogRecord } from '@seamstream/event-log';
import { decodeEvent, type SeamEvent } from '@seamstream/events';
import { decodeRecord, type RecordFault } from './decode-record.js';
import type { ReadRange } from './read-range.js';
import { storedRanges } from './stored-ranges.js';

export interface ReadingOptions {
  /** Aborts the reading between two chunks. */
  readonly signal?: AbortSignal | undefined;
  /** Most records that are in memory together. */
  readonly chunkRecords?: number | undefined;
}

/**
 * What becomes of an undecodable record: `skip` skips it, `throw` ends the reading with its fault, a function receives it before it
 * is skipped.
 */
export type Undecodable = 'skip' | 'throw' | ((record: LogRecord, fault: RecordFault) => void);

export interface EventReadingOptions extends ReadingOptions {
  readonly undecodable: Undecodable;
  /** Which records are opened; all where absent. The others are neither events nor faults. */
  readonly wants?: ((record: LogRecord) => boolean) | undefined;
}

/** Records of a range that follow each other. */
export interface RecordChunk {
  readonly range: ReadRange;
  readonly records: readonly LogRecord[];
}

export interface PlacedEvent {
  readonly event: SeamEvent;
  readonly record: LogRecord;
}

/** The events among them, in their order. */
export interface EventChunk extends RecordChunk {
  readonly events: readonly PlacedEvent[];
}

/** By the global function: a simulated world has its time in the place of the real one. */
const turnOfEvents = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Records as they are. Empty ranges are not asked for. Between two chunks timers and sockets of the process have a turn: an embedded log reads
 * without waiting for anything, and a service would answer no one until all is read.
 * @throws what the log throws, and the signal's reason
 */
export async function* readRecords(
  log: EventLog,
  ranges: readonly ReadRange[],
  { signal, chunkRecords }: ReadingOptions = {},
): AsyncGenerator<RecordChunk> {
  let isFirst = true;
  for (const range of ranges) {
    const { topic, partition, from, to } = range;
    if (from >= to) continue;
    const chunks = log.read({ topic, partition, from, to, ...(chunkRecords === undefined ? {} : { chunkRecords }) });
    for await (const records of chunks) {
      if (!isFirst) await turnOfEvents();
      isFirst = false;
      signal?.throwIfAborted();
      yield { range, records };
    }
  }
}

/** Events of ranges. @throws as {@link readRecords}; with `throw` what {@link decodeEvent} throws */
export async function* readEvents(
  log: EventLog,
  ranges: readonly ReadRange[],
  { undecodable, wants, ...options }: EventReadingOptions,
): AsyncGenerator<EventChunk> {
  for await (const { range, records } of readRecords(log, ranges, options)) {
    const events: PlacedEvent[] = [];
    for (const record of records) {
      if (wants?.(record) === false) continue;
      const event = eventOf(record, undecodable);
      if (event !== undefined) events.push({ event, record });
    }
    yield { range, records, events };
  }
}

/** Events of all that is stored of topics now, topic by topic; a topic that the log does not have holds none. @throws as {@link readEvents} */
export async function* readTopics(
  log: EventLog,
  topics: readonly string[],
  options: EventReadingOptions,
): AsyncGenerator<EventChunk> {
  for (const topic of topics) yield* readEvents(log, await storedRanges(log, topic), options);
}

/** All events of ranges at once, for what fits into memory. @throws as {@link readEvents} */
export async function collectEvents(
  log: EventLog,
  ranges: readonly ReadRange[],
  options: EventReadingOptions,
): Promise<readonly PlacedEvent[]> {
  const collected: PlacedEvent[] = [];
  for await (const { events } of readEvents(log, ranges, options)) for (const one of events) collected.push(one);
  return collected;
}

/** The record's event by a policy; undefined for what is passed over. @throws with `throw` what {@link decodeEvent} throws */
export function eventOf(record: LogRecord, undecodable: Undecodable): SeamEvent | undefined {
  if (undecodable === 'throw') return decodeEvent(record);
  const decoded = decodeRecord(record);
  if ('event' in decoded) return decoded.event;
  if (undecodable !== 'skip') undecodable(record, decoded.fault);
  return undefined;
}
