/**
 * Brings the planner's window to where the log stands, in slices: a log that takes long to read holds up no batch for longer than a slice,
 * and what was read is not read again. Groups that were open or complete when the last windows ended are known by counting these again.
 */
import type { ConsumedOffset, EventLog } from '@seamstream/event-log';
import { type OffsetRange, TOPIC } from '@seamstream/events';
import { readEvents } from '@seamstream/log-reader';
import { evolveWindow, type OutcomeWindow, REMEMBERED_WINDOWS, windowAt } from './outcome-window.js';
import type { TrainingHistory } from './training-history.js';

/** Records of one slice. */
const SLICE_RECORDS = 20_000;

/** A stretch of all partitions that is counted. */
interface Stage {
  /** Where the window is put before; absent: it continues. */
  readonly at?: (window: OutcomeWindow) => OutcomeWindow;
  /** By partition: the offset after the last record. */
  readonly ends: ReadonlyMap<number, number>;
}

const placesOf = (ranges: readonly OffsetRange[], end: 'from' | 'to'): ReadonlyMap<number, number> =>
  new Map(ranges.map((range) => [range.partition, range[end]]));

export class WindowRestoration {
  private window = windowAt(new Map());
  private readonly stages: Stage[] = [];
  /** Of the stage under way, by partition: the next record to read. */
  private cursors: Map<number, number> | undefined;

  /** @param consumed what the planners have committed */
  constructor(
    private readonly log: EventLog,
    { lastWindow, windows }: TrainingHistory,
    consumed: readonly ConsumedOffset[],
    private readonly sliceRecords = SLICE_RECORDS,
  ) {
    const last = lastWindow?.configuration.window?.index;
    for (let back = last === undefined ? -1 : REMEMBERED_WINDOWS - 1; back >= 0; back--) {
      const ranges = windows.get(last! - back)?.outcomes;
      if (ranges === undefined) continue;
      const ends = placesOf(ranges, 'to');
      const begin = placesOf(ranges, 'from');
      this.stages.push({ at: ({ completedBefore, open }) => ({ ...windowAt(begin), completedBefore, open }), ends });
      this.stages.push({ at: (window) => windowAt(ends, window), ends: new Map() });
    }
    this.stages.push({ ends: new Map(consumed.map(({ partition, nextOffset }) => [partition, nextOffset])) });
  }

  /**
   * Counts one slice.
   * @returns the window; undefined as long as there is more to count
   * @throws the signal's reason between two reads, and errors of the log: the next call resumes where this one stopped
   */
  async advance(signal?: AbortSignal): Promise<OutcomeWindow | undefined> {
    let left = this.sliceRecords;
    for (let [stage] = this.stages; stage !== undefined; [stage] = this.stages) {
      if (this.cursors === undefined) {
        this.window = stage.at?.(this.window) ?? this.window;
        this.cursors = new Map([...stage.ends.keys()].map((partition) => [partition, this.next(partition)]));
      }
      for (const [partition, to] of [...stage.ends].sort(([a], [b]) => a - b)) {
        const from = this.cursors.get(partition)!;
        if (from >= to) continue;
        if (left <= 0) return undefined;
        const end = Math.min(to, from + left);
        await this.count({ topic: TOPIC.outcomes, partition, from, to: end }, signal);
        left -= end - from;
        if (end < to) return undefined;
      }
      this.cursors = undefined;
      this.stages.shift();
    }
    return this.window;
  }

  private next(partition: number): number {
    return this.window.nextOffsets.get(partition) ?? 0;
  }

  private async count(range: OffsetRange, signal: AbortSignal | undefined): Promise<void> {
    for await (const { records, events } of readEvents(this.log, [range], { undecodable: 'skip', signal })) {
      for (const { event, record } of events) this.window = evolveWindow(this.window, event, record);
      this.cursors!.set(range.partition, records.at(-1)!.offset + 1);
    }
    // Where the log has gaps the last record stands before the end.
    this.cursors!.set(range.partition, range.to);
  }
}
