/** Places of the log as ranges: what is remembered of results that do not count. */
import type { RecordPosition } from '@seamstream/event-log';
import type { OffsetRange } from '@seamstream/events';

/** Ranges with one more record; those that touch become one. Records of a partition come in their order. */
export function withPlace(
  ranges: readonly OffsetRange[],
  { topic, partition, offset }: RecordPosition,
): readonly OffsetRange[] {
  const at = ranges.findLastIndex((range) => range.topic === topic && range.partition === partition);
  const last = ranges[at];
  return last?.to === offset
    ? ranges.with(at, { ...last, to: offset + 1 })
    : [...ranges, { topic, partition, from: offset, to: offset + 1 }];
}
