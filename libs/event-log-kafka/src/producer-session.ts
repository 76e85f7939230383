/**
 * A producer id with its epoch. It makes writing idempotent and, with a transactional id, atomic and fenced. One step at a
 * time. A session that failed is broken for good: it is not known what the broker has of it, and only a new session
 * (InitProducerId) settles that. The owner decides who may open one, since opening fences the previous holder of the id.
 *
 * The steps of a transaction, KIP-98: AddPartitionsToTxn, Produce, AddOffsetsToTxn, TxnOffsetCommit, EndTxn. A request whose
 * connection broke may reach the broker after it was repeated on another connection. Sequence numbers protect records from
 * that. The other requests have none, and would act on the session's next transaction or begin one. So this transaction is
 * the session's last.
 */
import { partitionName } from '@seamstream/event-log';
import { isSeamError, SeamError } from '@seamstream/kernel';
import type { Broker, ProducedRecord, ProducerIdentity } from './broker-protocol.port.js';
import type { KafkaConnection } from './kafka-connection.js';
import { brokerErrorOf, isFenced, notYet, translated } from './kafka-errors.js';

/** Records of one partition that go into one record batch. */
export interface Block {
  readonly topic: string;
  readonly partition: number;
  readonly messages: readonly ProducedRecord[];
}

export interface GroupOffset {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly nextOffset: number;
}

export interface ProducerSettings {
  readonly transactionTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** See compressionType. */
  readonly compression: number;
}

const MAX_SEQUENCE = 2 ** 31 - 1;

export class ProducerSession {
  private readonly sequences = new Map<string, number>();
  private broken: SeamError | undefined;
  /** A request that acts on any open transaction was sent and not answered. */
  private mayArriveLate = false;
  private last: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly connection: KafkaConnection,
    private readonly settings: ProducerSettings,
    private readonly transactionalId: string | undefined,
    private readonly producer: ProducerIdentity,
  ) {}

  /**
   * Asks for a producer id. With a transactional id, its previous producer is fenced from the moment this resolves, and
   * that producer's open transaction has ended: committed if it had got that far, else aborted.
   */
  static async open(
    connection: KafkaConnection,
    settings: ProducerSettings,
    transactionalId?: string,
  ): Promise<ProducerSession> {
    const producer = await connection.attempt('open a producer', async () => {
      const broker = await (transactionalId === undefined
        ? connection.controller()
        : connection.coordinator('transaction', transactionalId));
      return broker.initProducerId(transactionalId, settings.transactionTimeoutMs);
    });
    return new ProducerSession(connection, settings, transactionalId, producer);
  }

  /** Distinguishes this producer from all others that its transactional id ever had. */
  get identity(): ProducerIdentity {
    const { producerId, producerEpoch } = this.producer;
    return { producerId, producerEpoch };
  }

  /** Whether it refuses every further step: one failed, it was ended, or the last is to remain the last. */
  get isBroken(): boolean {
    return this.broken !== undefined;
  }

  /**
   * Writes one block without a transaction: a record batch is there wholly or not at all. Returns the offset of its first
   * record.
   */
  appendBlock(block: Block): Promise<number> {
    return this.step(async () => (await this.produce([block]))[0]!);
  }

  /**
   * Writes all blocks and the offset in one transaction. Returns the offset of each block's first record once the
   * transaction is decided; readers see it when its markers are written, a moment later, see {@link isVisible}. With neither it
   * only finds out whether this producer is fenced.
   */
  commit(blocks: readonly Block[], offset?: GroupOffset): Promise<readonly number[]> {
    return this.step(async () => {
      const transactionalId = this.transactionalId!;
      const { connection } = this;
      const producer = { ...this.producer, transactionalId };
      const coordinator = () => connection.coordinator('transaction', transactionalId);
      let isBegun = false;
      try {
        const baseOffsets: number[] = [];
        if (blocks.length > 0) {
          await this.ask('begin a transaction', coordinator, (broker) => broker.addPartitions(producer, blocks));
          isBegun = true;
          baseOffsets.push(...(await this.produce(blocks)));
        }
        if (offset) {
          const { group } = offset;
          await this.ask('add offsets to a transaction', coordinator, (broker) => broker.addOffsets(producer, group));
          isBegun = true;
          await this.ask(
            'commit offsets',
            () => connection.coordinator('group', group),
            (broker) => broker.commitOffset(producer, group, offset),
          );
        }
        if (!isBegun) await this.assertNewest(transactionalId);
        else {
          await this.ask('commit a transaction', coordinator, (broker) => broker.endTransaction(producer, 'commit'));
        }
        return baseOffsets;
      } catch (error) {
        // Readers wait for the end of an open transaction. Where this does not arrive, the next owner's InitProducerId or
        // the transaction's time-out ends it.
        if (isBegun && !isFenced(error) && !isSeamError(error, 'FENCED')) {
          await coordinator()
            .then((broker) => broker.endTransaction(producer, 'abort'))
            .catch(() => undefined);
        }
        throw error;
      }
    });
  }

  /** Resolves when readers see the last transaction. LOG_UNAVAILABLE when that takes longer than an operation may. */
  async isVisible(): Promise<void> {
    const transactionalId = this.transactionalId!;
    await this.connection.attempt('wait for the markers of a transaction', async () => {
      const broker = await this.connection.coordinator('transaction', transactionalId);
      if ((await broker.transactionOf(transactionalId)).state === 'PrepareCommit')
        throw notYet('CONCURRENT_TRANSACTIONS');
    });
  }

  /** A transaction of nothing asks the coordinator for nothing, so nothing would be refused. @throws FENCED */
  private async assertNewest(transactionalId: string): Promise<void> {
    const newest = await this.connection.attempt('look for a newer producer', async () => {
      const broker = await this.connection.coordinator('transaction', transactionalId);
      return broker.transactionOf(transactionalId);
    });
    const { producerId, producerEpoch } = this.producer;
    if (newest.producerId === producerId && newest.producerEpoch === producerEpoch) return;
    throw new SeamError(
      'FENCED',
      `Cannot commit: expected producer ${producerId} of epoch ${producerEpoch}, got ${newest.producerId} of epoch ${newest.producerEpoch}, which has taken its place.`,
    );
  }

  /** Refuses every further step. */
  end(reason: SeamError): void {
    this.broken ??= reason;
  }

  /** A request of a transaction, again and again where that may help; notes whether one was left without an answer. */
  private ask<T>(
    operation: string,
    coordinator: () => Promise<Broker>,
    request: (broker: Broker) => Promise<T>,
  ): Promise<T> {
    return this.connection.attempt(operation, async () => {
      const broker = await coordinator();
      try {
        return await request(broker);
      } catch (error) {
        // A broker's refusal is an answer, too.
        if (brokerErrorOf(error) === undefined) this.mayArriveLate = true;
        throw error;
      }
    });
  }

  private step<T>(act: () => Promise<T>): Promise<T> {
    const done = this.last
      .catch(() => undefined)
      .then(async () => {
        if (this.broken) throw this.broken;
        try {
          const result = await act();
          if (this.mayArriveLate)
            this.end(new SeamError('FENCED', 'Cannot commit: a request of this producer is on its way.'));
          return result;
        } catch (error) {
          const seam = translated('commit', error);
          this.broken ??= new SeamError(
            'FENCED',
            `Cannot commit: an earlier step of this producer failed (${seam.message}), so it may write no more.`,
            { cause: seam },
          );
          throw seam;
        }
      });
    this.last = done;
    return done;
  }

  /** Blocks of different partitions side by side, those of one partition one after the other. */
  private async produce(blocks: readonly Block[]): Promise<number[]> {
    const baseOffsets = new Array<number>(blocks.length);
    const byPartition = Map.groupBy(blocks.entries(), ([, { topic, partition }]) => partitionName(topic, partition));
    await Promise.all(
      [...byPartition.values()].map(async (entries) => {
        for (const [index, block] of entries) baseOffsets[index] = await this.produceBlock(block);
      }),
    );
    return baseOffsets;
  }

  private async produceBlock({ topic, partition, messages }: Block): Promise<number> {
    const name = partitionName(topic, partition);
    const firstSequence = this.sequences.get(name) ?? 0;
    const { transactionalId, producer, settings } = this;
    const baseOffset = await this.connection.attempt(`append to ${name}`, async () => {
      const broker = await this.connection.leader(topic, partition);
      // A second try carries the same sequence number: the broker answers it with the offset of the first.
      return broker.produce({
        producer,
        transactionalId,
        topic,
        partition,
        firstSequence,
        records: messages,
        compression: settings.compression,
        timeoutMs: settings.requestTimeoutMs,
      });
    });
    const next = firstSequence + messages.length;
    this.sequences.set(name, next > MAX_SEQUENCE ? next - MAX_SEQUENCE - 1 : next);
    return baseOffset;
  }
}
