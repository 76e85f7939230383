/** Which offsets a tail shows. Pure. */
import type { Watermarks } from '@seamstream/event-log';
import type { ReadRange } from '../log/read-merged.js';

/** The range of each partition from the given offset to its end; an offset outside of what is stored is moved to its edge. */
export function rangesFrom(
  topic: string,
  marks: readonly Watermarks[],
  from: (mark: Watermarks) => number,
): readonly ReadRange[] {
  return marks.map((mark) => ({
    topic,
    partition: mark.partition,
    from: Math.min(Math.max(from(mark), mark.low), mark.high),
    to: mark.high,
  }));
}

/** Ranges that hold the last `records` of each partition: together they hold the topic's last `records`. */
export function lastRanges(topic: string, marks: readonly Watermarks[], records: number): readonly ReadRange[] {
  return rangesFrom(topic, marks, ({ high }) => high - records);
}
