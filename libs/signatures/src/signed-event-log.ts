/**
 * Any event log, with what is vouched for signed on the way in and checked on the way out. This is the one place that does so: a caller that
 * reads plans, adapters, promotions or versions of the buffer sees only those that are believed, and needs no further rule.
 *
 * A record that is not believed is skipped and reported; it stays in the log, where `seam adapters verify` lists it.
 */
import {
  type ConsumeOptions,
  type EventLog,
  ForwardingEventLog,
  type LogRecord,
  type NewRecord,
  type ReadOptions,
  type RecordPosition,
  type Subscription,
  type Transaction,
} from '@seamstream/event-log';
import { decodeEvent, encodeEvent, type SeamEvent, TOPIC } from '@seamstream/events';
import { isSeamError, SeamError } from '@seamstream/kernel';
import { assertWouldBeBelieved, attest, checkAttestation, isAttested, type Trust } from './attestation.js';
import type { SigningKey } from './keys.js';

export interface SignedEventLogOptions {
  readonly log: EventLog;
  /** Signs what is appended unsigned; null leaves it so, where that is allowed. */
  readonly key: SigningKey | null;
  readonly trust: Trust;
  /** Called for each record that is passed over, once for a place that is read again soon. */
  readonly onRefused: (record: RecordPosition, error: SeamError) => void;
}

/** The topics of what is vouched for. */
const ATTESTED_TOPICS: ReadonlySet<string> = new Set([TOPIC.adapters, TOPIC.buffer, TOPIC.training]);
/** Places of a topic that were reported and are not reported again: readers read the same topic again and again. */
const MOST_TOLD = 1000;

export class SignedEventLog extends ForwardingEventLog {
  /** By topic. */
  private readonly told = new Map<string, Set<string>>();

  constructor(private readonly options: SignedEventLogOptions) {
    super(options.log);
  }

  /** Records that were met and passed over, by topic: different ones, and the newest where there are more than a thousand. */
  passedOver(): ReadonlyMap<string, number> {
    return new Map([...ATTESTED_TOPICS].map((topic) => [topic, this.told.get(topic)?.size ?? 0]));
  }

  /** As the port says, and INVALID_CONFIGURATION for an event that this log would not believe when it reads it back. */
  override async append(records: readonly NewRecord[]): Promise<readonly RecordPosition[]> {
    return this.log.append(records.map((record) => this.signed(record)));
  }

  override async transact(transaction: Transaction): Promise<readonly RecordPosition[]> {
    return this.log.transact({ ...transaction, records: transaction.records.map((record) => this.signed(record)) });
  }

  /**
   * As the port says. Topics of what is vouched for have no consumers: a batch that lost its records could not be committed.
   * INVALID_INPUT for them; they are read and followed.
   */
  override consume(options: ConsumeOptions): Promise<Subscription> {
    const attested = options.topics.find((topic) => ATTESTED_TOPICS.has(topic));
    if (attested === undefined) return this.log.consume(options);
    return Promise.reject(
      new SeamError(
        'INVALID_INPUT',
        `Cannot consume ${attested}: expected a topic without signatures, got one with them. Read or follow it.`,
      ),
    );
  }

  override async *read(options: ReadOptions): AsyncIterable<readonly LogRecord[]> {
    for await (const records of this.log.read(options)) yield* this.believed(options.topic, records);
  }

  override async *follow(options: Parameters<EventLog['follow']>[0]): AsyncIterable<readonly LogRecord[]> {
    for await (const records of this.log.follow(options)) yield* this.believed(undefined, records);
  }

  private signed(record: NewRecord): NewRecord {
    if (!ATTESTED_TOPICS.has(record.topic) || record.value === null) return record;
    const event = decoded({ ...record, value: record.value, partition: 0, offset: 0 });
    if (event === undefined || !isAttested(event) || event.attestation !== null) return record;
    const { key } = this.options;
    assertWouldBeBelieved(event.type, this.options);
    return key === null ? record : { ...record, value: encodeEvent(attest(event, key)).value };
  }

  /** What is believed of a chunk; nothing where no record of it is. */
  private *believed(topic: string | undefined, records: readonly LogRecord[]): Iterable<readonly LogRecord[]> {
    if (topic !== undefined && !ATTESTED_TOPICS.has(topic)) {
      yield records;
      return;
    }
    const kept = records.filter((record) => !ATTESTED_TOPICS.has(record.topic) || this.isBelieved(record));
    if (kept.length > 0) yield kept;
  }

  /** What cannot be decoded states nothing, and is left to the reader. */
  private isBelieved(record: LogRecord): boolean {
    const event = decoded(record);
    if (event === undefined || !isAttested(event)) return true;
    try {
      checkAttestation(event, this.options.trust);
      return true;
    } catch (error) {
      if (!isSeamError(error, 'SIGNATURE_INVALID')) throw error;
      const told = this.told.get(record.topic) ?? new Set();
      this.told.set(record.topic, told);
      const place = `${record.partition}@${record.offset}`;
      if (told.has(place)) return false;
      if (told.size >= MOST_TOLD) told.clear();
      told.add(place);
      this.options.onRefused(record, error);
      return false;
    }
  }
}

function decoded(record: Parameters<typeof decodeEvent>[0]): SeamEvent | undefined {
  try {
    return decodeEvent(record);
  } catch {
    return undefined;
  }
}
