/**
 * Decoded events by offset range. The planner looks at the same windows again and again, one round further each time: it keeps what
 * it has read, so that each record is read and decoded once. The worker reads each range once, and keeps nothing.
 */
import { type EventLog, partitionName } from '@seamstream/event-log';
import type { OffsetRange } from '@seamstream/events';
import type { PlacedEvent } from '@seamstream/evidence';
import { collectEvents } from '@seamstream/log-reader';

/** Where decoded events come from. Undecodable records are left out: their topic's consumer dead-letters them. */
export interface EventSource {
  /** In the order of the log. */
  placed(range: OffsetRange): Promise<readonly PlacedEvent[]>;
}

/** Straight from the log. */
export class RecordedEvents implements EventSource {
  constructor(private readonly log: EventLog) {}

  async placed(range: OffsetRange): Promise<readonly PlacedEvent[]> {
    const read = await collectEvents(this.log, [range], { undecodable: 'skip' });
    return read.map(({ event, record: { topic, partition, offset, value } }) => ({
      event,
      position: { topic, partition, offset },
      value,
    }));
  }
}

/** A stretch of a partition that is held in memory. */
interface Held {
  readonly from: number;
  readonly to: number;
  readonly events: readonly PlacedEvent[];
}

/** Keeps one stretch of each partition, which grows at either end, until it is forgotten. */
export class RecentEvents implements EventSource {
  private readonly source: RecordedEvents;
  private readonly held = new Map<string, Held>();

  constructor(log: EventLog) {
    this.source = new RecordedEvents(log);
  }

  async placed(range: OffsetRange): Promise<readonly PlacedEvent[]> {
    const { topic, partition, from, to } = range;
    const name = partitionName(topic, partition);
    let held = this.held.get(name);
    if (held === undefined || to < held.from || held.to < from) {
      held = { from, to, events: await this.source.placed(range) };
    } else {
      const before = await this.source.placed({ ...range, to: held.from });
      const after = await this.source.placed({ ...range, from: held.to });
      held = {
        from: Math.min(from, held.from),
        to: Math.max(to, held.to),
        events: before.length + after.length === 0 ? held.events : [...before, ...held.events, ...after],
      };
    }
    this.held.set(name, held);
    return held.events.filter(({ position: { offset } }) => from <= offset && offset < to);
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
          events: held.events.filter(({ position: { offset } }) => offset >= begin),
        });
    }
  }
}
