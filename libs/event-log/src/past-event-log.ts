/** A log as it was at a moment: later records are not there. It is for reading alone, and says nothing of how far consumers were. */
import { isoTimeOf, onOneLine, SeamError } from '@seamstream/kernel';
import type { LogRecord, ReadOptions, Watermarks } from './event-log.js';
import { ForwardingEventLog } from './forwarding-event-log.js';
import { partitionName } from './partition-assignment.js';

/** A record by its place. */
interface RecordPlace {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

interface Moment {
  /** Records of this moment are there, in milliseconds since the Unix epoch. */
  readonly asOfMs: number;
  /** The last record of its partition, where the moment is that of a record. */
  readonly last?: RecordPlace;
}

export class PastEventLog extends ForwardingEventLog {
  /** Of partitions that were read, by name. */
  private readonly ends = new Map<string, number>();

  constructor(
    log: ForwardingEventLog['log'],
    private readonly moment: Moment,
  ) {
    super(log);
  }

  /**
   * The log as a word says it: a time in ISO 8601 with Z or an offset, a date as UTC begins it, or the place of a record.
   * @param options mayBePlace false: a time alone, for a reader who may not know which records are there
   * @throws INVALID_INPUT for another word, NOT_FOUND where the log does not hold the record
   */
  static async asOf(
    log: ForwardingEventLog['log'],
    word: string,
    { mayBePlace = true }: { readonly mayBePlace?: boolean } = {},
  ): Promise<PastEventLog> {
    return new PastEventLog(log, await (mayBePlace ? momentOf(log, word) : timeIn(word)));
  }

  /** In milliseconds since the Unix epoch. */
  get asOfMs(): number {
    return this.moment.asOfMs;
  }

  /** In each partition up to its first record of a later time: clocks of writers may differ. */
  override async watermarks(topic: string): Promise<readonly Watermarks[]> {
    return Promise.all(
      (await super.watermarks(topic)).map(async ({ partition, low, high }) => {
        const end = await this.endOf(topic, partition);
        return { partition, low, high: this.within({ low, high }, end) };
      }),
    );
  }

  private within({ low, high }: Pick<Watermarks, 'low' | 'high'>, end: number): number {
    return Math.max(low, Math.min(high, end));
  }

  private async endOf(topic: string, partition: number): Promise<number> {
    const { asOfMs, last } = this.moment;
    if (last?.topic === topic && last.partition === partition) return last.offset + 1;
    return super.offsetForTime(topic, partition, Math.max(0, asOfMs + 1));
  }

  override async committedOffsets(): ReturnType<ForwardingEventLog['committedOffsets']> {
    return [];
  }

  override async *read(options: ReadOptions): AsyncGenerator<readonly LogRecord[]> {
    const { topic, partition, from, to = Infinity } = options;
    const name = partitionName(topic, partition);
    // An end never moves back. Without a later record it may move on.
    if (to > (this.ends.get(name) ?? -1)) {
      const held = (await super.watermarks(topic)).find((each) => each.partition === partition);
      if (held !== undefined) this.ends.set(name, this.within(held, await this.endOf(topic, partition)));
    }
    const end = this.ends.get(name);
    // A record of then may name one that was not there yet.
    if (end !== undefined && from >= end && to < Infinity) return;
    yield* super.read(end === undefined ? options : { ...options, to: Math.min(to, end) });
  }

  override follow(): never {
    throw ofThePast('follow');
  }

  override createTopics = refused;
  override append = refused;
  override transact = refused;
  override claim = refused;
  override consume = refused;

  /** The log itself stays open: its owner closes it. */
  override close(): Promise<void> {
    return Promise.resolve();
  }
}

/** `topic/partition/offset`, as the page and `seam tail --json` name a record. */
const RECORD_PLACE = /^([A-Za-z0-9._-]{1,249})\/(\d{1,9})\/(\d{1,15})$/;

/** @throws INVALID_INPUT for a word that is no time */
function timeIn(
  word: string,
  expected = 'a time in ISO 8601 with Z or an offset, or a date, e.g. 2030-01-31T12:00:00Z or 2030-01-31',
): Moment {
  const asOfMs = isoTimeOf(word);
  if (asOfMs !== undefined) return { asOfMs };
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot read the log as it was: expected ${expected}, got ${JSON.stringify(word)}.`,
  );
}

/**
 * What a word says: a time, or the place of a record. A record is a moment by its time: its partition ends with it, the others with
 * their records of the same time.
 * @throws INVALID_INPUT for another word, NOT_FOUND where the log does not hold the record
 */
async function momentOf(log: ForwardingEventLog['log'], word: string): Promise<Moment> {
  const [, topic, partitionText, offsetText] = RECORD_PLACE.exec(word) ?? [];
  if (topic === undefined)
    return timeIn(
      word,
      'a time in ISO 8601 with Z or an offset, a date or the place of a record, e.g. 2030-01-31T12:00:00Z, 2030-01-31 or seam.outcomes/0/1234',
    );
  const last = { topic, partition: Number(partitionText), offset: Number(offsetText) };
  const isKnown = (await log.topics()).some(({ name }) => name === topic);
  const range = { topic, partition: last.partition, from: last.offset, to: last.offset + 1 };
  const held = isKnown
    ? (await log.watermarks(topic)).find(({ partition }) => partition === last.partition)
    : undefined;
  if (held !== undefined && last.offset >= held.low && last.offset < held.high)
    for await (const [record] of log.read(range))
      if (record?.offset === last.offset) return { asOfMs: record.timestampMs, last };
  throw new SeamError(
    'NOT_FOUND',
    `Cannot read the log as it was: expected the place of a record, got ${onOneLine(word)}, where the log holds none. Take one that seam tail prints.`,
  );
}

function ofThePast(act: string): SeamError {
  return new SeamError(
    'INVALID_INPUT',
    `Cannot ${act} a log as it was: expected the log of now, got one of the past. Leave out the moment.`,
  );
}

function refused(): Promise<never> {
  return Promise.reject(ofThePast('write to'));
}
