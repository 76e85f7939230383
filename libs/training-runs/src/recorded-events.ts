/**
 * Decoded events by offset range. The planner looks at the same windows again and again, one round further each time: it keeps what
 * it has read, so that each record is read and decoded once. The worker reads each range once, and keeps nothing.
 */
import { type EventLog, type LogRecord, partitionName } from '@seamstream/event-log';
import type { OffsetRange } from '@seamstream/events';
import type { PlacedEvent } from '@seamstream/evidence';
import { eventOf, readRecords } from '@seamstream/log-reader';

/** Which records are opened; the others are passed over. */
export type Wanted = (record: LogRecord) => boolean;

/** Where decoded events come from. Undecodable records are left out: their topic's consumer dead-letters them. */
export interface EventSource {
  /** In the order of the log. @throws the signal's reason, between two reads */
  placed(range: OffsetRange, signal?: AbortSignal): Promise<readonly PlacedEvent[]>;
  /** Those among them whose records are wanted, perhaps among others; nothing is kept of a range that has none. */
  sought(range: OffsetRange, wants: Wanted, signal?: AbortSignal): Promise<readonly PlacedEvent[]>;
}

/** Straight from the log. */
export class RecordedEvents implements EventSource {
  constructor(private readonly log: EventLog) {}

  placed(range: OffsetRange, signal?: AbortSignal): Promise<readonly PlacedEvent[]> {
    return this.sought(range, () => true, signal);
  }

  async sought(range: OffsetRange, wants: Wanted, signal?: AbortSignal): Promise<readonly PlacedEvent[]> {
    const events: PlacedEvent[] = [];
    for await (const { records } of readRecords(this.log, [range], { signal }))
      for (const event of placedEvents(records.filter(wants))) events.push(event);
    return events;
  }
}

/** A stretch of a partition that is held in memory. */
interface Held {
  from: number;
  to: number;
  /** In the order of offsets. */
  events: PlacedEvent[];
}

/** Keeps one stretch of each partition, which grows at either end, until it is forgotten. */
export class RecentEvents implements EventSource {
  private readonly source: RecordedEvents;
  private readonly held = new Map<string, Held>();

  constructor(private readonly log: EventLog) {
    this.source = new RecordedEvents(log);
  }

  /** Events that are held now. */
  get size(): number {
    return [...this.held.values()].reduce((sum, { events }) => sum + events.length, 0);
  }

  async placed(range: OffsetRange, signal?: AbortSignal): Promise<readonly PlacedEvent[]> {
    const { topic, partition, from, to } = range;
    const name = partitionName(topic, partition);
    const held = this.held.get(name);
    if (held === undefined || to < held.from || held.to < from) {
      const events = [...(await this.source.placed(range, signal))];
      this.held.set(name, { from, to, events });
      return events.slice();
    }
    const before = await this.source.placed({ ...range, to: held.from }, signal);
    const after = await this.source.placed({ ...range, from: held.to }, signal);
    if (before.length > 0) held.events = [...before, ...held.events];
    for (const event of after) held.events.push(event);
    held.from = Math.min(from, held.from);
    held.to = Math.max(to, held.to);
    return between(held.events, from, to);
  }

  /** What is held already is looked through where it is; of the rest a range that holds something wanted is kept, as a whole. */
  async sought(range: OffsetRange, wants: Wanted, signal?: AbortSignal): Promise<readonly PlacedEvent[]> {
    const { topic, partition, from, to } = range;
    const name = partitionName(topic, partition);
    const held = this.held.get(name);
    if (held !== undefined && held.from <= from && from < held.to) {
      const known = between(held.events, from, to);
      return to <= held.to ? known : [...known, ...(await this.sought({ ...range, from: held.to }, wants, signal))];
    }
    const records: LogRecord[] = [];
    for await (const chunk of readRecords(this.log, [range], { signal })) records.push(...chunk.records);
    if (!records.some(wants)) return [];
    if (held !== undefined && from < held.from) return this.placed(range, signal);
    // From where the stretch ends on, so that it stays one.
    if (held !== undefined) await this.placed({ ...range, from: held.to, to: from }, signal);
    const events = placedEvents(records);
    if (held === undefined) this.held.set(name, { from, to, events });
    else {
      for (const event of events) held.events.push(event);
      held.to = to;
    }
    return events.slice();
  }

  /** Lets go of what stands before the given ranges, one per partition; of partitions that they do not name, everything. */
  forgetBefore(ranges: readonly OffsetRange[]): void {
    const begins = new Map(ranges.map(({ topic, partition, from }) => [partitionName(topic, partition), from]));
    for (const [name, held] of this.held) {
      const begin = begins.get(name);
      if (begin === undefined) this.held.delete(name);
      else if (begin > held.from)
        this.held.set(name, {
          from: begin,
          to: Math.max(begin, held.to),
          events: between(held.events, begin, Number.POSITIVE_INFINITY),
        });
    }
  }
}

function placedEvents(records: readonly LogRecord[]): PlacedEvent[] {
  return records.flatMap((record) => {
    const event = eventOf(record, 'skip');
    const { topic, partition, offset, value } = record;
    return event === undefined ? [] : [{ event, position: { topic, partition, offset }, value }];
  });
}

/** Those from an offset up to another, exclusive: found by halving, so that a look at a part costs that part. */
function between(events: readonly PlacedEvent[], from: number, to: number): PlacedEvent[] {
  return events.slice(placeOf(events, from), placeOf(events, to));
}

/** Index of the first event at an offset or after it. */
function placeOf(events: readonly PlacedEvent[], offset: number): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events[middle]!.position.offset < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
