/** A cluster's topics with all their settings: to look at, to make, and to change where nothing is lost. */
import type Cluster from 'kafkajs/src/cluster/index.js';
import errors from 'kafkajs/src/protocol/error.js';
import { exchange } from './flexible-encoding.js';
import type { KafkaConnection } from './kafka-connection.js';
import { brokerErrorOf } from './kafka-errors.js';
import type { ExistingTopic } from './topic-plan.js';

/** org.apache.kafka.common.config.ConfigResource.Type.TOPIC */
const TOPIC_RESOURCE = 2;
const INCREMENTAL_ALTER_CONFIGS = { key: 44, version: 1, name: 'IncrementalAlterConfigs' };
/** org.apache.kafka.clients.admin.AlterConfigOp.OpType.SET */
const SET = 0;

/** Of the given topics those that exist, by name. */
export async function describeTopics(
  connection: KafkaConnection,
  names: readonly string[],
): Promise<Map<string, ExistingTopic>> {
  await connection.attempt('describing topics', () => connection.refresh());
  const known = names.flatMap((name) => connection.topics().get(name) ?? []);
  if (known.length === 0) return new Map();
  const { resources } = await connection.attempt('describing topics', async () =>
    (await connection.controller()).describeConfigs({
      resources: known.map(({ name }) => ({ type: TOPIC_RESOURCE, name })),
    }),
  );
  return new Map(
    known.map(({ name, leaders, copies }) => {
      const entries = resources.find(({ resourceName }) => resourceName === name)?.configEntries ?? [];
      const config = Object.fromEntries(entries.map(({ configName, configValue }) => [configName, configValue ?? '']));
      return [name, { name, partitions: leaders.length, replicationFactor: copies, config }];
    }),
  );
}

/** Makes topics that may have been made by somebody else in the meantime: then nothing happens to them. */
export async function createMissingTopics(
  connection: KafkaConnection,
  topics: readonly {
    readonly name: string;
    readonly partitions: number;
    readonly replicationFactor?: number | undefined;
    readonly config: Readonly<Record<string, string>>;
  }[],
): Promise<void> {
  await connection.attempt('creating topics', async () => {
    const controller = await connection.controller();
    await controller
      .createTopics({
        topics: topics.map(({ name, partitions, replicationFactor = -1, config }) => ({
          topic: name,
          numPartitions: partitions,
          replicationFactor,
          configEntries: Object.entries(config).map(([key, value]) => ({ name: key, value })),
        })),
        timeout: connection.settings.requestTimeoutMs,
      })
      .catch((error: unknown) => {
        // One error per topic.
        const failures = (error as { errors?: readonly Error[] }).errors ?? [error as Error];
        const failure = failures.find((one) => brokerErrorOf(one) !== 'TOPIC_ALREADY_EXISTS');
        if (failure !== undefined) throw failure;
      });
  });
}

/**
 * Sets settings of topics and leaves all others as they are. kafkajs has only the older AlterConfigs, which resets what it is
 * not told.
 *
 * IncrementalAlterConfigs v1 (KIP-339), request: [type i8 | name | [setting | operation i8 | value | tags] | tags]
 * | validateOnly bool | tags; response: throttleMs i32 | [error i16 | message | type i8 | name | tags] | tags
 */
export async function setTopicConfigs(
  connection: KafkaConnection,
  configs: ReadonlyMap<string, Readonly<Record<string, string>>>,
): Promise<void> {
  await connection.attempt('changing settings of topics', async () => {
    const problems = await alterConfigs(await connection.controller(), configs);
    const problem = problems.find((error) => error !== 0);
    if (problem !== undefined) throw errors.createErrorFromCode(problem);
  });
}

function alterConfigs(
  broker: Cluster.Broker,
  configs: ReadonlyMap<string, Readonly<Record<string, string>>>,
): Promise<number[]> {
  return exchange(
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
}
