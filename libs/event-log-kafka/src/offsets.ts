/** Where partitions begin and end, and how far groups have read. */
import type { ConsumedOffset } from '@seamstream/event-log';
import type Cluster from 'kafkajs/src/cluster/index.js';
import Encoder from 'kafkajs/src/protocol/encoder.js';
import errors from 'kafkajs/src/protocol/error.js';
import apiKeys from 'kafkajs/src/protocol/requests/apiKeys.js';
import { READ_COMMITTED } from './fetching.js';
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

/**
 * The committed offsets of a group, of all its topics or of the given places. Waits out open transactions that commit
 * offsets (requireStable, KIP-447), which kafkajs' own request of version 4 cannot.
 *
 * OffsetFetch v7, request: tags | group | [topic | [partition i32] | tags] | requireStable bool | tags; response: tags
 * | throttleMs i32 | [topic | [partition i32 | offset i64 | leaderEpoch i32 | metadata | error i16 | tags] | tags]
 * | error i16 | tags. Lengths are unsigned varints, one more than the length. The first tags belong to the header, which
 * kafkajs writes in its older form.
 */
export async function fetchGroupOffsets(
  broker: Cluster.Broker,
  group: string,
  places?: readonly { readonly topic: string; readonly partition: number }[],
): Promise<ConsumedOffset[]> {
  return broker.connectionPool.send<ConsumedOffset[]>({
    request: {
      apiKey: apiKeys.OffsetFetch,
      apiVersion: 7,
      apiName: 'OffsetFetch',
      encode: async () => {
        const encoder = new Encoder();
        const text = (value: string): void => {
          const bytes = Buffer.from(value);
          encoder.writeUVarInt(bytes.length + 1).writeBuffer(bytes);
        };
        encoder.writeInt8(0);
        text(group);
        if (!places) {
          encoder.writeUVarInt(0);
        } else {
          const byTopic = Map.groupBy(places, ({ topic }) => topic);
          encoder.writeUVarInt(byTopic.size + 1);
          for (const [topic, of] of byTopic) {
            text(topic);
            encoder.writeUVarInt(of.length + 1);
            for (const { partition } of of) encoder.writeInt32(partition);
            encoder.writeInt8(0);
          }
        }
        return encoder.writeBoolean(true).writeInt8(0);
      },
    },
    response: { decode: async (payload) => readGroupOffsets(payload), parse: async (decoded) => decoded },
  });
}

function readGroupOffsets(payload: Buffer): ConsumedOffset[] {
  let at = 1 + 4;
  const uvarint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = payload[at++]!;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const skipTags = (): void => {
    for (let left = uvarint(); left > 0; left--) {
      uvarint();
      at += uvarint();
    }
  };
  const text = (): string => {
    const length = Math.max(0, uvarint() - 1);
    at += length;
    return payload.toString('utf8', at - length, at);
  };
  const refuse = (code: number): void => {
    if (code !== 0) throw errors.createErrorFromCode(code);
  };
  const offsets: ConsumedOffset[] = [];
  for (let topics = uvarint() - 1; topics > 0; topics--) {
    const topic = text();
    for (let partitions = uvarint() - 1; partitions > 0; partitions--) {
      const partition = payload.readInt32BE(at);
      const nextOffset = Number(payload.readBigInt64BE(at + 4));
      at += 16;
      text(); // metadata
      refuse(payload.readInt16BE(at));
      at += 2;
      skipTags();
      if (nextOffset >= 0) offsets.push({ topic, partition, nextOffset });
    }
    skipTags();
  }
  refuse(payload.readInt16BE(at));
  return offsets;
}
