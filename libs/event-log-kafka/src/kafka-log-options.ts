/** What a log on Kafka is opened with, and what follows from it. */
import { type Clock, SeamError, systemClock } from '@seamstream/kernel';
import { type KafkaLogSink, silent } from './broker-protocol.port.js';
import { type Compression, compressionType } from './compression.js';
import type { ConnectionSettings } from './kafka-connection.js';
import type { KafkaSecurity } from './kafka-security.js';
import type { ProducerSettings } from './producer-session.js';
import { DEFAULT_MAX_BATCH_BYTES } from './record-set.js';

export interface KafkaEventLogOptions {
  /** `host:port` of some brokers of the cluster; the others are found through them. */
  readonly brokers: readonly string[];
  /** How this process is called in the brokers' logs and quotas. */
  readonly clientId?: string;
  readonly security?: KafkaSecurity;
  /**
   * Stands before every name of topics, groups and transactional ids in the cluster, so that several systems share it.
   * Callers do not see it.
   */
  readonly prefix?: string;
  /** Copies of each partition of topics that are created here; the cluster's default when absent. */
  readonly replicationFactor?: number | undefined;
  /** Of record batches. Default zstd. */
  readonly compression?: Compression;
  /**
   * Most bytes of a record batch once decompressed; default 16 MiB. What is more, or has been compressed more than 128 times,
   * is not read: it comes as a record that says so.
   */
  readonly maxBatchBytes?: number;
  /** Time stamps of records that bring none. */
  readonly clock?: Clock;
  /** After how many milliseconds without heartbeat a group's member is replaced; default 10 000, brokers accept 6000 to 1 800 000. */
  readonly sessionTimeoutMs?: number;
  /** Default 1000. A rebalance is noticed by a heartbeat. */
  readonly heartbeatMs?: number;
  /**
   * After how many milliseconds a broker aborts the open transaction of a process that is gone; default 10 000. Readers of
   * the partitions in it wait for that. A transaction is one commit, it holds no handler's time.
   */
  readonly transactionTimeoutMs?: number;
  /** Default 3000. */
  readonly connectTimeoutMs?: number;
  /** Default 30 000. */
  readonly requestTimeoutMs?: number;
  /** How long an operation is tried again before it is LOG_UNAVAILABLE; default 30 000. Consumers wait for as long as it takes. */
  readonly operationTimeoutMs?: number;
  /** Takes log lines, the driver's few and kafkajs' own; silent by default. */
  readonly log?: KafkaLogSink;
}

/** Options with their defaults, by who needs them. */
export interface ResolvedOptions {
  readonly connection: ConnectionSettings;
  readonly producer: ProducerSettings;
  readonly log: Required<
    Pick<KafkaEventLogOptions, 'prefix' | 'clock' | 'sessionTimeoutMs' | 'heartbeatMs' | 'maxBatchBytes'>
  > &
    Pick<KafkaEventLogOptions, 'replicationFactor'>;
}

/** @throws INVALID_CONFIGURATION without a broker, or for one that is not host:port */
export function resolveOptions(options: KafkaEventLogOptions): ResolvedOptions {
  const {
    brokers,
    clientId = 'seamstream',
    security = {},
    compression = 'zstd',
    transactionTimeoutMs = 10_000,
    connectTimeoutMs = 3000,
    requestTimeoutMs = 30_000,
    operationTimeoutMs = 30_000,
    log = silent,
  } = options;
  if (brokers.length === 0)
    throw new SeamError(
      'INVALID_CONFIGURATION',
      'Cannot open the event log on Kafka: expected at least one broker, got none.',
    );
  for (const broker of brokers) {
    if (!/^[^\s:/]+:\d+$/.test(broker)) {
      throw new SeamError(
        'INVALID_CONFIGURATION',
        `Cannot open the event log on Kafka: expected brokers as host:port, got ${JSON.stringify(broker)}.`,
      );
    }
  }
  return {
    connection: { brokers, clientId, security, connectTimeoutMs, requestTimeoutMs, operationTimeoutMs, log },
    producer: { transactionTimeoutMs, requestTimeoutMs, compression: compressionType(compression) },
    log: {
      prefix: options.prefix ?? '',
      clock: options.clock ?? systemClock,
      sessionTimeoutMs: options.sessionTimeoutMs ?? 10_000,
      heartbeatMs: options.heartbeatMs ?? 1000,
      maxBatchBytes: options.maxBatchBytes ?? DEFAULT_MAX_BATCH_BYTES,
      replicationFactor: options.replicationFactor,
    },
  };
}
