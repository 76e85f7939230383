/** Reads topics from where it last stopped to their ends: for state that is folded from whole topics and kept up to date. */
import { type EventLog, type LogRecord, partitionName } from '@seamstream/event-log';
import type { TopicName } from '@seamstream/events';
import { collectEvents, type PlacedEvent } from './read-events.js';

export class NewEvents {
  /** By topic/partition: the offset after the last record that was read. */
  private readonly next = new Map<string, number>();

  /**
   * @param topics are looked at in this order and read in the opposite one, so that events of the last topic are known that come before
   * any of the first
   */
  constructor(
    private readonly log: EventLog,
    private readonly topics: readonly TopicName[],
    private readonly isWanted: (record: LogRecord) => boolean = () => true,
  ) {}

  /** Events since the last call, topic by topic, per partition in order. Undecodable records are skipped; their consumer dead-letters them. */
  async read(): Promise<readonly PlacedEvent[]> {
    const ends: { topic: TopicName; partition: number; from: number; to: number }[] = [];
    for (const topic of this.topics)
      for (const { partition, low, high } of await this.log.watermarks(topic)) {
        const from = Math.max(low, this.next.get(partitionName(topic, partition)) ?? low);
        if (from < high) ends.unshift({ topic, partition, from, to: high });
      }
    const read = await collectEvents(this.log, ends, { undecodable: 'skip', wants: this.isWanted });
    // All or nothing: what fails half-way is read again.
    for (const { topic, partition, to } of ends) this.next.set(partitionName(topic, partition), to);
    return read;
  }
}
