/** A cluster's topics with all their settings: to look at, to make, and to change where nothing is lost. */
import type { KafkaConnection } from './kafka-connection.js';
import type { ExistingTopic } from './topic-plan.js';

/** Of the given topics those that exist, by name. */
export async function describeTopics(
  connection: KafkaConnection,
  names: readonly string[],
): Promise<Map<string, ExistingTopic>> {
  await connection.attempt('describe topics', () => connection.refresh());
  const known = names.flatMap((name) => connection.topics().get(name) ?? []);
  if (known.length === 0) return new Map();
  const configs = await connection.attempt('describe topics', async () =>
    (await connection.controller()).topicConfigs(known.map(({ name }) => name)),
  );
  return new Map(
    known.map(({ name, leaders, copies }) => {
      const config = configs.get(name) ?? {};
      return [name, { name, partitions: leaders.length, replicationFactor: copies, config }];
    }),
  );
}

/** Creates topics. One that another process has created in the meantime stays as it is. */
export async function createMissingTopics(
  connection: KafkaConnection,
  topics: readonly {
    readonly name: string;
    readonly partitions: number;
    readonly replicationFactor?: number | undefined;
    readonly config: Readonly<Record<string, string>>;
  }[],
): Promise<void> {
  await connection.attempt('create topics', async () => {
    const controller = await connection.controller();
    const refusals = await controller.createTopics(
      topics.map(({ replicationFactor = -1, ...topic }) => ({ ...topic, replicationFactor })),
      connection.settings.requestTimeoutMs,
    );
    const refusal = refusals.find(({ type }) => type !== 'TOPIC_ALREADY_EXISTS');
    if (refusal !== undefined) throw refusal;
  });
}

/** Sets settings of topics and leaves all others as they are. */
export async function setTopicConfigs(
  connection: KafkaConnection,
  configs: ReadonlyMap<string, Readonly<Record<string, string>>>,
): Promise<void> {
  await connection.attempt('change settings of topics', async () => {
    await (await connection.controller()).alterTopicConfigs(configs);
  });
}
