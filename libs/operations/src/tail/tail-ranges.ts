/** Which offsets a tail shows. */

import type { EventLog, Watermarks } from '@seamstream/event-log';
import { type ReadRange, readRecords } from '@seamstream/log-reader';

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

/**
 * Ranges that hold the last `records` of each partition, so that together they hold the topic's last `records`; and how
 * many they hold. A log may have offsets without a record, so a range grows until it holds enough.
 */
export async function lastRanges(
  log: EventLog,
  topic: string,
  marks: readonly Watermarks[],
  records: number,
): Promise<{ readonly ranges: readonly ReadRange[]; readonly stored: number }> {
  const ranges: ReadRange[] = [];
  let stored = 0;
  for (const { partition, low, high } of marks) {
    for (let span = records; ; span *= 4) {
      const from = Math.max(low, high - span);
      let held = 0;
      for await (const { records: read } of readRecords(log, [{ topic, partition, from, to: high }]))
        held += read.length;
      if (held < records && from > low) continue;
      ranges.push({ topic, partition, from, to: high });
      stored += held;
      break;
    }
  }
  return { ranges, stored };
}
