import {
  InMemoryEventLog,
  type LogRecord,
  type NewRecord,
  type ReadOptions,
  type Transaction,
} from '@seamstream/event-log';
import { SeamError } from '@seamstream/kernel';

/** A log in memory that refuses writes on purpose and counts what is read and written. Everything else is the log's own behaviour. */
export class FlakyLog extends InMemoryEventLog {
  /** Transactions so far, refused ones included. */
  writes = 0;
  /** The transaction with this number fails, once. 0: none. */
  failAt = 0;
  /** Every n-th commit of a consumer fails. 0: none. */
  failEvery = 0;
  /** The next commits of a consumer fail with these errors, in this order. */
  failures: SeamError[] = [];
  /** Called before each commit of a consumer. */
  beforeCommit: (records: readonly NewRecord[]) => Promise<void> = async () => undefined;
  /** Records that were read so far, by topic. What a consumer group was given does not count. */
  readonly reads = new Map<string, number>();
  private commits = 0;

  /** The count of one topic in {@link reads}. */
  readOf(topic: string): number {
    return this.reads.get(topic) ?? 0;
  }

  override async *read(options: ReadOptions): AsyncIterable<readonly LogRecord[]> {
    for await (const records of super.read(options)) {
      this.reads.set(options.topic, this.readOf(options.topic) + records.length);
      yield records;
    }
  }

  override async transact(transaction: Transaction): ReturnType<InMemoryEventLog['transact']> {
    if (++this.writes === this.failAt) throw new SeamError('LOG_UNAVAILABLE', 'Cannot append: the log is away.');
    if (transaction.consumed) await this.refuseCommit(transaction.records);
    return super.transact(transaction);
  }

  private async refuseCommit(records: readonly NewRecord[]): Promise<void> {
    await this.beforeCommit(records);
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
    if (this.failEvery > 0 && ++this.commits % this.failEvery === 0)
      throw new SeamError('LOG_FULL', 'Cannot append: the disk is full.');
  }
}
