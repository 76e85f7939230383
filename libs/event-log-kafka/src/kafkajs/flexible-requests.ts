/** Three requests that kafkajs lacks, or has only in an older version that does less. */
import type { ConsumedOffset } from '@seamstream/event-log';
import type { PartitionPlace, TransactionOfProducer } from '../broker-protocol.port.js';
import { exchange } from './flexible-encoding.js';
import { refusalOf } from './kafkajs-errors.js';
import type { Cluster } from './kafkajs-internals.js';

const OFFSET_FETCH = { key: 9, version: 7, name: 'OffsetFetch' };
const DESCRIBE_TRANSACTIONS = { key: 65, version: 0, name: 'DescribeTransactions' };
const INCREMENTAL_ALTER_CONFIGS = { key: 44, version: 1, name: 'IncrementalAlterConfigs' };
/** org.apache.kafka.common.config.ConfigResource.Type.TOPIC */
export const TOPIC_RESOURCE = 2;
/** org.apache.kafka.clients.admin.AlterConfigOp.OpType.SET */
const SET = 0;

/**
 * Committed offsets of a group with requireStable (KIP-447), which kafkajs' version 4 lacks.
 *
 * OffsetFetch v7, request: group | [topic | [partition i32] | tags] | requireStable bool | tags; response:
 * throttleMs i32 | [topic | [partition i32 | offset i64 | leaderEpoch i32 | metadata | error i16 | tags] | tags] | error i16
 * | tags
 */
export async function fetchGroupOffsets(
  broker: Cluster.Broker,
  group: string,
  places: readonly PartitionPlace[],
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
  if (problem !== 0) throw refusalOf(problem);
  return offsets.filter(({ nextOffset }) => nextOffset >= 0);
}

/**
 * DescribeTransactions v0 (KIP-664, Kafka 3.0), request: [transactionalId] | tags; response: throttleMs i32 | [error i16
 * | transactionalId | state | timeoutMs i32 | startMs i64 | producerId i64 | epoch i16 | [topic | [partition i32] | tags]
 * | tags] | tags
 */
export async function describeTransaction(
  broker: Cluster.Broker,
  transactionalId: string,
): Promise<TransactionOfProducer> {
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
        const producerId = String(reader.int64());
        const producerEpoch = reader.int16();
        reader.list(() => {
          reader.text();
          reader.list(() => reader.int32());
          reader.endOfFields();
        });
        reader.endOfFields();
        return { error, state, producerId, producerEpoch };
      });
    },
  );
  const { error, ...transaction } = found!;
  if (error !== 0) throw refusalOf(error);
  return transaction;
}

/**
 * Sets some settings of topics. kafkajs has only the older AlterConfigs, which resets every setting that it is not given.
 *
 * IncrementalAlterConfigs v1 (KIP-339), request: [type i8 | name | [setting | operation i8 | value | tags] | tags]
 * | validateOnly bool | tags; response: throttleMs i32 | [error i16 | message | type i8 | name | tags] | tags
 */
export async function alterTopicConfigs(
  broker: Cluster.Broker,
  configs: ReadonlyMap<string, Readonly<Record<string, string>>>,
): Promise<void> {
  const problems = await exchange(
    broker,
    INCREMENTAL_ALTER_CONFIGS,
    (writer) =>
      writer
        .list([...configs], ([name, config]) =>
          writer
            .int8(TOPIC_RESOURCE)
            .text(name)
            .list(Object.entries(config), ([setting, value]) =>
              writer.text(setting).int8(SET).text(value).endOfFields(),
            )
            .endOfFields(),
        )
        .boolean(false)
        .endOfFields(),
    (reader) => {
      reader.int32(); // throttled for
      return reader.list(() => {
        const error = reader.int16();
        reader.text(); // message
        reader.int8();
        reader.text(); // name
        reader.endOfFields();
        return error;
      });
    },
  );
  const problem = problems.find((error) => error !== 0);
  if (problem !== undefined) throw refusalOf(problem);
}
