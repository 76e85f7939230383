/**
 * Looks up in the log what results rest on. Experiences and our own problems have the problem's id for their key, so the partition is known;
 * and they were written in about the order in which their results come. So both topics are read along, each record once: a result
 * finds its own a little behind or before the place where the one before found its.
 *
 *   seam.experiences/2:  … │ read before │ remembered, at most MEMORY_BYTES │ not read yet …
 *                                                                            └ read on until all are found
 *
 * An experience has one result, so it is forgotten when that has come: what is remembered for long is what collecting garbage takes
 * long over. What is not remembered any more, or was never read here, is found by an index of keys, which is made from the records before
 * when the first result misses its own: honest results do not, so it costs nothing as long as nobody forges. Some 100 bytes per problem.
 */
import { type EventLog, type LogRecord, partitionForKey, type RecordPosition } from '@seamstream/event-log';
import {
  copiedFields,
  decodeEvent,
  type EncodedRecord,
  type EventMeta,
  type EventOf,
  type OpenedEvent,
  openEvent,
  type SeamEvent,
  TOPIC,
} from '@seamstream/events';
import {
  COPIED_FIELDS,
  type Doubt,
  doubtOf,
  type Experience,
  isResult,
  type Result,
  type WrittenExperience,
} from './doubt.decide.js';

export interface PlacedEvent {
  readonly event: SeamEvent;
  readonly position: RecordPosition;
  /** What the event was decoded from, where that is at hand: bytes are compared faster than values. */
  readonly value?: Uint8Array | null;
}

/** Of one partition: some thousand experiences. */
const MEMORY_BYTES = 16 * 2 ** 20;
/** Read at once, at least and at most: about as many as are missing, so that little waits for its result. */
const LEAST_CHUNK_RECORDS = 32;
const MOST_CHUNK_RECORDS = 500;

type Topic = typeof TOPIC.experiences | typeof TOPIC.problems;

export class Evidence {
  private readonly readings = new Map<string, Reading>();
  private readonly partitions = new Map<Topic, number>();
  /** By an adapter's digest the base models that it was published for. */
  private readonly bases = new Map<string, ReadonlySet<string>>();
  /** Of seam.adapters, by partition: offset after the last record. */
  private readonly adaptersRead = new Map<number, number>();

  /** @param from by topic/partition: where reading begins; elsewhere at the beginning */
  constructor(
    private readonly log: EventLog,
    private readonly from: ReadonlyMap<string, number> = new Map(),
  ) {}

  /** By topic/partition: where reading stands, to begin there after a restart. */
  places(): ReadonlyMap<string, number> {
    return new Map([...this.from, ...[...this.readings].map(([name, { next }]) => [name, next] as const)]);
  }

  /** Why results do not count, by their index in the list; those that do, and events that are no results, have none. */
  async doubts(events: readonly PlacedEvent[]): Promise<ReadonlyMap<number, Doubt>> {
    const results = events.flatMap(({ event, value }, index) =>
      isResult(event) ? [{ event, index, value: value ?? null }] : [],
    );
    const nearest = await this.judge(results, 'find');
    if (nearest.size === 0) return nearest;
    // What stands in the log twice under one id: the first counts, wherever reading began and whatever was forgotten meanwhile.
    const doubted = results.filter(({ index }) => nearest.has(index) && !isMissing(nearest.get(index)!));
    const first = await this.judge(doubted, 'findFirst');
    return new Map([...nearest].filter(([index, doubt]) => isMissing(doubt) || first.has(index)));
  }

  private async judge(results: readonly PlacedResult[], how: Search): Promise<Map<number, Doubt>> {
    const executed = results.map(({ event }) => event).filter((event) => event.type !== 'ProblemExpired');
    const experiences = await this.find(
      TOPIC.experiences,
      wantedOf(executed.map(({ problem, experienceId }) => [problem.problemId, experienceId])),
      how,
    );
    const rests = results.map(({ event, index, value }) => {
      if (event.type === 'ProblemExpired')
        return { event, index, experience: undefined, cause: event.meta.causationId };
      const experience = experiences.get(event.problem.problemId)?.get(event.experienceId)?.experienceOf(event, value);
      return { event, index, experience, cause: experience?.meta.causationId ?? null };
    });
    const caused = rests.filter(({ cause }) => cause !== null);
    const problems = await this.find(
      TOPIC.problems,
      wantedOf(caused.map(({ event, cause }) => [event.problem.problemId, cause!])),
      how,
    );
    await this.meetAdapters(rests);
    const basesOf = (digest: string): ReadonlySet<string> => this.bases.get(digest) ?? new Set();
    const doubts = new Map<number, Doubt>();
    for (const { event, index, experience, cause } of rests) {
      const published = cause === null ? undefined : problems.get(event.problem.problemId)?.get(cause)?.published();
      const why = doubtOf(event, experience, published, basesOf);
      if (why !== undefined) doubts.set(index, why);
    }
    return doubts;
  }

  /** Reads on about adapters where an experience names one that is not known yet: it was published before it wrote. */
  private async meetAdapters(rests: readonly { readonly experience: Experience | undefined }[]): Promise<void> {
    const isKnown = ({ experience }: { readonly experience: Experience | undefined }): boolean =>
      experience?.type !== 'ExperienceGenerated' ||
      experience.adapterDigest === null ||
      this.bases.has(experience.adapterDigest);
    if (rests.every(isKnown)) return;
    for (const { partition, low, high } of await this.log.watermarks(TOPIC.adapters)) {
      const from = Math.max(this.adaptersRead.get(partition) ?? low, low);
      if (from < high)
        for await (const records of this.log.read({ topic: TOPIC.adapters, partition, from, to: high }))
          for (const record of records) this.meetAdapter(decoded(record));
      this.adaptersRead.set(partition, high);
    }
  }

  private meetAdapter(event: SeamEvent | undefined): void {
    if (event?.type !== 'AdapterPublished') return;
    this.bases.set(
      event.adapterDigest,
      new Set([...(this.bases.get(event.adapterDigest) ?? []), event.baseModelDigest]),
    );
  }

  /** Of each wanted id the first record in the log that has it under its key: by both, so that no batch mate can stand in for another. */
  private async find(topic: Topic, wanted: Wanted, how: Search): Promise<Found> {
    const found: Found = new Map();
    if (wanted.size === 0) return found;
    const partitions = await this.partitionsOf(topic);
    for (const [partition, keys] of Map.groupBy(wanted.keys(), (key) => partitionForKey(key, partitions))) {
      await this.readingOf(topic, partition)[how](new Map(keys.map((key) => [key, wanted.get(key)!])), found);
    }
    // Experiences are ours. A problem may be another client's, under no key or one of its own, and then stands anywhere else.
    for (let partition = 0; topic === TOPIC.problems && partition < partitions; partition++) {
      const missing = missingFrom(found, wanted);
      if (missing.size === 0) break;
      for (const key of missing.keys()) if (partitionForKey(key, partitions) === partition) missing.delete(key);
      if (missing.size > 0) await this.readingOf(topic, partition)[how](missing, found);
    }
    return found;
  }

  private async partitionsOf(topic: Topic): Promise<number> {
    const known = this.partitions.get(topic) ?? (await this.log.watermarks(topic)).length;
    this.partitions.set(topic, known);
    return known;
  }

  private readingOf(topic: Topic, partition: number): Reading {
    const name = `${topic}/${partition}`;
    const known = this.readings.get(name) ?? new Reading(this.log, { topic, partition }, this.from.get(name));
    this.readings.set(name, known);
    return known;
  }
}

interface PlacedResult {
  readonly event: Result;
  readonly index: number;
  readonly value: Uint8Array | null;
}

/** Where {@link Reading} looks first. */
type Search = 'find' | 'findFirst';

function isMissing({ reason }: Doubt): boolean {
  return reason === 'experience_missing' || reason === 'problem_missing';
}

/** Ids by their keys. */
type Wanted = ReadonlyMap<string, ReadonlySet<string>>;
type Missing = Map<string, Set<string>>;
/** Records by key and id. */
type Found = Map<string, Map<string, Kept>>;

function wantedOf(pairs: readonly (readonly [key: string, id: string])[]): Wanted {
  const wanted: Missing = new Map();
  for (const [key, id] of pairs) {
    const ids = wanted.get(key);
    if (ids === undefined) wanted.set(key, new Set([id]));
    else ids.add(id);
  }
  return wanted;
}

function missingFrom(found: Found, wanted: Wanted): Missing {
  const missing: Missing = new Map();
  for (const [key, ids] of wanted) {
    const known = found.get(key);
    const left = known === undefined ? new Set(ids) : new Set([...ids].filter((id) => !known.has(id)));
    if (left.size > 0) missing.set(key, left);
  }
  return missing;
}

/**
 * A record as it is remembered. What a client of somebody else's keys its problems by is its own affair: they are decoded to know what
 * they are about, once. Of experiences, which are larger and more, the key says it; they are opened when they are asked for, and
 * what they say is compared where it stands: nothing of an honest one is decoded but its meta data.
 */
class Kept {
  /** The id of the problem that it is about. */
  readonly key: string | null;
  /** Of its value. */
  readonly bytes: number;
  readonly offset: number;
  private readonly record: Pick<LogRecord, 'topic' | 'partition' | 'offset' | 'value' | 'unreadable'>;
  private readonly problem: SeamEvent | undefined;
  /** Null until it is asked for. */
  private knownId: string | undefined | null = null;
  private opened: OpenedEvent | undefined;

  constructor({ topic, partition, offset, key, value, unreadable }: LogRecord) {
    this.record = { topic, partition, offset, value, ...(unreadable === undefined ? {} : { unreadable }) };
    this.bytes = value?.length ?? 0;
    this.offset = offset;
    this.problem = topic === TOPIC.problems ? decoded(this.record) : undefined;
    this.key = this.problem?.type === 'ProblemPublished' ? this.problem.problem.problemId : key;
  }

  /** Of an experience its own, of a problem its event's; undefined for everything else, and for what nobody could use. */
  get id(): string | undefined {
    if (this.knownId === null) this.knownId = this.readId();
    return this.knownId;
  }

  private readId(): string | undefined {
    if (this.record.topic === TOPIC.problems) return this.published()?.meta.messageId;
    const opened = openEvent(this.record);
    if (opened?.type === 'ExperienceGenerated') {
      this.opened = opened;
      return opened.read('experienceId') as string;
    }
    const event = decoded(this.record);
    return event !== undefined && isExperience(event) ? event.experienceId : undefined;
  }

  published(): EventOf<'ProblemPublished'> | undefined {
    return this.problem?.type === 'ProblemPublished' ? this.problem : undefined;
  }

  /** Of a record whose id is that of an experience. The result's own values stand for what the record spells in the same way. */
  experienceOf(result: Result, value: Uint8Array | null): Experience {
    const { opened } = this;
    if (opened === undefined) return decoded(this.record) as Experience;
    const meta = opened.read('meta') as EventMeta;
    if (value !== null && result.type === 'OutcomeRecorded' && isCopied(copiedFields(opened, value))) {
      const { problem, experienceId, groupId, candidateIndex, groupSize, arm, adapterDigest } = result;
      const { entry, promptTokenIds, tokenIds, forced, baseModelDigest } = result;
      return {
        type: 'ExperienceGenerated',
        ...{ meta, problem, experienceId, groupId, candidateIndex, groupSize, arm, adapterDigest },
        ...{ entry: entry!, promptTokenIds, tokenIds, forced, baseModelDigest: baseModelDigest! },
      };
    }
    const said = result as object as Readonly<Record<string, unknown>>;
    const experience: Record<string, unknown> = { type: 'ExperienceGenerated', meta };
    for (const name of COPIED_FIELDS) experience[name] = opened.read(name, said[name]);
    return experience as unknown as WrittenExperience;
  }
}

/** All that a result copies: every set of names that is not empty is the same one. */
function isCopied(names: ReadonlySet<string>): boolean {
  return names.size > 0 && COPIED_FIELDS.every((name) => names.has(name));
}

/** Puts records that are wanted with what was found, and answers the others. */
type Take = (records: readonly Kept[]) => readonly Kept[];

function takingInto(found: Found, missing: Missing): Take {
  return (records) =>
    records.filter((kept) => {
      const { key } = kept;
      const ids = key === null ? undefined : missing.get(key);
      // Its id costs a walk over the record: only where the key is wanted.
      if (ids === undefined || kept.id === undefined || !ids.delete(kept.id)) return true;
      if (ids.size === 0) missing.delete(key!);
      const known = found.get(key!);
      if (known === undefined) found.set(key!, new Map([[kept.id, kept]]));
      else known.set(kept.id, kept);
      return false;
    });
}

/** One partition, read along. */
class Reading {
  /** Offset after the last record that was read along. */
  next: number;
  /** Records by their keys, the longest known first. */
  private readonly remembered = new Map<string, Kept[]>();
  private bytes = 0;
  /** Whether what was found is not asked for again: a problem has many results. */
  private readonly forgets: boolean;
  /** By key the stretches before `next` that hold its records; undefined until something is missed. */
  private index: Map<string, Stretch[]> | undefined;
  private indexedTo = 0;

  constructor(
    private readonly log: EventLog,
    private readonly place: { readonly topic: Topic; readonly partition: number },
    from: number | undefined,
  ) {
    this.next = from ?? 0;
    this.forgets = place.topic === TOPIC.experiences;
  }

  /** Puts what is wanted and stands in this partition with what was found. */
  async find(wanted: Wanted, found: Found): Promise<void> {
    const missing = missingFrom(found, wanted);
    const take = takingInto(found, missing);
    for (const key of [...missing.keys()]) {
      const known = this.remembered.get(key) ?? [];
      const left = take(known);
      if (this.forgets && left.length < known.length) this.keepOf(key, left);
    }
    if (missing.size > 0) await this.readOn(missing, take);
    if (missing.size > 0) await this.lookBack(missing, take);
  }

  /** As {@link find}, of all that was passed the first, not the nearest. */
  async findFirst(wanted: Wanted, found: Found): Promise<void> {
    const missing = missingFrom(found, wanted);
    await this.lookBack(missing, takingInto(found, missing));
  }

  /** Along the log until all are found, or to its end. */
  private async readOn(missing: Wanted, take: Take): Promise<void> {
    const { low, high } = await this.bounds();
    this.next = Math.max(this.next, low);
    if (this.next >= high) return;
    const chunkRecords = Math.min(Math.max(missing.size, LEAST_CHUNK_RECORDS), MOST_CHUNK_RECORDS);
    const chunks = this.log.read({
      ...this.place,
      ...{ from: this.next, to: high, chunkRecords, withoutHeaders: true },
    });
    for await (const records of chunks) {
      const kept = records.map((record) => new Kept(record));
      const left = take(kept);
      for (const record of this.forgets ? left : kept) this.remember(record);
      this.next = records.at(-1)!.offset + 1;
      if (missing.size === 0) return;
    }
    this.next = high;
  }

  private keepOf(key: string, left: readonly Kept[]): void {
    for (const { bytes } of this.remembered.get(key) ?? []) this.bytes -= bytes;
    this.remembered.delete(key);
    for (const record of left) this.remember(record);
  }

  private remember(record: Kept): void {
    const { key, bytes } = record;
    if (key === null || bytes === 0) return;
    const known = this.remembered.get(key);
    if (known === undefined) this.remembered.set(key, [record]);
    else known.push(record);
    this.bytes += bytes;
    for (const [oldest, records] of this.remembered) {
      if (this.bytes <= MEMORY_BYTES) return;
      this.remembered.delete(oldest);
      for (const each of records) this.bytes -= each.bytes;
    }
  }

  /** Among the records that were passed, which only what was forged, or comes very late, is missing from. */
  private async lookBack(missing: Wanted, take: Take): Promise<void> {
    const index = await this.indexUpTo(this.next);
    for (const key of [...missing.keys()]) {
      for (const { from, to } of index.get(key) ?? []) {
        for await (const records of this.log.read({ ...this.place, from, to, withoutHeaders: true }))
          take(records.map((record) => new Kept(record)).filter((kept) => kept.key === key));
      }
    }
  }

  private async indexUpTo(end: number): Promise<ReadonlyMap<string, readonly Stretch[]>> {
    this.index ??= new Map();
    const { low } = await this.bounds();
    const from = Math.max(this.indexedTo, low);
    if (from < end) {
      for await (const records of this.log.read({ ...this.place, from, to: end, withoutHeaders: true }))
        for (const { key, offset } of records.map((record) => new Kept(record)))
          if (key !== null) note(this.index, key, offset);
    }
    this.indexedTo = end;
    return this.index;
  }

  private async bounds(): Promise<{ readonly low: number; readonly high: number }> {
    const marks = await this.log.watermarks(this.place.topic);
    return marks.find(({ partition }) => partition === this.place.partition)!;
  }
}

interface Stretch {
  readonly from: number;
  to: number;
}

/** Records of one key stand together: written in one transaction, or nearly. */
const NEAR = 64;

function note(index: Map<string, Stretch[]>, key: string, offset: number): void {
  const stretches = index.get(key);
  if (stretches === undefined) {
    index.set(key, [{ from: offset, to: offset + 1 }]);
    return;
  }
  const last = stretches.at(-1)!;
  if (offset < last.to + NEAR) last.to = offset + 1;
  else stretches.push({ from: offset, to: offset + 1 });
}

function isExperience(event: SeamEvent): event is SeamEvent & Experience {
  return event.type === 'ExperienceGenerated' || event.type === 'ExperienceWithheld';
}

/** Undefined for what nobody could use: its consumer sent it to the dead letters. */
function decoded(record: EncodedRecord): SeamEvent | undefined {
  try {
    return decodeEvent(record);
  } catch {
    return undefined;
  }
}
