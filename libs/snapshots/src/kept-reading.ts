/**
 * Reads a log into several read models at once. Each begins where its snapshot ends, and is kept for the next reading. A snapshot is a cache: one
 * that is damaged, of another release or of another log is passed over, and one that cannot be written is not.
 */
import { join } from 'node:path';
import type { EventLog, LogRecord } from '@seamstream/event-log';
import { canonicalJson, sha256 } from '@seamstream/kernel';
import {
  type EventChunk,
  presentRanges,
  type ReadingProgress,
  type ReadRange,
  readEvents,
} from '@seamstream/log-reader';
import type { KeptProjection } from '@seamstream/read-models';
import { DamagedSnapshot } from './cell-file.js';
import { KEEPING_LIMITS, type KeepingLimits, KeptModel, type SnapshotUse } from './kept-model.js';
import { SnapshotFolder, type SnapshotSubject } from './snapshot-folder.js';

/** Where snapshots of a log are. */
export interface SnapshotPlace {
  readonly folder: string;
  /** Whose records are believed: a digest of the keys. */
  readonly view: string;
}

export interface KeptReadingOptions {
  /** Null: none are kept. */
  readonly place: SnapshotPlace | null;
  /** Digest of the code that folds ({@link codeDigest}). */
  readonly code: string;
  /** Uses no snapshot; what is folded replaces it. */
  readonly fromScratch?: boolean | undefined;
  readonly limits?: KeepingLimits;
}

/** What a comparison of a snapshot with its log came to. */
export interface SnapshotComparison {
  /** The read model's name. */
  readonly model: string;
  /** Records that the snapshot was folded from. */
  readonly records: number;
  readonly state: 'agrees' | 'disagrees' | 'none' | 'not compared';
}

type AnyModel = KeptModel<never, unknown>;

/** A projection whose state only itself knows. */
export type ComparedProjection = KeptProjection<object, unknown>;

/** Another reader of the same log, so that its records are read once for both. */
export interface ReadAlongside {
  readonly ranges: readonly ReadRange[];
  /** @param chunk perhaps with records beyond the ranges */
  take(chunk: EventChunk): Promise<void>;
}

interface Refolding {
  readonly projection: ComparedProjection;
  readonly model: KeptModel<object, unknown>;
  readonly records: number;
  readonly ranges: readonly ReadRange[];
  readonly isFolded: (place: Pick<LogRecord, 'topic' | 'partition' | 'offset'>) => boolean;
  state: object;
}

export class KeptReading {
  private readonly models: AnyModel[] = [];
  private readonly checked = new Set<AnyModel>();

  private constructor(
    private readonly log: EventLog,
    private readonly place: { readonly folder: string; readonly subject: SnapshotSubject } | null,
    private readonly fromScratch: boolean,
    private readonly limits: KeepingLimits,
  ) {}

  static async open(
    log: EventLog,
    { place, code, fromScratch = false, limits = KEEPING_LIMITS }: KeptReadingOptions,
  ): Promise<KeptReading> {
    if (place === null) return new KeptReading(log, null, fromScratch, limits);
    try {
      const identity = await log.identity();
      const folder = join(place.folder, sha256(identity).slice(0, 16));
      return new KeptReading(log, { folder, subject: { log: identity, view: place.view, code } }, fromScratch, limits);
    } catch {
      // A folder that cannot be written may hold a log that has no identity yet.
      return new KeptReading(log, null, fromScratch, limits);
    }
  }

  /** A read model of this reading. */
  of<State extends object, Answer>(projection: KeptProjection<State, Answer>): KeptModel<State, Answer> {
    const folder = this.place && new SnapshotFolder(join(this.place.folder, projection.name), this.place.subject);
    const model = new KeptModel(projection, folder, this.fromScratch, this.limits);
    this.models.push(model as unknown as AnyModel);
    return model;
  }

  /** Folds all models up to what the log holds now. Rejects with the signal's reason when it aborts; what was folded until then is kept. */
  async readOn(options: {
    readonly signal: AbortSignal;
    readonly progress: (total: number) => ReadingProgress;
  }): Promise<void> {
    const topics = [...new Set(this.models.flatMap((model) => model.topics))];
    const ranges = await presentRanges(this.log, topics);
    const unchecked = this.models.filter((model) => !this.checked.has(model));
    await Promise.all(unchecked.map((model) => model.check(this.log, ranges)));
    for (const model of unchecked) this.checked.add(model);
    for (;;) {
      try {
        await this.pass(ranges, options);
        for (const model of this.models) model.keepIfWorth();
        return;
      } catch (error) {
        if (options.signal.aborted) for (const model of this.models) quietly(() => model.keepIfWorth());
        // The model has begun again, which needs no snapshot: once for each at most.
        if (!(error instanceof DamagedSnapshot)) throw error;
      }
    }
  }

  /**
   * Whether the snapshots of read models answer as the records do that they were folded from. Reads each of these once, for all models.
   * @param mostRecords of a longer one nothing is said: `not compared`
   * @param alongside what else is read of the log, in the same reading
   */
  async compare(
    projections: readonly ComparedProjection[],
    {
      mostRecords,
      signal,
      alongside,
    }: { readonly mostRecords: number; readonly signal: AbortSignal; readonly alongside?: ReadAlongside },
  ): Promise<readonly SnapshotComparison[]> {
    const all = await Promise.all(projections.map((projection) => this.refolding(projection)));
    const read = all.filter(({ model, records }) => model.use().from === 'snapshot' && records <= mostRecords);
    const ranges = jointRanges([...(alongside === undefined ? [] : [alongside]), ...read]);
    for await (const chunk of readEvents(this.log, ranges, { undecodable: 'skip', signal })) {
      for (const { event, record } of chunk.events)
        for (const one of read) if (one.isFolded(record)) one.state = one.projection.evolve(one.state, event, record);
      await alongside?.take(chunk);
    }
    return all.map((one): SnapshotComparison => {
      const { projection, model, records, state } = one;
      const told = { model: projection.name, records };
      if (model.use().from === 'beginning') return { ...told, records: 0, state: 'none' };
      if (!read.includes(one)) return { ...told, state: 'not compared' };
      return { ...told, state: this.agrees(model, projection.read(state)) };
    });
  }

  /** A read model with its snapshot, and a state that is yet to be folded from the same records. */
  private async refolding(projection: ComparedProjection): Promise<Refolding> {
    const model = this.of(projection);
    await model.check(this.log, await presentRanges(this.log, projection.topics));
    const folded = new Map(model.folded.map((part) => [`${part.topic}/${part.partition}`, part]));
    return {
      ...{ projection, model, records: model.read.records, state: projection.initialState() },
      ranges: model.folded.map(({ topic, partition, low, next }) => ({ topic, partition, from: low, to: next })),
      isFolded({ topic, partition, offset }) {
        const part = folded.get(`${topic}/${partition}`);
        return part !== undefined && offset >= part.low && offset < part.next;
      },
    };
  }

  /** Lets go of the files. */
  close(): void {
    for (const model of this.models.splice(0)) model.close();
  }

  private agrees(model: { answer(): unknown }, expected: unknown): 'agrees' | 'disagrees' {
    try {
      return canonicalJson(model.answer()) === canonicalJson(expected) ? 'agrees' : 'disagrees';
    } catch {
      // A state from which no answer can be read is not one of this projection.
      return 'disagrees';
    }
  }

  private async pass(
    ranges: readonly ReadRange[],
    { signal, progress }: Parameters<KeptReading['readOn']>[0],
  ): Promise<void> {
    const parts = ranges.map((range) => {
      const wanted = this.models.map((model) => model.next(range)).filter((next) => next !== null);
      return { ...range, from: Math.min(range.to, ...wanted), low: range.from };
    });
    const bar = progress(parts.reduce((sum, { from, to }) => sum + to - from, 0));
    const unreadable: LogRecord[] = [];
    try {
      // Causes first: what follows from them need not wait for them.
      for (const { low, ...part } of parts.toReversed()) {
        const range = { ...part, from: low };
        for await (const { records, events } of readEvents(this.log, [part], {
          signal,
          undecodable: (record) => unreadable.push(record),
        })) {
          for (const model of this.models) model.take(range, records, events, unreadable);
          unreadable.length = 0;
          bar.advance(records.length);
        }
        for (const model of this.models) model.finish(range);
      }
    } finally {
      bar.stop();
    }
  }
}

/** All records that are in one of the ranges at least, each topic's where its first range stands. */
function jointRanges(parts: readonly Pick<Refolding, 'ranges'>[]): readonly ReadRange[] {
  const joint = new Map<string, ReadRange>();
  for (const range of parts.flatMap(({ ranges }) => ranges)) {
    const place = `${range.topic}/${range.partition}`;
    const { from, to } = joint.get(place) ?? range;
    joint.set(place, { ...range, from: Math.min(from, range.from), to: Math.max(to, range.to) });
  }
  return [...joint.values()];
}

function quietly(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof DamagedSnapshot)) throw error;
  }
}

/** What several models say of themselves, as one. */
export function jointUse(models: readonly { use(): SnapshotUse }[]): SnapshotUse {
  const uses = models.map((model) => model.use());
  const kept = uses.map(({ snapshot }) => snapshot.kept);
  return {
    from: uses.every(({ from }) => from === 'snapshot') ? 'snapshot' : 'beginning',
    snapshot: {
      records: Math.min(...uses.map(({ snapshot }) => snapshot.records)),
      passedOver: uses.find(({ snapshot }) => snapshot.passedOver !== null)?.snapshot.passedOver ?? null,
      kept: kept.find((each) => each === 'not written') ?? kept.find((each) => each === 'written') ?? 'current',
    },
  };
}
