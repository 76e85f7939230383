/**
 * When this folder's loop was worked on: one span per process that drove it, kept in a file, so that a night between two starts is no
 * part of what the loop took, nor what a process hosts when the loop is over. A span's end is written while the process lives; of one that was killed, at most the last
 * {@link SAVE_EVERY_MS} are missing.
 */
import { join } from 'node:path';
import type { Clock } from '@seamstream/kernel';
import { z } from 'zod';
import { readKept, writeWhole } from './kept-file.js';
import { endedRuns, type LoopProgress } from './round-progress.js';

/** Milliseconds since 1970, both ends. */
export interface WorkSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

const SAVE_EVERY_MS = 5_000;

const KEPT = {
  expected: 'the times at which this folder was worked on',
  remedy: 'Move the file away; the report then counts the whole time since the first problem.',
};
const fileSchema = z.array(z.object({ fromMs: z.number(), toMs: z.number() }));

/** Milliseconds of the spans that lie between two times. Spans that overlap count once. */
export function workedMs(spans: readonly WorkSpan[], fromMs: number, toMs: number): number {
  let worked = 0;
  let countedTo = fromMs;
  for (const span of [...spans].sort((a, b) => a.fromMs - b.fromMs)) {
    const from = Math.max(span.fromMs, countedTo);
    const to = Math.min(span.toMs, toMs);
    if (to <= from) continue;
    worked += to - from;
    countedTo = to;
  }
  return worked;
}

/** Keeps the spans of a data folder while a process works on it. */
export class WorkSpans {
  private timer: NodeJS.Timeout | undefined;
  private endedAtMs: number | undefined;
  private saving: Promise<void> = Promise.resolve();

  private constructor(
    private readonly path: string,
    private readonly past: readonly WorkSpan[],
    private readonly clock: Clock,
    private readonly fromMs: number,
  ) {}

  /**
   * Begins a span.
   * @param unrecorded what is known of the work on a folder that keeps no spans yet
   * @throws INVALID_CONFIGURATION for a file that holds something else
   */
  static async begin(dataFolder: string, clock: Clock, unrecorded: readonly WorkSpan[] = []): Promise<WorkSpans> {
    const path = join(dataFolder, 'work-spans.json');
    const spans = new WorkSpans(path, (await readKept(path, fileSchema, KEPT)) ?? unrecorded, clock, clock.now());
    await spans.save();
    spans.timer = setInterval(() => void spans.save(), SAVE_EVERY_MS);
    spans.timer.unref();
    return spans;
  }

  /** All spans, this process's up to its end or to now. */
  all(): readonly WorkSpan[] {
    return [...this.past, { fromMs: this.fromMs, toMs: this.endedAtMs ?? this.clock.now() }];
  }

  /** Ends the span, once: what a process does afterwards is no work on the loop. */
  async end(): Promise<void> {
    clearInterval(this.timer);
    this.endedAtMs ??= this.clock.now();
    await this.save();
  }

  /** One after the other; a disk that is full must not end the loop: the next save tries again. */
  private save(): Promise<void> {
    this.saving = this.saving
      .then(() => writeWhole(this.path, `${JSON.stringify(this.all())}\n`))
      .catch(() => undefined);
    return this.saving;
  }
}

/** Seconds of work from the first problem to the end of the last run, or to `toMs` where that is given. */
export function loopSeconds(progress: LoopProgress, spans: WorkSpans | undefined, toMs: number | null): number {
  const rows = [...progress.rounds.values()];
  if (rows.length === 0) return 0;
  const fromMs = Math.min(...rows.map((row) => row.firstPublishedAtMs));
  const endMs = toMs ?? Math.max(fromMs, ...endedRuns(progress).map(({ endedAtMs }) => endedAtMs ?? 0));
  return (spans === undefined ? Math.max(0, endMs - fromMs) : workedMs(spans.all(), fromMs, endMs)) / 1000;
}
