import type { EventLog, LogRecord } from '@seamstream/event-log';
import { decodeEvent, type SeamEvent } from '@seamstream/events';

/**
 * Folds the events of a topic from where a fold stands to the given ends, partition by partition in their order. A partition that
 * it has read further stays as it is, and a record that is no event is passed over: its consumer sent it to the dead letters.
 * @param ends offset after the last record to fold, by partition
 */
export async function replayUntil<Fold extends { readonly nextOffsets: ReadonlyMap<number, number> }>(
  log: EventLog,
  topic: string,
  { start, ends }: { readonly start: Fold; readonly ends: ReadonlyMap<number, number> },
  evolve: (fold: Fold, event: SeamEvent, record: LogRecord) => Fold,
): Promise<Fold> {
  let fold = start;
  for (const [partition, to] of [...ends].sort(([a], [b]) => a - b)) {
    const from = fold.nextOffsets.get(partition) ?? 0;
    if (from >= to) continue;
    for await (const records of log.read({ topic, partition, from, to })) {
      for (const record of records) {
        let event: SeamEvent;
        try {
          event = decodeEvent(record);
        } catch {
          continue;
        }
        fold = evolve(fold, event, record);
      }
    }
  }
  return fold;
}
