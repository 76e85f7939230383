/** What the promises of the event log are tried on: one storage, a log on it, and short ways to write, read and consume. */
import { ManualClock, newId, type SeamError } from '@seamstream/kernel';
import { eventually as patiently } from '@seamstream/testing';
import type { ConsumeOptions, EventLog, LogRecord, NewRecord, RecordBatch, Subscription } from '../event-log.js';

/** One storage under test. */
export interface EventLogUnderTest {
  /** A log on the storage; each call stands for another process. Logs take their time from the clock. */
  open(): Promise<EventLog>;
  /** Removes the storage; all logs are closed by then. */
  dispose(): Promise<void>;
}

export interface EventLogContractOptions {
  /** How long a group may take to share its partitions again, and a record to arrive; milliseconds. A suite's own timeout must exceed it. */
  readonly settleMs?: number;
  /** How long to look for something that must not happen; milliseconds. */
  readonly quietMs?: number;
}

export const text = (value: Uint8Array | null): string | null => value && Buffer.from(value).toString();
export const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);
export const valuesOf = (records: readonly LogRecord[]) => records.map((record) => text(record.value));
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export async function refusalOf(action: Promise<unknown>): Promise<SeamError> {
  return action.then(
    () => {
      throw new Error('expected a refusal, but the call succeeded');
    },
    (error: unknown) => error as SeamError,
  );
}

/** A member of a group, as a test wants it. */
interface Member {
  readonly group: string;
  readonly topics: string[];
  readonly from?: 'earliest' | 'latest';
  readonly maxBatchRecords?: number;
  readonly sharing?: 'spread' | 'whole';
  readonly turn?: number;
  readonly onBatch?: (batch: RecordBatch) => Promise<void>;
}

export class LogScene {
  readonly clock = new ManualClock(1_700_000_000_000);
  private storage!: EventLogUnderTest;
  private opened: EventLog[] = [];
  private subscriptions: Subscription[] = [];
  private shared!: EventLog;

  constructor(
    private readonly create: (clock: ManualClock) => Promise<EventLogUnderTest>,
    readonly settleMs: number,
    readonly quietMs: number,
  ) {}

  /** One storage and one log for all tests: opening costs most of the time, and fresh names keep tests apart. */
  readonly begin = async (): Promise<void> => {
    this.storage = await this.create(this.clock);
    this.shared = await this.storage.open();
  };

  readonly end = async (): Promise<void> => {
    await this.shared.close();
    await this.storage.dispose();
  };

  /** Closes what one test has opened. */
  readonly endTest = async (): Promise<void> => {
    const [subscriptions, opened] = [this.subscriptions, this.opened];
    [this.subscriptions, this.opened] = [[], []];
    await Promise.all(subscriptions.map((one) => one.close()));
    await Promise.all(opened.map((one) => one.close()));
  };

  /** The log that all tests share. */
  get log(): EventLog {
    return this.shared;
  }

  readonly open = async (): Promise<EventLog> => {
    const another = await this.storage.open();
    this.opened.push(another);
    return another;
  };

  readonly consume = async (target: EventLog, options: ConsumeOptions): Promise<Subscription> => {
    const subscription = await target.consume(options);
    this.subscriptions.push(subscription);
    return subscription;
  };

  readonly topicWith = async (partitions: number): Promise<string> => {
    const topic = `topic-${newId()}`;
    await this.log.createTopics([{ name: topic, partitions }]);
    return topic;
  };

  readonly group = (): string => `group-${newId()}`;

  readonly record = (topic: string, value: string | null, extra: Partial<NewRecord> = {}): NewRecord => ({
    topic,
    key: null,
    value: value === null ? null : bytes(value),
    partition: 0,
    ...extra,
  });

  readonly numbered = (topic: string, count: number, extra: Partial<NewRecord> = {}): NewRecord[] =>
    Array.from({ length: count }, (_, index) => this.record(topic, `${index}`, extra));

  readonly readAll = async (topic: string, partition = 0, from = 0, reader = this.log): Promise<LogRecord[]> => {
    const records: LogRecord[] = [];
    for await (const chunk of reader.read({ topic, partition, from })) records.push(...chunk);
    return records;
  };

  readonly eventually = (check: () => unknown): Promise<void> => patiently(check, { withinMs: this.settleMs });

  readonly commit = (
    target: EventLog,
    batch: RecordBatch,
    records: readonly NewRecord[] = [],
    upTo = batch.records.length,
  ) =>
    target.transact({
      records,
      consumed: {
        claim: batch.claim,
        offsets: [{ topic: batch.topic, partition: batch.partition, nextOffset: batch.records[upTo - 1]!.offset + 1 }],
      },
    });

  /** A member that commits every batch and keeps what it saw. */
  readonly collect = async (
    target: EventLog,
    options: Member,
  ): Promise<{ seen: LogRecord[]; batches: RecordBatch[]; subscription: Subscription }> => {
    const seen: LogRecord[] = [];
    const batches: RecordBatch[] = [];
    const subscription = await this.consume(target, {
      group: options.group,
      topics: options.topics,
      from: options.from ?? 'earliest',
      maxBatchRecords: options.maxBatchRecords ?? 100,
      sharing: options.sharing ?? 'spread',
      ...(options.turn === undefined ? {} : { turn: options.turn }),
      onBatch: async (batch) => {
        await options.onBatch?.(batch);
        await this.commit(target, batch);
        seen.push(...batch.records);
        batches.push(batch);
      },
    });
    return { seen, batches, subscription };
  };
}
