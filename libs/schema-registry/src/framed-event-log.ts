/**
 * Any event log, its records in Confluent's framing. This is the one place that knows of it: what is appended is translated
 * from single-object encoding, what is read is translated back, so that everybody else sees what they see without a
 * registry. Records in either framing may lie side by side.
 *
 * A record whose schema id is not known yet is looked up before it is handed on. While the registry is down it waits: what
 * precedes it in its partition is handed on, what follows it keeps its order, other partitions do not notice. An
 * id that the registry does not have stays as it is; decoding it is UNKNOWN_SCHEMA.
 */
import {
  type ConsumeOptions,
  type EventLog,
  ForwardingEventLog,
  type LogRecord,
  type NewRecord,
  partitionName,
  type ReadOptions,
  type RecordBatch,
  type RecordPosition,
  type Subscription,
  type Transaction,
} from '@seamstream/event-log';
import { backoffMs, isSeamError, type SeamError, sleep } from '@seamstream/kernel';
import type { KnownSchemas } from './known-schemas.js';

export interface FramedEventLogOptions {
  readonly log: EventLog;
  readonly schemas: KnownSchemas;
  /** Called before each wait for a registry that is down. */
  readonly onWait?: (error: SeamError, waitMs: number) => void;
  /** Wait before the second question; doubles with each further one. Default 100. */
  readonly firstRetryMs?: number;
  /** Longest wait between two questions, milliseconds. Default 5000. */
  readonly maxRetryMs?: number;
}

export class FramedEventLog extends ForwardingEventLog {
  private readonly schemas: KnownSchemas;
  /** Questions in a row that stayed unanswered, by partition. */
  private readonly failures = new Map<string, number>();

  constructor(private readonly options: FramedEventLogOptions) {
    super(options.log);
    this.schemas = options.schemas;
  }

  override append(records: readonly NewRecord[]): Promise<readonly RecordPosition[]> {
    return this.log.append(this.framed(records));
  }

  override transact(transaction: Transaction): Promise<readonly RecordPosition[]> {
    return this.log.transact({ ...transaction, records: this.framed(transaction.records) });
  }

  override consume(options: ConsumeOptions): Promise<Subscription> {
    return this.log.consume({ ...options, onBatch: (batch) => this.deliver(batch, options.onBatch) });
  }

  /** As the port says, and SCHEMA_REGISTRY_UNAVAILABLE when a schema has to be looked up and cannot be. */
  override async *read(options: ReadOptions): AsyncIterable<readonly LogRecord[]> {
    for await (const records of this.log.read(options)) {
      await this.schemas.settle(records.map(({ value }) => value));
      yield this.unframed(records);
    }
  }

  override async *follow(options: Parameters<EventLog['follow']>[0]): AsyncIterable<readonly LogRecord[]> {
    for await (const records of this.log.follow(options)) {
      for (let failures = 1; ; failures++) {
        const outage = await this.outageIn(records);
        if (outage === undefined) break;
        await this.wait(outage, failures, options.signal);
        if (options.signal.aborted) return;
      }
      yield this.unframed(records);
    }
  }

  /** Hands on what stands before the first record that has to wait; without any, waits, and the log delivers it again. */
  private async deliver(batch: RecordBatch, onBatch: ConsumeOptions['onBatch']): Promise<void> {
    const partition = partitionName(batch.topic, batch.partition);
    const outage = await this.outageIn(batch.records);
    const firstOpen =
      outage === undefined
        ? -1
        : batch.records.findIndex(({ value }) => value !== null && !this.schemas.isSettled(value));
    if (outage !== undefined && firstOpen === 0) {
      const failures = (this.failures.get(partition) ?? 0) + 1;
      this.failures.set(partition, failures);
      await this.wait(outage, failures, batch.signal);
      return;
    }
    this.failures.delete(partition);
    const ready = firstOpen < 0 ? batch.records : batch.records.slice(0, firstOpen);
    await onBatch({ ...batch, records: this.unframed(ready) });
  }

  private async outageIn(records: readonly LogRecord[]): Promise<SeamError | undefined> {
    try {
      await this.schemas.settle(records.map(({ value }) => value));
      return undefined;
    } catch (error) {
      if (isSeamError(error, 'SCHEMA_REGISTRY_UNAVAILABLE')) return error;
      throw error;
    }
  }

  private async wait(outage: SeamError, failures: number, signal: AbortSignal): Promise<void> {
    const { firstRetryMs = 100, maxRetryMs = 5_000, onWait } = this.options;
    const waitMs = backoffMs(failures, { firstRetryMs, maxRetryMs });
    onWait?.(outage, waitMs);
    await sleep(waitMs, signal);
  }

  private framed(records: readonly NewRecord[]): readonly NewRecord[] {
    return records.map((record) => {
      const value = record.value && this.schemas.framed(record.value);
      return value === record.value ? record : { ...record, value };
    });
  }

  private unframed(records: readonly LogRecord[]): readonly LogRecord[] {
    return records.map((record) => {
      const value = record.value && this.schemas.unframed(record.value);
      return value === record.value ? record : { ...record, value };
    });
  }
}
