/**
 * What this log asks of a Kafka cluster, request by request: one seam between the log's own rules (ownership, transactions,
 * retries, reading) and a client library, which brings sockets, authentication, metadata and the encoding of requests.
 * `kafkajs/` implements it; nothing else in this library knows a client library.
 *
 * Every method either answers or throws one of the three errors at the end of this file. None is repeated here: whether
 * another try may help is the caller's decision, see kafka-errors.ts.
 */
import type { ConsumedOffset } from '@seamstream/event-log';
import type { KafkaSecurity } from './kafka-security.js';

/** Where log lines go: the client library's and the driver's few. What needs an action reaches the caller as an error. */
export type KafkaLogSink = (line: {
  readonly level: 'error' | 'warn' | 'info';
  readonly message: string;
  readonly broker?: string;
  /** A line of this driver, for the operator of the process; the others come from the client library, for diagnosis. */
  readonly isOwn?: true;
}) => void;

export const silent: KafkaLogSink = () => undefined;

export interface BrokerProtocolSettings {
  /** `host:port` of at least one broker. */
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly security: KafkaSecurity;
  readonly connectTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly log: KafkaLogSink;
}

export interface TopicPartitions {
  readonly name: string;
  readonly isInternal: boolean;
  /** Node id by partition; -1 while a partition has no leader. */
  readonly leaders: readonly number[];
  /** Brokers that have a copy of each partition. */
  readonly copies: number;
}

export interface ClusterMetadata {
  readonly clusterId: string;
  readonly topics: ReadonlyMap<string, TopicPartitions>;
}

/** org.apache.kafka.clients.CoordinatorType */
export type CoordinatorKind = 'group' | 'transaction';

/** One set of connections to a cluster. A broker answers the requests of one set in order. */
export interface BrokerProtocol {
  /** As of the last refresh, the same object until the next; undefined before the first. */
  readonly metadata: ClusterMetadata | undefined;
  /** Connects where necessary and asks for brokers, topics and leaders. A topic without a leader is not an error. */
  refresh(): Promise<void>;
  /** A broker of the metadata, connected. */
  broker(nodeId: number): Promise<Broker>;
  controller(): Promise<Broker>;
  /** Node id of the broker that coordinates a group or a transactional id. */
  findCoordinator(kind: CoordinatorKind, id: string): Promise<number>;
  /** Ends all pending requests. Idempotent. */
  close(): Promise<void>;
}

export interface PartitionPlace {
  readonly topic: string;
  readonly partition: number;
}

export interface ProducerIdentity {
  readonly producerId: string;
  readonly producerEpoch: number;
}

/** The newest producer of a transactional id, and its last transaction. */
export interface TransactionOfProducer extends ProducerIdentity {
  /** In the coordinator's words: PrepareCommit while markers are being written, CompleteCommit afterwards. */
  readonly state: string;
}

export interface TransactionalProducer extends ProducerIdentity {
  readonly transactionalId: string;
}

/** A record to be written, with bytes for all that is not text. */
export interface ProducedRecord {
  readonly key: string | Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, string | readonly Buffer[]>>;
  /** Milliseconds since 1970, in decimal. */
  readonly timestamp: string;
}

export interface ProduceRequest extends PartitionPlace {
  readonly producer: ProducerIdentity;
  /** Absent for an idempotent append without a transaction. */
  readonly transactionalId?: string | undefined;
  readonly firstSequence: number;
  /** They become one record batch. */
  readonly records: readonly ProducedRecord[];
  /** See compressionType. */
  readonly compression: number;
  /** How long the broker may wait for all in-sync replicas. */
  readonly timeoutMs: number;
}

export interface FetchPlace extends PartitionPlace {
  readonly from: number;
}

export interface AbortedTransaction {
  readonly producerId: number;
  readonly firstOffset: number;
}

/** What a broker answered about one partition: record batches as they are stored, see record-set.ts. */
export interface FetchedSet extends PartitionPlace {
  readonly refusal: BrokerRefusal | undefined;
  /** The last stable offset: where committed records end. */
  readonly high: number;
  readonly low: number;
  readonly aborted: readonly AbortedTransaction[];
  readonly set: Buffer;
}

export interface JoinRequest {
  readonly group: string;
  readonly memberId: string;
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  /** The name of the assignment protocol, which all members share. */
  readonly protocol: string;
  readonly topics: readonly string[];
  readonly userData: Buffer;
}

export interface JoinedGroup {
  readonly generationId: number;
  readonly leaderId: string;
  readonly memberId: string;
  /** Filled for the leader alone. */
  readonly members: readonly {
    readonly memberId: string;
    readonly topics: readonly string[];
    readonly userData: Buffer;
  }[];
}

/** Partitions by topic. */
export type GroupAssignment = Readonly<Record<string, readonly number[]>>;

export interface GroupGeneration {
  readonly group: string;
  readonly generationId: number;
  readonly memberId: string;
}

export interface NewTopic {
  readonly name: string;
  readonly partitions: number;
  /** -1: the cluster's default. */
  readonly replicationFactor: number;
  readonly config: Readonly<Record<string, string>>;
}

/** Codes of org.apache.kafka.common.resource and .acl. */
export interface AclEntry {
  readonly resourceType: number;
  readonly resourceName: string;
  readonly patternType: number;
  readonly principal: string;
  readonly host: string;
  readonly operation: number;
  readonly permissionType: number;
}

export interface Broker {
  readonly nodeId: number;

  /** Settings by name, by topic. */
  topicConfigs(topics: readonly string[]): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>>;
  /** Creates topics; answers with one refusal per topic that was not created. */
  createTopics(topics: readonly NewTopic[], timeoutMs: number): Promise<readonly BrokerRefusal[]>;
  /** Sets the named settings and leaves all others as they are. */
  alterTopicConfigs(configs: ReadonlyMap<string, Readonly<Record<string, string>>>): Promise<void>;
  /** All entries of the cluster. */
  acls(): Promise<readonly AclEntry[]>;
  createAcls(entries: readonly AclEntry[]): Promise<void>;
  deleteAcls(entries: readonly AclEntry[]): Promise<void>;

  /** With a transactional id: fences the former holder and ends its open transaction. */
  initProducerId(transactionalId: string | undefined, transactionTimeoutMs: number): Promise<ProducerIdentity>;
  addPartitions(producer: TransactionalProducer, places: readonly PartitionPlace[]): Promise<void>;
  addOffsets(producer: TransactionalProducer, group: string): Promise<void>;
  commitOffset(producer: TransactionalProducer, group: string, offset: ConsumedOffset): Promise<void>;
  endTransaction(producer: TransactionalProducer, decision: 'commit' | 'abort'): Promise<void>;
  transactionOf(transactionalId: string): Promise<TransactionOfProducer>;
  /** Returns the offset of the first record. */
  produce(request: ProduceRequest): Promise<number>;

  /**
   * Committed records of several partitions. Waits up to `maxWaitMs` for the first byte. Throws LOG_CORRUPT for bytes that
   * are not an answer.
   */
  fetch(places: readonly FetchPlace[], maxWaitMs: number): Promise<readonly FetchedSet[]>;
  /** By partition, see offsets.ts for the meaning of `timestamp`. */
  listOffsets(
    topic: string,
    partitions: readonly number[],
    timestamp: number,
  ): Promise<readonly { readonly partition: number; readonly offset: number }[]>;
  /** Where the places have one. An open transaction that commits offsets is a refusal, UNSTABLE_OFFSET_COMMIT (KIP-447). */
  groupOffsets(group: string, places: readonly PartitionPlace[]): Promise<readonly ConsumedOffset[]>;

  joinGroup(request: JoinRequest): Promise<JoinedGroup>;
  /** The leader sends everybody's assignment, the others none; each gets its own. */
  syncGroup(of: GroupGeneration, assignments: ReadonlyMap<string, GroupAssignment>): Promise<GroupAssignment>;
  heartbeat(of: GroupGeneration): Promise<void>;
  leaveGroup(group: string, memberId: string): Promise<void>;
}

/** The broker answered with an error. */
export class BrokerRefusal extends Error {
  override readonly name = 'BrokerRefusal';

  /** @param type the error's name, e.g. NOT_LEADER_FOR_PARTITION; undefined-code errors are UNKNOWN */
  constructor(
    readonly type: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** No answer: no connection, a connection that ended, a time-out, or bytes that are not Kafka's. Trying again may help. */
export class BrokerUnreachable extends Error {
  override readonly name = 'BrokerUnreachable';
}

/** One of the two does not trust the other: credentials, certificates, TLS itself. Trying again does not help. */
export class BrokerDistrust extends Error {
  override readonly name = 'BrokerDistrust';

  /** @param type the broker's error where it answered with one */
  constructor(
    message: string,
    readonly type?: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
