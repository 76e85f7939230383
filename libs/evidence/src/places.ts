/** Places of the log as ranges: what is remembered of results that do not count. */
import { partitionName, type RecordPosition } from '@seamstream/event-log';
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

/** Whether a place is in one of the ranges, which do not overlap: found by halving, for forged results come by the thousand. */
export function placesIn(ranges: readonly OffsetRange[]): (place: RecordPosition) => boolean {
  const byPartition = Map.groupBy(ranges, ({ topic, partition }) => partitionName(topic, partition));
  for (const own of byPartition.values()) own.sort((a, b) => a.from - b.from);
  return ({ topic, partition, offset }) => {
    const own = byPartition.get(partitionName(topic, partition)) ?? [];
    let [low, high] = [0, own.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (own[middle]!.to <= offset) low = middle + 1;
      else high = middle;
    }
    return low < own.length && own[low]!.from <= offset;
  };
}
