/**
 * Follows the log and folds what it shows, from every publisher: the live view and the driver of rounds know nothing else. A process
 * that was killed resumes where the log ends.
 */

import type { ConsumedOffset, EventLog, LogRecord } from '@seamstream/event-log';
import { TOPIC } from '@seamstream/events';
import { eventOf, readRecords } from '@seamstream/log-reader';
import { type Ledger, ledgerProjection } from '@seamstream/read-models';
import { evolveLoopProgress, initialLoopProgress, type LoopProgress } from './round-progress.js';

const FOLLOWED = [
  TOPIC.problems,
  TOPIC.experiences,
  TOPIC.outcomes,
  TOPIC.buffer,
  TOPIC.training,
  TOPIC.adapters,
  TOPIC.deadLetters,
];

export class WatchLogHandler {
  private folded: LoopProgress = initialLoopProgress();
  private readonly ledgerState = ledgerProjection.initialState();

  constructor(private readonly log: EventLog) {}

  /** What the log has shown so far. */
  get progress(): LoopProgress {
    return this.folded;
  }

  /** Every problem accounted for, as `seam ledger` does it. */
  get ledger(): Ledger {
    return ledgerProjection.read(this.ledgerState);
  }

  /**
   * Reads what is recorded, then follows until the signal aborts.
   * @param react is awaited after the history, so that nothing is decided on half of it, and after every chunk
   */
  async handle(signal: AbortSignal, react: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    const from = await this.readHistory();
    await react();
    for await (const records of this.log.follow({ topics: FOLLOWED, from, signal })) {
      this.fold(records);
      await react();
      if (signal.aborted) break;
    }
  }

  private fold(records: readonly LogRecord[]): void {
    for (const record of records) {
      const event = eventOf(record, 'skip');
      if (event === undefined) continue;
      this.folded = evolveLoopProgress(this.folded, event);
      ledgerProjection.evolve(this.ledgerState, event, record);
    }
  }

  /** Folds all that is recorded, and returns where it ends. */
  private async readHistory(): Promise<readonly ConsumedOffset[]> {
    const ends: ConsumedOffset[] = [];
    for (const topic of FOLLOWED) {
      for (const { partition, low, high } of await this.log.watermarks(topic)) {
        for await (const { records } of readRecords(this.log, [{ topic, partition, from: low, to: high }]))
          this.fold(records);
        ends.push({ topic, partition, nextOffset: high });
      }
    }
    return ends;
  }
}
