/** The buffer's versions that the log records. Each record is read once. */
import type { EventLog } from '@seamstream/event-log';
import { type BufferCommitted, type OffsetRange, TOPIC } from '@seamstream/events';
import { NewEvents } from '@seamstream/log-reader';
import { COMMITS_KEY, newestVersions, shardNameOf, wholeBuffer } from '@seamstream/success-buffer';

export class CommittedVersions {
  private readonly reader: NewEvents;
  /** In the order of the log. */
  private known: BufferCommitted[] = [];

  constructor(log: EventLog) {
    this.reader = new NewEvents(log, [TOPIC.buffer], ({ key }) => key === COMMITS_KEY);
  }

  /**
   * Of every shard the first version that was folded from everything in the given ranges, by shard; none as long as one is missing.
   * Which they are does not depend on which shard was quicker. Ranges grow from call to call: versions that do not cover these are
   * forgotten, but for the newest.
   */
  async covering(ranges: readonly OffsetRange[]): Promise<readonly BufferCommitted[]> {
    await this.readOn();
    const found = new Map<string, BufferCommitted>();
    for (const version of this.known)
      if (!found.has(shardNameOf(version)) && covers(version.inputs, ranges)) found.set(shardNameOf(version), version);
    const newest = new Set(newestVersions(this.known));
    this.known = this.known.filter((version) => newest.has(version) || covers(version.inputs, ranges));
    return wholeBuffer(found.values());
  }

  /** All that were committed, but for those that {@link covering} forgot. */
  async all(): Promise<readonly BufferCommitted[]> {
    await this.readOn();
    return this.known;
  }

  /** The newest version of every shard; none as long as one is missing. */
  async newest(): Promise<readonly BufferCommitted[]> {
    await this.readOn();
    return wholeBuffer(newestVersions(this.known));
  }

  private async readOn(): Promise<void> {
    const news = await this.reader.read();
    for (const { event } of news) if (event.type === 'BufferCommitted') this.known.push(event);
  }
}

function covers(inputs: readonly OffsetRange[], ranges: readonly OffsetRange[]): boolean {
  const ends = new Map(inputs.map(({ partition, to }) => [partition, to]));
  return ranges.every(({ partition, to }) => (ends.get(partition) ?? 0) >= to);
}
