/** One read model while a log is read: where its fold stands, and whether it began from a snapshot. */
import { type EventLog, type LogRecord, partitionName } from '@seamstream/event-log';
import { isSeamError, sha256 } from '@seamstream/kernel';
import type { PlacedEvent, ReadRange } from '@seamstream/log-reader';
import type { KeptProjection } from '@seamstream/read-models';
import { DamagedSnapshot } from './cell-file.js';
import { KeptCells } from './kept-cells.js';
import type { FoldedPlace, PassedOver, SnapshotFolder } from './snapshot-folder.js';

/** What an answer rests on. */
export interface SnapshotUse {
  readonly from: 'snapshot' | 'beginning';
  readonly snapshot: {
    /** Records that it spared. */
    readonly records: number;
    /** Why none was used; null where one was. */
    readonly passedOver: PassedOver | null;
    /** Whether what was read now is kept: `current` where nearly nothing was new. */
    readonly kept: 'written' | 'current' | 'not written';
  };
}

export interface KeepingLimits {
  /** Records that are worth a new snapshot. */
  readonly worthKeeping: number;
  /** After how many records a long fold is kept, so that who stops it need not begin again. */
  readonly recordsBetween: number;
  /** Changed cells in memory. */
  readonly mostChanged: number;
}

/** 2,000 records are folded in some hundredths of a second; 200,000 cells are some tens of MB. */
export const KEEPING_LIMITS: KeepingLimits = { worthKeeping: 2000, recordsBetween: 500_000, mostChanged: 200_000 };

export class KeptModel<State extends object, Answer> {
  private cells: KeptCells;
  private state: State;
  private readonly places = new Map<string, FoldedPlace>();
  private records = 0;
  private unreadable = 0;
  /** Of the present state, once it was asked for. */
  private answered: { readonly answer: Answer } | undefined;
  /** Records that a snapshot has. */
  private keptRecords = 0;
  private spared = 0;
  private passedOver: PassedOver | null;
  private kept: SnapshotUse['snapshot']['kept'] = 'current';
  private mayKeep: boolean;
  private maySpill: boolean;

  constructor(
    private readonly projection: KeptProjection<State, Answer>,
    private readonly folder: SnapshotFolder | null,
    fresh: boolean,
    private readonly limits: KeepingLimits,
  ) {
    const loaded = folder?.load() ?? 'there is no place for it';
    const isUsable = loaded !== 'there is no place for it' && loaded !== 'others may write its folder';
    this.mayKeep = isUsable;
    this.maySpill = isUsable;
    if (typeof loaded === 'string' || fresh) {
      if (typeof loaded !== 'string') loaded.cells.close();
      this.passedOver =
        typeof loaded === 'string' && !isUsable ? loaded : fresh ? 'from scratch' : (loaded as PassedOver);
      this.cells = new KeptCells(isUsable ? folder!.folder : null);
      this.state = projection.initialState(this.cells);
      return;
    }
    const { snapshot, cells } = loaded;
    this.passedOver = null;
    this.cells = cells;
    this.state = { ...snapshot.state, cells } as unknown as State;
    for (const place of snapshot.places) this.places.set(partitionName(place.topic, place.partition), { ...place });
    this.records = this.keptRecords = this.spared = snapshot.records;
    this.unreadable = snapshot.unreadable;
  }

  get topics(): readonly string[] {
    return this.projection.topics;
  }

  get read(): { readonly records: number; readonly unreadable: number } {
    return { records: this.records, unreadable: this.unreadable };
  }

  /** Begins again where the log is not the one that the snapshot is of. */
  async check(log: EventLog, ranges: readonly ReadRange[]): Promise<void> {
    const places = [...this.places.values()];
    const areInLog = await Promise.all(places.map((place) => isInLog(log, ranges, place)));
    if (areInLog.includes(false)) this.reset('the log was cut');
  }

  /** The next offset of a partition that it wants; null for a topic that it does not fold. */
  next({ topic, partition, from }: ReadRange): number | null {
    if (!this.topics.includes(topic)) return null;
    return this.places.get(partitionName(topic, partition))?.next ?? from;
  }

  /** Folds what is new to it. @throws DamagedSnapshot where the cells are damaged: it begins again then */
  take(
    range: ReadRange,
    records: readonly LogRecord[],
    events: readonly PlacedEvent[],
    unreadable: readonly LogRecord[],
  ): void {
    const next = this.next(range);
    const last = records.at(-1);
    if (next === null || last === undefined || last.offset < next) return;
    const isNew = ({ offset }: { readonly offset: number }): boolean => offset >= next;
    this.answered = undefined;
    this.guarded(() => {
      for (const { event, record } of events)
        if (isNew(record)) this.state = this.projection.evolve(this.state, event, record);
    });
    this.records += records.filter(isNew).length;
    this.unreadable += unreadable.filter(isNew).length;
    this.place(range, last.offset + 1, { offset: last.offset, digest: digestOf(last)! });
    const isMuch =
      this.records - this.keptRecords >= this.limits.recordsBetween || this.cells.numChanged >= this.limits.mostChanged;
    if (isMuch) this.keep();
  }

  /** A range was read to its end: what is missing there is no record. */
  finish(range: ReadRange): void {
    if (this.next(range) !== null) this.place(range, range.to, null);
  }

  /** Keeps what was folded, if it is worth it. @throws as {@link take} */
  keepIfWorth(): void {
    const news = this.records - this.keptRecords;
    // Also of nothing: who asks again sees that it is still nothing.
    const isFirst = this.passedOver !== null && this.kept === 'current';
    if (news >= this.limits.worthKeeping || isFirst) this.keep();
  }

  /** The same object until something is folded: who asks again and again pays once for what is new. */
  answer(): Answer {
    this.answered ??= { answer: this.projection.read(this.state) };
    return this.answered.answer;
  }

  /** How far it was folded. */
  get folded(): readonly FoldedPlace[] {
    return [...this.places.values()];
  }

  use(): SnapshotUse {
    const { spared, passedOver, kept } = this;
    return {
      from: passedOver === null ? 'snapshot' : 'beginning',
      snapshot: { records: spared, passedOver, kept: this.mayKeep ? kept : 'not written' },
    };
  }

  close(): void {
    this.cells.close();
  }

  private keep(): void {
    this.guarded(() => {
      if (this.mayKeep) {
        const { records, unreadable } = this;
        const state = { ...this.state, cells: null };
        this.mayKeep = this.folder!.keep({ places: this.folded, records, unreadable, state }, this.cells);
        if (this.mayKeep) {
          this.keptRecords = records;
          this.kept = 'written';
        }
      } else if (this.maySpill) {
        // Another process keeps its own; memory is bounded all the same.
        try {
          this.cells.spill();
        } catch (error) {
          if (error instanceof DamagedSnapshot) throw error;
          this.maySpill = false;
        }
      }
    });
  }

  private guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (error instanceof DamagedSnapshot) this.reset('it is damaged');
      throw error;
    }
  }

  private reset(why: PassedOver): void {
    this.answered = undefined;
    this.cells.close();
    this.cells = new KeptCells(this.maySpill ? this.folder!.folder : null);
    this.state = this.projection.initialState(this.cells);
    this.places.clear();
    this.records = this.unreadable = this.keptRecords = this.spared = 0;
    this.passedOver = why;
  }

  private place(range: ReadRange, next: number, last: FoldedPlace['last']): void {
    const { topic, partition, from } = range;
    const name = partitionName(range.topic, range.partition);
    const known = this.places.get(name);
    if (known === undefined) this.places.set(name, { topic, partition, low: from, next, last });
    else {
      known.next = Math.max(known.next, next);
      known.last = last ?? known.last;
    }
  }
}

/** Whether the log still begins where it began, and has at its place the record that was folded last. */
async function isInLog(log: EventLog, ranges: readonly ReadRange[], place: FoldedPlace): Promise<boolean> {
  const { topic, partition, low, next, last } = place;
  const range = ranges.find((each) => each.topic === topic && each.partition === partition);
  if (range?.from !== low || next > range.to) return false;
  if (last === null) return true;
  try {
    for await (const [record] of log.read({ topic, partition, from: last.offset, to: last.offset + 1 }))
      return digestOf(record) === last.digest;
    return false;
  } catch (error) {
    if (isSeamError(error, 'OFFSET_OUT_OF_RANGE')) return false;
    throw error;
  }
}

function digestOf(record: LogRecord | undefined): string | null {
  if (record === undefined) return null;
  const { key, value, timestampMs, unreadable } = record;
  return sha256(JSON.stringify([key, timestampMs, unreadable ?? null, value === null]), value ?? '');
}
