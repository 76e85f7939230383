/** One broker's requests by kafkajs, in the port's words. */
import type { ConsumedOffset } from '@seamstream/event-log';
import kafkajs from 'kafkajs';
import type {
  AclEntry,
  Broker,
  BrokerRefusal,
  FetchedSet,
  FetchPlace,
  GroupAssignment,
  GroupGeneration,
  JoinedGroup,
  JoinRequest,
  NewTopic,
  PartitionPlace,
  ProduceRequest,
  ProducerIdentity,
  TransactionalProducer,
  TransactionOfProducer,
} from '../broker-protocol.port.js';
import { readFetchAnswer } from './fetch-answer.js';
import { alterTopicConfigs, describeTransaction, fetchGroupOffsets, TOPIC_RESOURCE } from './flexible-requests.js';
import './kafkajs-codecs.js';
import { asProtocol, protocolError } from './kafkajs-errors.js';
import { type Cluster, fetchRequest } from './kafkajs-internals.js';

const { AssignerProtocol } = kafkajs;

/** Kafka's code for "only what is committed". */
const READ_COMMITTED = 1;
/** Most bytes of an answer: the protocol's default for consumers is 50 MB, too much to hold per broker. */
const MAX_ANSWER_BYTES = 8 * 1024 ** 2;
/** As `max.partition.fetch.bytes` of Kafka's own consumer. A larger batch comes whole nevertheless (KIP-74). */
const MAX_PARTITION_BYTES = 1024 ** 2;
const ALL_REPLICAS = -1;
/** Matches any type, pattern, operation and permission of an ACL. */
const ANY = 1;

export class KafkajsBroker implements Broker {
  constructor(private readonly broker: Cluster.Broker) {}

  get nodeId(): number {
    return this.broker.nodeId;
  }

  // Topics and rights.

  topicConfigs(topics: readonly string[]): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
    return asProtocol(async () => {
      const resources = topics.map((name) => ({ type: TOPIC_RESOURCE, name }));
      const answer = await this.broker.describeConfigs({ resources });
      return new Map(
        answer.resources.map(({ resourceName, configEntries }) => [
          resourceName,
          Object.fromEntries(configEntries.map(({ configName, configValue }) => [configName, configValue ?? ''])),
        ]),
      );
    });
  }

  async createTopics(topics: readonly NewTopic[], timeoutMs: number): Promise<readonly BrokerRefusal[]> {
    try {
      await this.broker.createTopics({
        topics: topics.map(({ name, partitions, replicationFactor, config }) => ({
          topic: name,
          numPartitions: partitions,
          replicationFactor,
          configEntries: Object.entries(config).map(([key, value]) => ({ name: key, value })),
        })),
        timeout: timeoutMs,
      });
      return [];
    } catch (error) {
      const { errors } = error as { errors?: readonly Error[] };
      if (errors === undefined) throw protocolError(error);
      return errors.map((refused) => protocolError(refused) as BrokerRefusal);
    }
  }

  alterTopicConfigs(configs: ReadonlyMap<string, Readonly<Record<string, string>>>): Promise<void> {
    return asProtocol(() => alterTopicConfigs(this.broker, configs));
  }

  acls(): Promise<readonly AclEntry[]> {
    return asProtocol(async () => {
      const { resources } = await this.broker.describeAcls({
        resourceType: ANY,
        resourceName: null,
        resourcePatternType: ANY,
        principal: null,
        host: null,
        operation: ANY,
        permissionType: ANY,
      });
      return resources.flatMap(({ acls, resourceType, resourceName, resourcePatternType }) =>
        acls.map((acl) => ({ ...acl, resourceType, resourceName, patternType: resourcePatternType })),
      );
    });
  }

  async createAcls(entries: readonly AclEntry[]): Promise<void> {
    await asProtocol(() => this.broker.createAcls({ acl: entries.map(aclForKafkajs) }));
  }

  async deleteAcls(entries: readonly AclEntry[]): Promise<void> {
    await asProtocol(() => this.broker.deleteAcls({ filters: entries.map(aclForKafkajs) }));
  }

  // Writing.

  initProducerId(transactionalId: string | undefined, transactionTimeoutMs: number): Promise<ProducerIdentity> {
    return asProtocol(() => this.broker.initProducerId({ transactionalId, transactionTimeout: transactionTimeoutMs }));
  }

  async addPartitions(producer: TransactionalProducer, places: readonly PartitionPlace[]): Promise<void> {
    const topics = [...Map.groupBy(places, ({ topic }) => topic)].map(([topic, of]) => ({
      topic,
      partitions: [...new Set(of.map(({ partition }) => partition))],
    }));
    await asProtocol(() => this.broker.addPartitionsToTxn({ ...producer, topics }));
  }

  async addOffsets(producer: TransactionalProducer, group: string): Promise<void> {
    await asProtocol(() => this.broker.addOffsetsToTxn({ ...producer, groupId: group }));
  }

  async commitOffset(producer: TransactionalProducer, group: string, offset: ConsumedOffset): Promise<void> {
    const { topic, partition, nextOffset } = offset;
    const topics = [{ topic, partitions: [{ partition, offset: String(nextOffset) }] }];
    await asProtocol(() => this.broker.txnOffsetCommit({ ...producer, groupId: group, topics }));
  }

  async endTransaction(producer: TransactionalProducer, decision: 'commit' | 'abort'): Promise<void> {
    await asProtocol(() => this.broker.endTxn({ ...producer, transactionResult: decision === 'commit' }));
  }

  transactionOf(transactionalId: string): Promise<TransactionOfProducer> {
    return asProtocol(() => describeTransaction(this.broker, transactionalId));
  }

  produce(request: ProduceRequest): Promise<number> {
    const { producer, transactionalId, topic, partition, firstSequence, records, compression, timeoutMs } = request;
    return asProtocol(async () => {
      const { topics } = await this.broker.produce({
        ...producer,
        ...(transactionalId === undefined ? {} : { transactionalId }),
        topicData: [{ topic, partitions: [{ partition, firstSequence, messages: records }] }],
        acks: ALL_REPLICAS,
        timeout: timeoutMs,
        compression,
      });
      return Number(topics[0]!.partitions[0]!.baseOffset);
    });
  }

  // Reading.

  fetch(places: readonly FetchPlace[], maxWaitMs: number): Promise<readonly FetchedSet[]> {
    const request = fetchRequest({
      replicaId: -1,
      isolationLevel: READ_COMMITTED,
      maxWaitTime: maxWaitMs,
      minBytes: 1,
      maxBytes: MAX_ANSWER_BYTES,
      topics: [...Map.groupBy(places, ({ topic }) => topic)].map(([topic, wanted]) => ({
        topic,
        partitions: wanted.map(({ partition, from }) => ({
          partition,
          fetchOffset: String(from),
          maxBytes: MAX_PARTITION_BYTES,
        })),
      })),
    });
    return asProtocol(() =>
      this.broker.connectionPool.send<readonly FetchedSet[]>({
        request,
        response: { decode: async (payload) => readFetchAnswer(payload), parse: async (decoded) => decoded },
      }),
    );
  }

  listOffsets(
    topic: string,
    partitions: readonly number[],
    timestamp: number,
  ): Promise<readonly { readonly partition: number; readonly offset: number }[]> {
    return asProtocol(async () => {
      const { responses } = await this.broker.listOffsets({
        replicaId: -1,
        isolationLevel: READ_COMMITTED,
        topics: [{ topic, partitions: partitions.map((partition) => ({ partition, timestamp })) }],
      });
      return responses[0]!.partitions.map(({ partition, offset }) => ({ partition, offset: Number(offset) }));
    });
  }

  groupOffsets(group: string, places: readonly PartitionPlace[]): Promise<readonly ConsumedOffset[]> {
    return asProtocol(() => fetchGroupOffsets(this.broker, group, places));
  }

  // Groups.

  joinGroup(request: JoinRequest): Promise<JoinedGroup> {
    const { group, memberId, sessionTimeoutMs, rebalanceTimeoutMs, protocol, topics, userData } = request;
    const metadata = AssignerProtocol.MemberMetadata.encode({ version: 0, topics: [...topics], userData });
    return asProtocol(async () => {
      const joined = await this.broker.joinGroup({
        groupId: group,
        sessionTimeout: sessionTimeoutMs,
        rebalanceTimeout: rebalanceTimeoutMs,
        memberId,
        groupProtocols: [{ name: protocol, metadata }],
      });
      const members = joined.members.map((member) => {
        const { topics: of, userData: data } = AssignerProtocol.MemberMetadata.decode(member.memberMetadata)!;
        return { memberId: member.memberId, topics: of, userData: data };
      });
      return { generationId: joined.generationId, leaderId: joined.leaderId, memberId: joined.memberId, members };
    });
  }

  syncGroup(of: GroupGeneration, assignments: ReadonlyMap<string, GroupAssignment>): Promise<GroupAssignment> {
    const groupAssignment = [...assignments].map(([memberId, partitions]) => {
      const assignment = Object.fromEntries(Object.entries(partitions).map(([topic, each]) => [topic, [...each]]));
      const userData = Buffer.alloc(0);
      return {
        memberId,
        memberAssignment: AssignerProtocol.MemberAssignment.encode({ version: 0, assignment, userData }),
      };
    });
    const { group, generationId, memberId } = of;
    return asProtocol(async () => {
      const answer = await this.broker.syncGroup({ groupId: group, generationId, memberId, groupAssignment });
      return AssignerProtocol.MemberAssignment.decode(answer.memberAssignment)?.assignment ?? {};
    });
  }

  async heartbeat({ group, generationId, memberId }: GroupGeneration): Promise<void> {
    await asProtocol(() => this.broker.heartbeat({ groupId: group, groupGenerationId: generationId, memberId }));
  }

  async leaveGroup(group: string, memberId: string): Promise<void> {
    await asProtocol(() => this.broker.leaveGroup({ groupId: group, memberId }));
  }
}

function aclForKafkajs({ patternType, ...entry }: AclEntry): Cluster.AclEntry {
  return { ...entry, resourcePatternType: patternType };
}
