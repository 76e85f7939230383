/**
 * Looks up in the log what results rest on. Experiences and our own problems have the problem's id for their key, so the partition is known;
 * and they were written in about the order in which their results come. So both topics are read along, each record once: a result
 * finds its own a little behind or before the place where the one before found its.
 *
 *   seam.experiences/2:  … │ read before │ remembered, at most MEMORY_BYTES │ not read yet …
 *                                                                            └ read on until all are found
 *
 * What is not remembered any more, or was never read here, is found by an index of keys, which is made from the records before when
 * the first result misses its own: honest results do not, so it costs nothing as long as nobody forges. Some 100 bytes per problem.
 */
import { type EventLog, type LogRecord, partitionForKey, type RecordPosition } from '@seamstream/event-log';
import { decodeEvent, type EventOf, type SeamEvent, TOPIC } from '@seamstream/events';
import { type Doubt, doubtOf, type Experience, isResult, type Result } from './doubt.decide.js';

export interface PlacedEvent {
  readonly event: SeamEvent;
  readonly position: RecordPosition;
}

/** Of one partition: some thousand experiences. */
const MEMORY_BYTES = 16 * 2 ** 20;
const CHUNK_RECORDS = 500;

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
    const results = events.flatMap(({ event }, index) => (isResult(event) ? [{ event, index }] : []));
    const wanted = results.map(({ event }) => event);
    const executed = wanted.filter((event) => event.type !== 'ProblemExpired');
    const experiences = await this.find(
      TOPIC.experiences,
      executed.map(({ problem, experienceId }) => ({ key: problem.problemId, id: experienceId })),
      (event) => (isExperience(event) ? event.experienceId : undefined),
    );
    const experienceOf = (event: Result): Experience | undefined =>
      event.type === 'ProblemExpired'
        ? undefined
        : (experiences.get(nameOf(event.problem.problemId, event.experienceId)) as Experience | undefined);
    const causeOf = (event: Result): string =>
      (event.type === 'ProblemExpired' ? event : experienceOf(event))?.meta.causationId ?? '';
    const problems = await this.find(
      TOPIC.problems,
      wanted.map((event) => ({ key: event.problem.problemId, id: causeOf(event) })).filter(({ id }) => id !== ''),
      (event) => (event.type === 'ProblemPublished' ? event.meta.messageId : undefined),
    );
    await this.meetAdapters(experiences.values());
    const basesOf = (digest: string): ReadonlySet<string> => this.bases.get(digest) ?? new Set();
    const doubts = new Map<number, Doubt>();
    for (const { event, index } of results) {
      const published = problems.get(nameOf(event.problem.problemId, causeOf(event)));
      const why = doubtOf(event, experienceOf(event), published as EventOf<'ProblemPublished'> | undefined, basesOf);
      if (why !== undefined) doubts.set(index, why);
    }
    return doubts;
  }

  /** Reads on about adapters where an experience names one that is not known yet: it was published before it wrote. */
  private async meetAdapters(experiences: Iterable<SeamEvent>): Promise<void> {
    const isKnown = (event: SeamEvent): boolean =>
      event.type !== 'ExperienceGenerated' || event.adapterDigest === null || this.bases.has(event.adapterDigest);
    if ([...experiences].every(isKnown)) return;
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

  /** Of each wanted id the first event in the log that has it under its key: by both, so that no batch mate can stand in for another. */
  private async find(
    topic: Topic,
    wanted: readonly Wanted[],
    idOf: (event: SeamEvent) => string | undefined,
  ): Promise<ReadonlyMap<string, SeamEvent>> {
    const found = new Map<string, SeamEvent>();
    if (wanted.length === 0) return found;
    const partitions = await this.partitionsOf(topic);
    for (const [partition, own] of Map.groupBy(wanted, ({ key }) => partitionForKey(key, partitions))) {
      for (const [name, event] of await this.readingOf(topic, partition, idOf).find(own)) found.set(name, event);
    }
    // Experiences are ours. A problem may be another client's, under no key or one of its own, and then stands anywhere else.
    for (let partition = 0; topic === TOPIC.problems && partition < partitions; partition++) {
      const missing = wanted.filter(({ key, id }) => !found.has(nameOf(key, id)));
      if (missing.length === 0) break;
      const elsewhere = missing.filter(({ key }) => partitionForKey(key, partitions) !== partition);
      if (elsewhere.length === 0) continue;
      for (const [name, event] of await this.readingOf(topic, partition, idOf).find(elsewhere)) found.set(name, event);
    }
    return found;
  }

  private async partitionsOf(topic: Topic): Promise<number> {
    const known = this.partitions.get(topic) ?? (await this.log.watermarks(topic)).length;
    this.partitions.set(topic, known);
    return known;
  }

  private readingOf(topic: Topic, partition: number, idOf: (event: SeamEvent) => string | undefined): Reading {
    const name = `${topic}/${partition}`;
    const known = this.readings.get(name) ?? new Reading(this.log, { topic, partition }, idOf, this.from.get(name));
    this.readings.set(name, known);
    return known;
  }
}

interface Wanted {
  readonly key: string;
  readonly id: string;
}

/** Of an event by its key and its id. */
function nameOf(key: string, id: string): string {
  return JSON.stringify([key, id]);
}

/** A record as it is remembered. */
interface Kept {
  /** The id of the problem that it is about. */
  readonly key: string | null;
  /** Of its value. */
  readonly bytes: number;
  readonly offset: number;
  /** Undefined for what nobody could use. */
  readonly event: () => SeamEvent | undefined;
}

/**
 * What a client of somebody else's keys its problems by is its own affair: they are decoded to know what they are about, once. Of
 * experiences, which are larger and more, the key says it, and they are decoded when they are asked for.
 */
function keptOf(record: LogRecord): Kept {
  const { key, offset, value } = record;
  const bytes = value?.length ?? 0;
  if (record.topic !== TOPIC.problems) return { key, bytes, offset, event: () => decoded(record) };
  const event = decoded(record);
  return { key: event?.type === 'ProblemPublished' ? event.problem.problemId : key, bytes, offset, event: () => event };
}

/** One partition, read along. */
class Reading {
  /** Offset after the last record that was read along. */
  next: number;
  /** Records by their keys, the longest known first. */
  private readonly remembered = new Map<string, Kept[]>();
  private bytes = 0;
  /** By key the stretches before `next` that hold its records; undefined until something is missed. */
  private index: Map<string, Stretch[]> | undefined;
  private indexedTo = 0;

  constructor(
    private readonly log: EventLog,
    private readonly place: { readonly topic: Topic; readonly partition: number },
    private readonly idOf: (event: SeamEvent) => string | undefined,
    from: number | undefined,
  ) {
    this.next = from ?? 0;
  }

  async find(wanted: readonly Wanted[]): Promise<ReadonlyMap<string, SeamEvent>> {
    const found = new Map<string, SeamEvent>();
    /** Keys by name. */
    const missing = new Map(wanted.map(({ id, key }) => [nameOf(key, id), key]));
    const take = (records: readonly Kept[]): void => {
      for (const { key, event: read } of records) {
        const event = read();
        const id = event && this.idOf(event);
        const name = id === undefined ? undefined : nameOf(key!, id);
        if (name !== undefined && missing.delete(name)) found.set(name, event!);
      }
    };
    for (const key of new Set(missing.values())) take(this.remembered.get(key) ?? []);
    if (missing.size > 0) await this.readOn(missing, take);
    if (missing.size > 0) await this.lookBack(missing, take);
    return found;
  }

  /** Along the log until all are found, or to its end. */
  private async readOn(missing: ReadonlyMap<string, string>, take: (records: readonly Kept[]) => void): Promise<void> {
    const { low, high } = await this.bounds();
    this.next = Math.max(this.next, low);
    if (this.next >= high) return;
    const chunks = this.log.read({ ...this.place, from: this.next, to: high, chunkRecords: CHUNK_RECORDS });
    for await (const records of chunks) {
      const keys = new Set(missing.values());
      const kept = records.map(keptOf);
      for (const record of kept) {
        this.remember(record);
        this.next = record.offset + 1;
      }
      take(kept.filter(({ key }) => key !== null && keys.has(key)));
      if (missing.size === 0) return;
    }
    this.next = high;
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
  private async lookBack(
    missing: ReadonlyMap<string, string>,
    take: (records: readonly Kept[]) => void,
  ): Promise<void> {
    const index = await this.indexUpTo(this.next);
    for (const key of new Set(missing.values())) {
      for (const { from, to } of index.get(key) ?? []) {
        for await (const records of this.log.read({ ...this.place, from, to }))
          take(records.map(keptOf).filter((kept) => kept.key === key));
      }
    }
  }

  private async indexUpTo(end: number): Promise<ReadonlyMap<string, readonly Stretch[]>> {
    this.index ??= new Map();
    const { low } = await this.bounds();
    const from = Math.max(this.indexedTo, low);
    if (from < end) {
      for await (const records of this.log.read({ ...this.place, from, to: end }))
        for (const { key, offset } of records.map(keptOf)) if (key !== null) note(this.index, key, offset);
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

function isExperience(event: SeamEvent): event is Experience {
  return event.type === 'ExperienceGenerated' || event.type === 'ExperienceWithheld';
}

/** Undefined for what nobody could use: its consumer sent it to the dead letters. */
function decoded(record: LogRecord): SeamEvent | undefined {
  try {
    return decodeEvent(record);
  } catch {
    return undefined;
  }
}
