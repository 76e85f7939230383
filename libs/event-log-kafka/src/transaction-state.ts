import type Cluster from 'kafkajs/src/cluster/index.js';
import errors from 'kafkajs/src/protocol/error.js';
import { exchange } from './flexible-encoding.js';

const DESCRIBE_TRANSACTIONS = { key: 65, version: 0, name: 'DescribeTransactions' };

/**
 * Where a transactional id stands, in its coordinator's words: PrepareCommit while the markers of a decided transaction are
 * being written, CompleteCommit afterwards.
 *
 * DescribeTransactions v0 (KIP-664, Kafka 3.0), request: [transactionalId] | tags; response: throttleMs i32 | [error i16
 * | transactionalId | state | timeoutMs i32 | startMs i64 | producerId i64 | epoch i16 | [topic | [partition i32] | tags]
 * | tags] | tags
 */
export async function transactionState(broker: Cluster.Broker, transactionalId: string): Promise<string> {
  const [found] = await exchange(
    broker,
    DESCRIBE_TRANSACTIONS,
    (writer) => writer.list([transactionalId], (id) => writer.text(id)).endOfFields(),
    (reader) => {
      reader.int32(); // throttled for
      return reader.list(() => {
        const error = reader.int16();
        reader.text(); // the id
        const state = reader.text();
        reader.int32();
        reader.int64();
        reader.int64();
        reader.int16();
        reader.list(() => {
          reader.text();
          reader.list(() => reader.int32());
          reader.endOfFields();
        });
        reader.endOfFields();
        return { error, state };
      });
    },
  );
  if (found!.error !== 0) throw errors.createErrorFromCode(found!.error);
  return found!.state;
}
