/**
 * One set of connections to a cluster: who leads a partition, who coordinates a group or a transactional id, and the rule
 * by which a request is tried again. A broker answers the requests of one connection one after the other, so whatever may
 * wait (a long fetch, a join) has a set of its own.
 */
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import './kafkajs-patches.js';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { SeamError } from '@seamstream/kernel';
import type { ISocketFactory } from 'kafkajs';
import Cluster from 'kafkajs/src/cluster/index.js';
import apiKeys from 'kafkajs/src/protocol/requests/apiKeys.js';
import definitions from 'kafkajs/src/protocol/requests/index.js';
import { connectFailure, NotYet, remedyFor, translated } from './kafka-errors.js';
import { type KafkaLogSink, kafkaLogger } from './kafka-logger.js';
import { type KafkaSecurity, saslOptions, tlsOptions } from './kafka-security.js';

export interface ConnectionSettings {
  /** `host:port` of at least one broker. */
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly security: KafkaSecurity;
  readonly connectTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** How long an operation is tried again before it is LOG_UNAVAILABLE. */
  readonly operationTimeoutMs: number;
  readonly log: KafkaLogSink;
}

export interface TopicPartitions {
  readonly name: string;
  readonly isInternal: boolean;
  /** Node id by partition; -1 while none leads. */
  readonly leaders: readonly number[];
  /** Brokers that have a copy of each partition. */
  readonly copies: number;
}

const FIRST_RETRY_MS = 2;
const MAX_RETRY_MS = 500;
/** After this long without an answer of any broker the log says that it waits. */
const REMARK_AFTER_MS = 3000;
/** org.apache.kafka.clients.CoordinatorType */
const COORDINATOR_TYPES = { group: 0, transaction: 1 } as const;

export type CoordinatorKind = keyof typeof COORDINATOR_TYPES;

export class KafkaConnection {
  private readonly cluster: Cluster;
  private readonly coordinators = new Map<string, number>();
  private readonly ended = new AbortController();
  private readonly sockets = new Set<Socket>();
  /** When the brokers were first asked in vain; undefined while they answer. */
  private unansweredSince: number | undefined;
  private hasRemarked = false;
  private topicsOf: Cluster.Metadata | undefined;
  private byName = new Map<string, TopicPartitions>();

  constructor(readonly settings: ConnectionSettings) {
    const { brokers, clientId, security, connectTimeoutMs, requestTimeoutMs, log } = settings;
    const ssl = tlsOptions(security);
    const sasl = saslOptions(security);
    this.cluster = new Cluster({
      logger: kafkaLogger((line) => {
        if (!this.ended.signal.aborted) log(line);
      }),
      socketFactory: (options: Parameters<ISocketFactory>[0]) => this.track(openSocket(options)),
      brokers,
      clientId,
      ...(ssl === undefined ? {} : { ssl }),
      ...(sasl === undefined ? {} : { sasl }),
      connectionTimeout: connectTimeoutMs,
      authenticationTimeout: requestTimeoutMs,
      requestTimeout: requestTimeoutMs,
      enforceRequestTimeout: true,
      reauthenticationThreshold: 10_000,
      metadataMaxAge: 0,
      // Every seed once; what comes after that is `attempt`'s to decide.
      retry: { retries: brokers.length, initialRetryTime: 50, maxRetryTime: 200 },
      allowAutoTopicCreation: false,
    });
    const pool = this.cluster.brokerPool;
    const createBroker = pool.createBroker;
    pool.createBroker = (options) => thatBreaksOff(withTolerantMetadata(createBroker(options)), connectTimeoutMs);
  }

  /** Does something with the cluster, again and again where that may help. Throws SeamErrors only. */
  async attempt<T>(
    operation: string,
    act: () => Promise<T>,
    { timeoutMs = this.settings.operationTimeoutMs }: { timeoutMs?: number } = {},
  ): Promise<T> {
    const deadline = performance.now() + timeoutMs;
    for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(waitMs * 2, MAX_RETRY_MS)) {
      this.assertOpen(operation);
      try {
        return await act();
      } catch (error) {
        this.assertOpen(operation);
        const remedy = remedyFor(error);
        if (remedy === 'none' || performance.now() + waitMs > deadline)
          throw translated(operation, error, this.settings.brokers);
        if (remedy === 'refresh') {
          this.coordinators.clear();
          // The next attempt says what is wrong if it still is, except that refused credentials stay refused.
          await this.refresh().catch((failure: unknown) => {
            if (remedyFor(failure) === 'none') throw translated(operation, failure, this.settings.brokers);
          });
        }
      }
      await delay(waitMs, undefined, { signal: this.ended.signal }).catch(() => undefined);
    }
  }

  /** Asks the cluster anew about brokers, topics and leaders. */
  async refresh(): Promise<void> {
    this.unansweredSince ??= performance.now();
    const remarkInMs = this.unansweredSince + REMARK_AFTER_MS - performance.now();
    const remark = setTimeout(() => this.remarkWaiting(), Math.max(0, remarkInMs));
    try {
      await this.cluster.connect();
      await this.cluster.refreshMetadata();
      this.unansweredSince = undefined;
      this.hasRemarked = false;
    } finally {
      clearTimeout(remark);
    }
  }

  /** Once until a broker answers again. */
  private remarkWaiting(): void {
    const { brokers, log } = this.settings;
    if (this.hasRemarked || this.ended.signal.aborted) return;
    this.hasRemarked = true;
    const message = `waiting for brokers: none of ${brokers.join(', ')} has answered yet`;
    log({ level: 'warn', message, isOwn: true });
  }

  /** All topics as of the last refresh. */
  topics(): ReadonlyMap<string, TopicPartitions> {
    const { metadata } = this.cluster.brokerPool;
    if (metadata && metadata !== this.topicsOf) {
      this.topicsOf = metadata;
      this.byName = new Map(metadata.topicMetadata.map((topic) => [topic.topic, topicPartitions(topic)]));
    }
    return this.byName;
  }

  /** The broker that leads a partition. To be called within {@link attempt}. */
  async leader(topic: string, partition: number): Promise<Cluster.Broker> {
    let nodeId = this.topics().get(topic)?.leaders[partition];
    if (nodeId === undefined || nodeId < 0) {
      await this.refresh();
      nodeId = this.topics().get(topic)?.leaders[partition];
    }
    if (nodeId === undefined) {
      throw new SeamError('UNKNOWN_TOPIC', `Kafka has no partition ${partition} of topic ${topic} (any more).`, {
        details: { topic, partition },
      });
    }
    if (nodeId < 0) throw new NotYet('LEADER_NOT_AVAILABLE');
    return this.cluster.findBroker({ nodeId });
  }

  leaderIdOf(topic: string, partition: number): number | undefined {
    const nodeId = this.topics().get(topic)?.leaders[partition];
    return nodeId === undefined || nodeId < 0 ? undefined : nodeId;
  }

  /** A broker by its id. To be called within {@link attempt}. */
  node(nodeId: number): Promise<Cluster.Broker> {
    return this.cluster.findBroker({ nodeId });
  }

  /** The broker that answers for a group or a transactional id. To be called within {@link attempt}. */
  async coordinator(kind: CoordinatorKind, id: string): Promise<Cluster.Broker> {
    const key = `${kind} ${id}`;
    let nodeId = this.coordinators.get(key);
    if (nodeId === undefined) {
      if (this.cluster.brokerPool.metadata === null) await this.refresh();
      const question = { groupId: id, coordinatorType: COORDINATOR_TYPES[kind] };
      // kafkajs' findGroupCoordinatorMetadata keeps to itself why none could be found: a right that lacks would be waited for.
      let refusal: unknown;
      const found = await this.cluster.brokerPool.withBroker(({ broker }) =>
        broker.findGroupCoordinator(question).catch((error: unknown) => {
          refusal = error;
          throw error;
        }),
      );
      if (found === null) throw refusal;
      nodeId = found.coordinator.nodeId;
      this.coordinators.set(key, nodeId);
    }
    return this.cluster.findBroker({ nodeId });
  }

  /** To be called within {@link attempt}. */
  async clusterId(): Promise<string> {
    if (this.cluster.brokerPool.metadata === null) await this.refresh();
    return this.cluster.brokerPool.metadata!.clusterId;
  }

  /** To be called within {@link attempt}. */
  async controller(): Promise<Cluster.Broker> {
    if (this.cluster.brokerPool.metadata === null) await this.refresh();
    return this.cluster.findControllerBroker();
  }

  /** Ends all requests that wait; idempotent. */
  async close(): Promise<void> {
    if (this.ended.signal.aborted) return;
    this.ended.abort();
    for (const socket of this.sockets) socket.destroy(new Error('closed by this client'));
    await this.cluster.disconnect().catch(() => undefined); // what cannot be reached need not be left politely
  }

  private track(socket: Socket): Socket {
    if (this.ended.signal.aborted) {
      socket.destroy(new Error('closed by this client'));
      return socket;
    }
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    return socket;
  }

  private assertOpen(operation: string): void {
    if (this.ended.signal.aborted)
      throw new SeamError('LOG_UNAVAILABLE', `${operation} on Kafka: this log was closed. Open it again.`);
  }
}

/** Without Nagle's algorithm: requests are whole when written, and their answers are waited for. */
function openSocket({ host, port, ssl, onConnect }: Parameters<ISocketFactory>[0]): Socket {
  // Undefined without TLS, whatever kafkajs' declarations say.
  const tls = ssl as typeof ssl | undefined;
  const socket = tls
    ? connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}), ...tls }, onConnect)
    : connectPlain({ host, port }, onConnect);
  socket.setNoDelay(true);
  socket.setKeepAlive(true, 60_000);
  return unrefOnce(socket);
}

/**
 * kafkajs takes leave of a dead connection once for every request that failed on it, each time with `unref`; of a socket that
 * is not connected Node then waits for its connection, with one more listener each time.
 */
function unrefOnce(socket: Socket): Socket {
  const unref = socket.unref.bind(socket);
  let isUnref = false;
  socket.unref = () => {
    if (!isUnref && !socket.destroyed) unref();
    isUnref = true;
    return socket;
  };
  return socket;
}

/**
 * kafkajs refuses the metadata of all topics when one of them, anybody's, has no leader. Here such a topic has partitions
 * without a leader, and only those who ask for it are told.
 */
function withTolerantMetadata(broker: Cluster.Broker): Cluster.Broker {
  broker.metadata = async () => {
    const exchange = broker.lookupRequest(
      apiKeys.Metadata,
      definitions.requests.Metadata,
    )({
      topics: [],
      allowAutoTopicCreation: false,
    });
    return broker.connectionPool.send({
      request: exchange.request,
      response: { decode: (payload) => exchange.response.decode(payload), parse: async (decoded) => decoded },
    });
  };
  return broker;
}

/**
 * Breaks off with a broker that takes the connection and does not get as far as a Kafka conversation: hung, or no Kafka at
 * all. kafkajs takes such a one for connected, though it knows no versions of it, and never asks the next of the list. What
 * a broker can do is answered from memory, so it is given no longer than the connection.
 */
function thatBreaksOff(broker: Cluster.Broker, timeoutMs: number): Cluster.Broker {
  const address = `${broker.connectionPool.host}:${broker.connectionPool.port}`;
  const connect = broker.connect.bind(broker);
  const apiVersions = broker.apiVersions.bind(broker);
  // All that waits on these connections fails at once, as if the other side had gone.
  const breakOff = (reason: string): void => {
    for (const { socket } of broker.connectionPool.pool) socket?.destroy(new Error(reason));
  };
  broker.apiVersions = async () => {
    const tooLong = setTimeout(() => breakOff(`${address} did not answer within ${timeoutMs} ms`), timeoutMs);
    try {
      return await apiVersions();
    } finally {
      clearTimeout(tooLong);
    }
  };
  broker.connect = async () => {
    try {
      await connect();
    } catch (error) {
      const failure = connectFailure(error, address);
      if (failure !== error) breakOff('broken off');
      throw failure;
    }
  };
  return broker;
}

function topicPartitions({ topic, isInternal, partitionMetadata }: Cluster.TopicMetadata): TopicPartitions {
  const leaders: number[] = [];
  for (const { partitionId, leader } of partitionMetadata) leaders[partitionId] = leader;
  return { name: topic, isInternal, leaders, copies: partitionMetadata[0]?.replicas.length ?? 0 };
}
