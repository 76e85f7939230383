/** Where partitions begin and end, and how far groups have read. */
import type { ConsumedOffset } from '@seamstream/event-log';
import type Cluster from 'kafkajs/src/cluster/index.js';
import errors from 'kafkajs/src/protocol/error.js';
import { READ_COMMITTED } from './fetch-request.js';
import { exchange } from './flexible-encoding.js';
import type { KafkaConnection } from './kafka-connection.js';

/** Stands for a time in ListOffsets. */
export const EARLIEST = -2;
export const LATEST = -1;

/**
 * An offset per partition: of the first stored record, after the last committed one, or of the first at or after a time
 * (-1: there is none).
 */
export async function listOffsets(
  connection: KafkaConnection,
  topic: string,
  partitions: readonly number[],
  timestamp: number,
): Promise<Map<number, number>> {
  const byLeader = new Map<Cluster.Broker, number[]>();
  for (const partition of partitions) {
    const broker = await connection.leader(topic, partition);
    byLeader.set(broker, [...(byLeader.get(broker) ?? []), partition]);
  }
  const found = new Map<number, number>();
  await Promise.all(
    [...byLeader].map(async ([broker, of]) => {
      const { responses } = await broker.listOffsets({
        replicaId: -1,
        isolationLevel: READ_COMMITTED,
        topics: [{ topic, partitions: of.map((partition) => ({ partition, timestamp })) }],
      });
      for (const { partition, offset } of responses[0]!.partitions) found.set(partition, Number(offset));
    }),
  );
  return found;
}

const OFFSET_FETCH = { key: 9, version: 7, name: 'OffsetFetch' };

/**
 * The committed offsets of a group, where the given places have one. Waits out open transactions that commit
 * offsets (requireStable, KIP-447), which kafkajs' own request of version 4 cannot.
 *
 * OffsetFetch v7, request: group | [topic | [partition i32] | tags] | requireStable bool | tags; response:
 * throttleMs i32 | [topic | [partition i32 | offset i64 | leaderEpoch i32 | metadata | error i16 | tags] | tags] | error i16
 * | tags
 */
export async function fetchGroupOffsets(
  broker: Cluster.Broker,
  group: string,
  places: readonly { readonly topic: string; readonly partition: number }[],
): Promise<ConsumedOffset[]> {
  const { offsets, problem } = await exchange(
    broker,
    OFFSET_FETCH,
    (writer) => {
      writer.text(group).list([...Map.groupBy(places, ({ topic }) => topic)], ([topic, of]) =>
        writer
          .text(topic)
          .list(of, ({ partition }) => writer.int32(partition))
          .endOfFields(),
      );
      return writer.boolean(true).endOfFields();
    },
    (reader) => {
      reader.int32(); // throttled for
      let problem = 0;
      const offsets = reader.list(() => {
        const topic = reader.text();
        const found = reader.list((): ConsumedOffset => {
          const partition = reader.int32();
          const nextOffset = reader.int64();
          reader.int32(); // the leader's epoch
          reader.text(); // metadata
          problem = reader.int16() || problem;
          reader.endOfFields();
          return { topic, partition, nextOffset };
        });
        reader.endOfFields();
        return found;
      });
      return { offsets: offsets.flat(), problem: reader.int16() || problem };
    },
  );
  if (problem !== 0) throw errors.createErrorFromCode(problem);
  return offsets.filter(({ nextOffset }) => nextOffset >= 0);
}
