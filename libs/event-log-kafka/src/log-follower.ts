/** Follows partitions without a group: what is there, then what arrives, until it is stopped. */
import { DEFAULT_CHUNK_RECORDS, type LogRecord, partitionName } from '@seamstream/event-log';
import { SeamError } from '@seamstream/kernel';
import type { FetchPlace } from './broker-protocol.port.js';
import type { KafkaConnection } from './kafka-connection.js';
import { PartitionFeed } from './partition-feed.js';

/** What the feed has reported and the follower has not seen yet. */
class FeedNews {
  private readonly names = new Set<string>();
  private failure: SeamError | undefined;
  private wake: () => void = () => undefined;

  arrived(topic: string, partition: number): void {
    this.names.add(partitionName(topic, partition));
    this.wake();
  }

  failed(error: SeamError): void {
    this.failure = error;
    this.wake();
  }

  deleted(topic: string, partition: number, from: number, low: number): void {
    this.failed(
      new SeamError(
        'OFFSET_OUT_OF_RANGE',
        `Cannot follow ${topic}/${partition}: expected records from ${from}, got only those from ${low} on, since older ones have been deleted. Follow from there, or from the beginning.`,
        { details: { topic, partition, from, low } },
      ),
    );
  }

  /** A partition with records; undefined after a wait in which {@link stir} was called, perhaps. */
  async next(): Promise<string | undefined> {
    if (this.failure) throw this.failure;
    const [name] = this.names;
    if (name === undefined) await new Promise<void>((resolve) => (this.wake = resolve));
    return name;
  }

  drop(name: string): void {
    this.names.delete(name);
  }

  /** Ends a wait. */
  readonly stir = (): void => this.wake();
}

/**
 * Yields committed records of each place in order, by the cluster's names.
 * @param connection a separate one, since fetches wait; it is closed in the end
 * @param maxBatchBytes of a record batch once decompressed
 * @throws OFFSET_OUT_OF_RANGE when records were deleted before they were read
 */
export async function* followPlaces(
  connection: KafkaConnection,
  places: readonly FetchPlace[],
  { until, maxBatchBytes }: { readonly until: AbortSignal; readonly maxBatchBytes: number },
): AsyncIterable<readonly LogRecord[]> {
  const news = new FeedNews();
  const feed = new PartitionFeed(connection, news, maxBatchBytes);
  const cursors = new Map(
    places.map(({ topic, partition, from }) => [partitionName(topic, partition), { topic, partition, next: from }]),
  );
  until.addEventListener('abort', news.stir);
  try {
    await connection.attempt('follow', () => connection.refresh());
    for (const { topic, partition, from } of places) feed.add(topic, partition, from);
    const isOver = (): boolean => until.aborted; // it changes while a reader holds what was yielded
    while (!isOver()) {
      const name = await news.next();
      if (name === undefined) continue;
      const cursor = cursors.get(name)!;
      const records = feed.take(cursor.topic, cursor.partition, cursor.next, DEFAULT_CHUNK_RECORDS);
      if (records.length === 0) {
        news.drop(name);
        continue;
      }
      cursor.next = records.at(-1)!.offset + 1;
      yield records;
    }
  } finally {
    until.removeEventListener('abort', news.stir);
    feed.close();
    await connection.close();
  }
}
