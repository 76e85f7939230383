/**
 * What a log knows about the records that were copied into it: the rules. Pure.
 *
 * Every transaction of a copy appends its records and one mark: "of this partition of that log, everything that this selection
 * takes is here up to this offset". Both or neither are there, so the next copy resumes after the mark. A record is
 * taken when the selection takes it and no mark, of any selection, says that it is here already.
 *
 * Each copy says in a header which log it was first appended to and where: a copy that comes home is not appended again.
 */
import { type LogRecord, MAX_RECORD_BYTES, type NewRecord, recordBytes, type Watermarks } from '@seamstream/event-log';
import { decodeEvent } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import { z } from 'zod';

/** Marks of all copies into a log; one partition, so that their order is one. */
export const COPIES_TOPIC = 'seam.copies';

/** `<identity of the log>@<offset>`; topic and partition are those of the copy. */
export const ORIGIN_HEADER = 'seam-origin';

/** Which records a copy takes. Times in milliseconds since the epoch, of the record, `until` exclusive. */
export interface Selection {
  readonly since: number | null;
  readonly until: number | null;
  /** Sorted, each once; none means all. */
  readonly domains: readonly string[];
}

const markSchema = z.object({
  /** Identity of the log that the records came from. */
  origin: z.string().min(1),
  topic: z.string().min(1),
  partition: z.int().nonnegative(),
  since: z.int().nullable(),
  until: z.int().nullable(),
  domains: z.array(z.string()),
  /** Exclusive. */
  upTo: z.int().nonnegative(),
});

export type CopyMark = z.infer<typeof markSchema>;

/** A partition of a log. */
export interface Origin {
  readonly origin: string;
  readonly topic: string;
  readonly partition: number;
}

const keyOf = ({ origin, topic, partition, since, until, domains }: Omit<CopyMark, 'upTo'>): string =>
  JSON.stringify([origin, topic, partition, since, until, domains]);

/** The mark as a record: the newest of its key is the one that counts, so the topic can be compacted. */
export function markRecord(mark: CopyMark): NewRecord {
  return { topic: COPIES_TOPIC, key: keyOf(mark), value: Buffer.from(JSON.stringify(mark)), partition: 0 };
}

/** The newest mark of each key, among records of {@link COPIES_TOPIC} in their order. LOG_CORRUPT for a malformed mark. */
export function newestMarks(records: Iterable<LogRecord>): readonly CopyMark[] {
  const marks = new Map<string, CopyMark>();
  for (const { key, value, offset } of records) {
    if (key === null || key === SEAT_KEY || value === null) continue;
    let mark: CopyMark;
    try {
      mark = markSchema.parse(JSON.parse(Buffer.from(value).toString()));
    } catch (cause) {
      throw new SeamError(
        'LOG_CORRUPT',
        `Cannot read how far copies are: expected the mark of a copy at ${COPIES_TOPIC}/0@${offset}, got another record. Another program wrote into this topic: copy into another log.`,
        { cause },
      );
    }
    marks.set(keyOf(mark), mark);
  }
  return [...marks.values()];
}

/** A topic without a record has no batch to own: this record is the first. */
const SEAT_KEY = 'seat';
export const SEAT_RECORD: NewRecord = {
  topic: COPIES_TOPIC,
  key: SEAT_KEY,
  value: Buffer.from('{"seat":true}'),
  partition: 0,
};

/** What is to be read of a partition, and what of it is at the target already. */
export interface PartitionPlan extends Origin {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  /** Of other selections, reaching into what is to be read. */
  readonly others: readonly CopyMark[];
  /** Offsets that the source no longer stores, and that no copy had reached. */
  readonly expired: number;
}

/**
 * Where the copy of a partition begins. `sinceOffset`: the first one that the selection's time can take.
 * CONFLICT when the marks reach further than the partition: the log is not the one that was copied before.
 */
export function planPartition(
  place: Origin,
  options: {
    readonly marks: readonly CopyMark[];
    readonly selection: Selection;
    readonly watermarks: Watermarks;
    readonly sinceOffset: number;
  },
): PartitionPlan {
  const { selection, watermarks, sinceOffset } = options;
  const { low, high } = watermarks;
  const own = options.marks.filter(
    (mark) => mark.origin === place.origin && mark.topic === place.topic && mark.partition === place.partition,
  );
  const beyond = own.find(({ upTo }) => upTo > high);
  if (beyond !== undefined) {
    throw new SeamError(
      'CONFLICT',
      `Cannot copy ${place.topic}/${place.partition}: expected a log that reaches offset ${beyond.upTo}, as an earlier copy read it, got one that ends at ${high}. It was restored from an older copy, or made again under its old identity: copy into an empty log.`,
      { details: { ...place, copied: beyond.upTo, high } },
    );
  }
  const key = keyOf({ ...place, ...selection, domains: [...selection.domains] });
  const reached = own.find((mark) => keyOf(mark) === key)?.upTo ?? 0;
  const from = Math.max(reached, sinceOffset, low);
  return {
    ...place,
    from: Math.min(from, high),
    to: high,
    others: own.filter((mark) => keyOf(mark) !== key && mark.upTo > from),
    expired: Math.max(0, low - Math.max(reached, sinceOffset)),
  };
}

export type Verdict = 'take' | 'not selected' | 'here already' | 'comes home';

/** What becomes of a record of the plan. `target`: identity of the log that is copied into. */
export function judgeRecord(record: LogRecord, plan: PartitionPlan, selection: Selection, target: string): Verdict {
  const domain = lazy(() => domainOf(record));
  if (!takes(selection, record.timestampMs, domain)) return 'not selected';
  if (originOf(record)?.identity === target) return 'comes home';
  const isHere = plan.others.some((mark) => record.offset < mark.upTo && takes(mark, record.timestampMs, domain));
  return isHere ? 'here already' : 'take';
}

function takes({ since, until, domains }: Selection, timestampMs: number, domain: () => string | undefined): boolean {
  if (since !== null && timestampMs < since) return false;
  if (until !== null && timestampMs >= until) return false;
  if (domains.length === 0) return true;
  const name = domain();
  return name !== undefined && domains.includes(name);
}

function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** The domain of the problem that a record is about; a dead letter's is that of its original. Undefined when there is none. */
function domainOf(record: Pick<LogRecord, 'topic' | 'partition' | 'offset' | 'value'>): string | undefined {
  try {
    const event = decodeEvent(record);
    if (event.type === 'DeadLettered') return domainOf(event);
    return 'problem' in event ? event.problem.domain : undefined;
  } catch {
    return undefined; // not an event: of no domain
  }
}

/** Where a copy was first appended; undefined for what was appended here. */
export function originOf({
  headers,
}: Pick<LogRecord, 'headers'>): { readonly identity: string; readonly offset: number } | undefined {
  const match = /^(.+)@(\d{1,16})$/.exec(headers[ORIGIN_HEADER] ?? '');
  return match === null ? undefined : { identity: match[1]!, offset: Number(match[2]) };
}

/**
 * The record as it is appended at the target: key, bytes, headers, time and partition as they were, and where it comes from
 * unless it says so already. One that is too large for the header goes without; it may be copied home then.
 */
export function copyOf(
  { topic, partition, offset, key, value, headers, timestampMs }: LogRecord,
  origin: string,
): NewRecord {
  const plain: NewRecord = { topic, partition, key, value, headers, timestampMs };
  if (ORIGIN_HEADER in headers) return plain;
  const named: NewRecord = { ...plain, headers: { ...headers, [ORIGIN_HEADER]: `${origin}@${offset}` } };
  return recordBytes(named) > MAX_RECORD_BYTES ? plain : named;
}
