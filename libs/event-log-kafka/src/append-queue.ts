/**
 * Appends without offsets, in the order in which they came. While one step is under way, those that wait are gathered and
 * go together in the next, each whole. One record batch needs no transaction to be atomic; several do.
 */
import type { RecordPosition } from '@seamstream/event-log';
import { isSeamError, SeamError } from '@seamstream/kernel';
import type { KafkaConnection } from './kafka-connection.js';
import { ProducerSession, type ProducerSettings } from './producer-session.js';
import { blocksOf, type PlacedRecord } from './record-blocks.js';

/** Most bytes that are gathered into one step. */
const MAX_STEP_BYTES = 8 * 1024 ** 2;

interface Waiting {
  readonly records: readonly PlacedRecord[];
  readonly bytes: number;
  readonly resolve: (positions: readonly RecordPosition[]) => void;
  readonly reject: (error: unknown) => void;
}

export class AppendQueue {
  private readonly waiting: Waiting[] = [];
  private readonly sessions: { plain?: ProducerSession; transactional?: ProducerSession } = {};
  private draining: Promise<void> | undefined;

  /** @param transactionalId no other producer has it */
  constructor(
    private readonly connection: KafkaConnection,
    private readonly settings: ProducerSettings,
    private readonly transactionalId: string,
  ) {}

  /** Resolves when readers see the records. */
  append(records: readonly PlacedRecord[]): Promise<readonly RecordPosition[]> {
    return new Promise((resolve, reject) => {
      const bytes = records.reduce((sum, record) => sum + record.bytes, 0);
      this.waiting.push({ records, bytes, resolve, reject });
      this.draining ??= this.drain().finally(() => (this.draining = undefined));
    });
  }

  /** Resolves when nothing waits any more. */
  async quiet(): Promise<void> {
    await this.draining;
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      let bytes = 0;
      let count = 0;
      while (count < this.waiting.length && (count === 0 || bytes + this.waiting[count]!.bytes <= MAX_STEP_BYTES))
        bytes += this.waiting[count++]!.bytes;
      await this.writeTogether(this.waiting.splice(0, count));
    }
  }

  private async writeTogether(calls: readonly Waiting[]): Promise<void> {
    try {
      const positions = await this.write(calls.flatMap(({ records }) => records));
      let at = 0;
      for (const { records, resolve } of calls) resolve(positions.slice(at, (at += records.length)));
    } catch (error) {
      // One call's records must not fail the others, unless no call can write.
      if (calls.length > 1 && !isSeamError(error, 'LOG_UNAVAILABLE')) {
        for (const call of calls) await this.writeTogether([call]);
      } else {
        for (const { reject } of calls) reject(error);
      }
    }
  }

  private async write(records: readonly PlacedRecord[]): Promise<readonly RecordPosition[]> {
    const { blocks, positionsAt } = blocksOf(records);
    try {
      if (blocks.length === 1) {
        const session = await this.session('plain');
        return positionsAt([await session.appendBlock(blocks[0]!)]);
      }
      const session = await this.session('transactional');
      const baseOffsets = await session.commit(blocks);
      await session.isVisible();
      return positionsAt(baseOffsets);
    } catch (error) {
      if (!isSeamError(error, 'FENCED')) throw error;
      // No other producer has this id: the coordinator has given the transaction up because it took too long.
      throw new SeamError(
        'LOG_UNAVAILABLE',
        `Cannot append: the broker has aborted the transaction. ${error.message}`,
        {
          cause: error,
        },
      );
    }
  }

  private async session(kind: 'plain' | 'transactional'): Promise<ProducerSession> {
    const present = this.sessions[kind];
    if (present && !present.isBroken) return present;
    const id = kind === 'plain' ? undefined : this.transactionalId;
    return (this.sessions[kind] = await ProducerSession.open(this.connection, this.settings, id));
  }
}
