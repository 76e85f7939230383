/** Where partitions begin and end. */
import type { Broker } from './broker-protocol.port.js';
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
  const byLeader = new Map<Broker, number[]>();
  for (const partition of partitions) {
    const broker = await connection.leader(topic, partition);
    byLeader.set(broker, [...(byLeader.get(broker) ?? []), partition]);
  }
  const found = new Map<number, number>();
  await Promise.all(
    [...byLeader].map(async ([broker, of]) => {
      for (const { partition, offset } of await broker.listOffsets(topic, of, timestamp)) found.set(partition, offset);
    }),
  );
  return found;
}
