/**
 * One set of connections to a cluster: who leads a partition, who coordinates a group or a transactional id, and the rule
 * by which a request is tried again. A broker answers the requests of one connection one after the other, so requests
 * that may wait (a long fetch, a join) have a separate set.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { SeamError } from '@seamstream/kernel';
import type {
  Broker,
  BrokerProtocol,
  BrokerProtocolSettings,
  CoordinatorKind,
  TopicPartitions,
} from './broker-protocol.port.js';
import { notYet, remedyFor, translated } from './kafka-errors.js';
import { KafkajsProtocol } from './kafkajs/kafkajs-protocol.js';

export interface ConnectionSettings extends BrokerProtocolSettings {
  /** How long an operation is tried again before it is LOG_UNAVAILABLE. */
  readonly operationTimeoutMs: number;
}

const FIRST_RETRY_MS = 2;
const MAX_RETRY_MS = 500;
/** After this long without an answer of any broker the log says that it waits. */
const REMARK_AFTER_MS = 3000;
/** Where none is known, as before the first refresh. */
const NO_TOPICS: ReadonlyMap<string, TopicPartitions> = new Map();

export class KafkaConnection {
  private readonly protocol: BrokerProtocol;
  private readonly coordinators = new Map<string, number>();
  private readonly ended = new AbortController();
  /** When the brokers were first asked in vain; undefined while they answer. */
  private unansweredSince: number | undefined;
  private hasRemarked = false;

  constructor(readonly settings: ConnectionSettings) {
    this.protocol = new KafkajsProtocol(settings);
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

  /** Asks the cluster again about brokers, topics and leaders. */
  async refresh(): Promise<void> {
    this.unansweredSince ??= performance.now();
    const remarkInMs = this.unansweredSince + REMARK_AFTER_MS - performance.now();
    const remark = setTimeout(() => this.remarkWaiting(), Math.max(0, remarkInMs));
    try {
      await this.protocol.refresh();
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
    return this.protocol.metadata?.topics ?? NO_TOPICS;
  }

  /** The broker that leads a partition. To be called within {@link attempt}. */
  async leader(topic: string, partition: number): Promise<Broker> {
    let nodeId = this.topics().get(topic)?.leaders[partition];
    if (nodeId === undefined || nodeId < 0) {
      await this.refresh();
      nodeId = this.topics().get(topic)?.leaders[partition];
    }
    if (nodeId === undefined) {
      throw new SeamError(
        'UNKNOWN_TOPIC',
        `Cannot find the leader of ${topic}/${partition}: Kafka does not have this partition.`,
        {
          details: { topic, partition },
        },
      );
    }
    if (nodeId < 0) throw notYet('LEADER_NOT_AVAILABLE');
    return this.protocol.broker(nodeId);
  }

  leaderIdOf(topic: string, partition: number): number | undefined {
    const nodeId = this.topics().get(topic)?.leaders[partition];
    return nodeId === undefined || nodeId < 0 ? undefined : nodeId;
  }

  /** A broker by its id. To be called within {@link attempt}. */
  node(nodeId: number): Promise<Broker> {
    return this.protocol.broker(nodeId);
  }

  /** The broker that answers for a group or a transactional id. To be called within {@link attempt}. */
  async coordinator(kind: CoordinatorKind, id: string): Promise<Broker> {
    const key = `${kind} ${id}`;
    let nodeId = this.coordinators.get(key);
    if (nodeId === undefined) {
      if (this.protocol.metadata === undefined) await this.refresh();
      nodeId = await this.protocol.findCoordinator(kind, id);
      this.coordinators.set(key, nodeId);
    }
    return this.protocol.broker(nodeId);
  }

  /** To be called within {@link attempt}. */
  async clusterId(): Promise<string> {
    if (this.protocol.metadata === undefined) await this.refresh();
    return this.protocol.metadata!.clusterId;
  }

  /** To be called within {@link attempt}. */
  async controller(): Promise<Broker> {
    if (this.protocol.metadata === undefined) await this.refresh();
    return this.protocol.controller();
  }

  /** Ends all requests that wait; idempotent. */
  async close(): Promise<void> {
    if (this.ended.signal.aborted) return;
    this.ended.abort();
    await this.protocol.close();
  }

  private assertOpen(operation: string): void {
    if (this.ended.signal.aborted)
      throw new SeamError('LOG_UNAVAILABLE', `Cannot ${operation} on Kafka: this log was closed. Open it again.`);
  }
}
