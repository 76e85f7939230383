/** The topics of one log in a cluster: which exist, which are missing, and how they differ from the wanted ones. */
import { checkTopicSpec, partitionConflict, type TopicSpec, unknownTopic } from '@seamstream/event-log';
import type { TopicPartitions } from './broker-protocol.port.js';
import type { ClusterNames } from './cluster-names.js';
import type { KafkaConnection } from './kafka-connection.js';
import { notYet } from './kafka-errors.js';
import { createMissingTopics, describeTopics, setTopicConfigs } from './kafka-topics.js';
import { compareTopics, type TopicDifference, type WantedTopic } from './topic-plan.js';

export class ClusterTopics {
  /** @param replicationFactor of topics that are created; the cluster's default when undefined */
  constructor(
    private readonly connection: KafkaConnection,
    private readonly names: ClusterNames,
    private readonly replicationFactor: number | undefined,
  ) {}

  /** By a caller's name, as of the last refresh. */
  known(topic: string): TopicPartitions | undefined {
    return this.connection.topics().get(this.names.physical(topic));
  }

  /** All topics of this log, by the cluster's names. */
  visible(): TopicPartitions[] {
    const { prefix } = this.names;
    return [...this.connection.topics().values()].filter(
      ({ name, isInternal }) => !isInternal && name.startsWith(prefix),
    );
  }

  /** All topics of this log, by callers' names; asks the cluster. */
  async list(): Promise<readonly TopicSpec[]> {
    await this.connection.attempt('list topics', () => this.connection.refresh());
    return this.visible().map(({ name, leaders }) => ({
      name: this.names.logical(name),
      partitions: leaders.length,
    }));
  }

  /** @throws UNKNOWN_TOPIC without such a topic or partition */
  async find(operation: string, topic: string, partition?: number): Promise<TopicPartitions> {
    if (!this.known(topic)) await this.connection.attempt(operation, () => this.connection.refresh());
    const found = this.known(topic);
    if (!found) {
      const names = this.visible().map(({ name }) => this.names.logical(name));
      throw unknownTopic(operation, topic, names);
    }
    if (partition !== undefined && found.leaders[partition] === undefined)
      throw unknownTopic(operation, topic, [topic], partition);
    return found;
  }

  /** @throws CONFLICT for a topic with another number of partitions; then none is created */
  async create(topics: readonly TopicSpec[]): Promise<void> {
    for (const spec of topics) checkTopicSpec(spec);
    const { connection } = this;
    await connection.attempt('create topics', () => connection.refresh());
    const missing: TopicSpec[] = [];
    for (const spec of topics) {
      const existing = this.known(spec.name)?.leaders.length;
      if (existing === undefined) missing.push(spec);
      else if (existing !== spec.partitions) throw partitionConflict(spec.name, existing, spec.partitions);
    }
    if (missing.length === 0) return;
    await createMissingTopics(
      connection,
      // A log keeps what it has until a person decides otherwise.
      missing.map(({ name, partitions }) => ({
        name: this.names.physical(name),
        partitions,
        replicationFactor: this.replicationFactor,
        config: { 'retention.ms': '-1' },
      })),
    );
    await this.awaitLeaders(missing);
  }

  /** Changes nothing. */
  async compare(wanted: readonly WantedTopic[]): Promise<readonly TopicDifference[]> {
    const physical = wanted.map((topic) => ({ ...topic, name: this.names.physical(topic.name) }));
    const existing = await describeTopics(
      this.connection,
      physical.map(({ name }) => name),
    );
    return compareTopics(physical, existing).map((difference) => ({
      ...difference,
      topic: this.names.logical(difference.topic),
    }));
  }

  /** Creates missing topics and sets settings, as far as no record is lost; returns the differences from before. */
  async apply(wanted: readonly WantedTopic[]): Promise<readonly TopicDifference[]> {
    for (const topic of wanted) checkTopicSpec(topic);
    const differences = await this.compare(wanted);
    const missing = new Set(differences.filter(({ what }) => what === 'topic').map(({ topic }) => topic));
    if (missing.size > 0) {
      const { replicationFactor } = this;
      const topics = wanted.filter(({ name }) => missing.has(name));
      await createMissingTopics(
        this.connection,
        topics.map((topic) => ({ replicationFactor, ...topic, name: this.names.physical(topic.name) })),
      );
      await this.awaitLeaders(topics);
    }
    const settings = new Map<string, Record<string, string>>();
    for (const { topic, setting, wanted: value, refused } of differences) {
      if (setting === undefined || refused !== null) continue;
      const name = this.names.physical(topic);
      settings.set(name, { ...settings.get(name), [setting]: value });
    }
    if (settings.size > 0) await setTopicConfigs(this.connection, settings);
    return differences;
  }

  private async awaitLeaders(topics: readonly TopicSpec[]): Promise<void> {
    const { connection } = this;
    await connection.attempt('wait for the topics that were created', async () => {
      await connection.refresh();
      for (const { name, partitions } of topics) {
        const found = this.known(name);
        if (found && found.leaders.length !== partitions)
          throw partitionConflict(name, found.leaders.length, partitions);
        for (let partition = 0; partition < partitions; partition++) {
          if (connection.leaderIdOf(this.names.physical(name), partition) === undefined)
            throw notYet('LEADER_NOT_AVAILABLE');
        }
      }
    });
  }
}
