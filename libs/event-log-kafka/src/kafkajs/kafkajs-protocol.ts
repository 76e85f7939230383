/**
 * One set of connections to a cluster by kafkajs: its sockets, authentication and metadata, with what is mended around them.
 * docs/adr/0013 says why kafkajs' own consumer and producer are not used.
 */
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ISocketFactory } from 'kafkajs';
import './kafkajs-patches.js';
import type {
  Broker,
  BrokerProtocol,
  BrokerProtocolSettings,
  ClusterMetadata,
  CoordinatorKind,
  TopicPartitions,
} from '../broker-protocol.port.js';
import { tlsOptions } from '../kafka-security.js';
import { KafkajsBroker } from './kafkajs-broker.js';
import { asProtocol, connectFailure } from './kafkajs-errors.js';
import { apiKeys, Cluster, definitions } from './kafkajs-internals.js';
import { kafkajsLogger } from './kafkajs-logger.js';
import { saslOptions } from './kafkajs-sasl.js';

const COORDINATOR_TYPES: Readonly<Record<CoordinatorKind, number>> = { group: 0, transaction: 1 };

export class KafkajsProtocol implements BrokerProtocol {
  private readonly cluster: Cluster;
  private readonly sockets = new Set<Socket>();
  private readonly brokers = new WeakMap<Cluster.Broker, Broker>();
  private isClosed = false;
  private known: { readonly raw: Cluster.Metadata; readonly metadata: ClusterMetadata } | undefined;

  /** Connects to no broker yet. INVALID_CONFIGURATION for TLS files that cannot be used. */
  constructor({ brokers, clientId, security, connectTimeoutMs, requestTimeoutMs, log }: BrokerProtocolSettings) {
    const ssl = tlsOptions(security);
    const sasl = saslOptions(security);
    this.cluster = new Cluster({
      logger: kafkajsLogger((line) => {
        if (!this.isClosed) log(line);
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
      // Every seed once; further tries are the caller's to decide.
      retry: { retries: brokers.length, initialRetryTime: 50, maxRetryTime: 200 },
      allowAutoTopicCreation: false,
    });
    const pool = this.cluster.brokerPool;
    const createBroker = pool.createBroker;
    pool.createBroker = (options) => withConnectDeadline(withTolerantMetadata(createBroker(options)), connectTimeoutMs);
  }

  get metadata(): ClusterMetadata | undefined {
    const raw = this.cluster.brokerPool.metadata;
    if (raw === null) return undefined;
    if (raw !== this.known?.raw) this.known = { raw, metadata: clusterMetadata(raw) };
    return this.known.metadata;
  }

  refresh(): Promise<void> {
    return asProtocol(async () => {
      await this.cluster.connect();
      await this.cluster.refreshMetadata();
    });
  }

  async broker(nodeId: number): Promise<Broker> {
    return this.wrapped(await asProtocol(() => this.cluster.findBroker({ nodeId })));
  }

  async controller(): Promise<Broker> {
    return this.wrapped(await asProtocol(() => this.cluster.findControllerBroker()));
  }

  async findCoordinator(kind: CoordinatorKind, id: string): Promise<number> {
    const question = { groupId: id, coordinatorType: COORDINATOR_TYPES[kind] };
    return asProtocol(async () => {
      // kafkajs' findGroupCoordinatorMetadata hides why it found none: a missing right would be waited for.
      let refusal: unknown;
      const found = await this.cluster.brokerPool.withBroker(({ broker }) =>
        broker.findGroupCoordinator(question).catch((error: unknown) => {
          refusal = error;
          throw error;
        }),
      );
      if (found === null) throw refusal;
      return found.coordinator.nodeId;
    });
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const socket of this.sockets) socket.destroy(new Error('closed by this client'));
    await this.cluster.disconnect().catch(() => undefined); // an unreachable broker needs no goodbye
  }

  private wrapped(broker: Cluster.Broker): Broker {
    const known = this.brokers.get(broker) ?? new KafkajsBroker(broker);
    this.brokers.set(broker, known);
    return known;
  }

  private track(socket: Socket): Socket {
    if (this.isClosed) {
      socket.destroy(new Error('closed by this client'));
      return socket;
    }
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    return socket;
  }
}

/** Without Nagle's algorithm: requests are whole when written, and their answers are waited for. */
function openSocket({ host, port, ssl, onConnect }: Parameters<ISocketFactory>[0]): Socket {
  // Undefined without TLS, although kafkajs' declarations say otherwise.
  const tls = ssl as typeof ssl | undefined;
  const socket = tls
    ? connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}), ...tls }, onConnect)
    : connectPlain({ host, port }, onConnect);
  socket.setNoDelay(true);
  socket.setKeepAlive(true, 60_000);
  return unrefOnce(socket);
}

/**
 * kafkajs closes a dead connection once per request that failed on it, each time with `unref`; on a socket that is not
 * connected Node then adds one more listener each time.
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
 * without a leader, and only those who ask for it get an error.
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
 * Gives up on a broker that accepts the connection and does not speak Kafka: it hangs, or is another service. kafkajs considers
 * such a broker connected, though it knows none of its versions, and never asks the next of the list. The versions are
 * answered from memory, so asking for them takes no additional time.
 */
function withConnectDeadline(broker: Cluster.Broker, timeoutMs: number): Cluster.Broker {
  const address = `${broker.connectionPool.host}:${broker.connectionPool.port}`;
  const connect = broker.connect.bind(broker);
  const apiVersions = broker.apiVersions.bind(broker);
  // Everything that waits on these connections fails at once, as if the other side had gone.
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

function clusterMetadata({ clusterId, topicMetadata }: Cluster.Metadata): ClusterMetadata {
  return { clusterId, topics: new Map(topicMetadata.map((topic) => [topic.topic, topicPartitions(topic)])) };
}

function topicPartitions({ topic, isInternal, partitionMetadata }: Cluster.TopicMetadata): TopicPartitions {
  const leaders: number[] = [];
  for (const { partitionId, leader } of partitionMetadata) leaders[partitionId] = leader;
  return { name: topic, isInternal, leaders, copies: partitionMetadata[0]?.replicas.length ?? 0 };
}
