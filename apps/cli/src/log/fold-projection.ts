import type { EventLog, LogRecord } from '@seamstream/event-log';
import { TOPIC } from '@seamstream/events';
import type { Projection } from '@seamstream/read-models';
import type { Progress } from '../terminal/progress.js';
import { decodeRecord } from './decode-record.js';
import type { ReadRange } from './read-merged.js';
import { storedRanges } from './stored-ranges.js';

/** From effects to causes. */
const DOWNSTREAM_FIRST: readonly string[] = [
  TOPIC.deadLetters,
  TOPIC.adapters,
  TOPIC.training,
  TOPIC.buffer,
  TOPIC.outcomes,
  TOPIC.experiences,
  TOPIC.problems,
];

/**
 * What is in the log now, per partition. The ends of effects are taken before those of their causes, so that on a busy
 * log every outcome that is read has its problem among those that are read.
 */
async function presentRanges(log: EventLog, topics: readonly string[]): Promise<readonly ReadRange[]> {
  const ordered = [...topics].sort((a, b) => DOWNSTREAM_FIRST.indexOf(a) - DOWNSTREAM_FIRST.indexOf(b));
  const ranges: ReadRange[] = [];
  for (const topic of ordered) ranges.push(...(await storedRanges(log, topic)));
  return ranges;
}

export interface Folded<Answer> {
  readonly answer: Answer;
  readonly records: number;
  /** Records that are no events: their consumers sent them to the dead letters. */
  readonly unreadable: number;
}

/** Folds the log into a read model's answer. Rejects with the signal's reason when it aborts. */
export async function foldProjection<State, Answer>(
  log: EventLog,
  projection: Projection<State, Answer>,
  options: {
    readonly signal: AbortSignal;
    readonly progress: (total: number) => Progress;
    /** Which records are opened; all where absent. */
    readonly wants?: (record: LogRecord) => boolean;
  },
): Promise<Folded<Answer>> {
  const ranges = await presentRanges(log, projection.topics);
  const total = ranges.reduce((sum, { from, to }) => sum + to - from, 0);
  const progress = options.progress(total);
  let state = projection.initialState();
  let records = 0;
  let unreadable = 0;
  try {
    // Causes first: what follows from them need not wait for them.
    for (const range of ranges.toReversed()) {
      if (range.from >= range.to) continue;
      for await (const chunk of log.read(range)) {
        options.signal.throwIfAborted();
        for (const record of chunk) {
          if (options.wants?.(record) === false) continue;
          const decoded = decodeRecord(record);
          if ('event' in decoded) state = projection.evolve(state, decoded.event, record);
          else unreadable++;
        }
        records += chunk.length;
        progress.advance(chunk.length);
      }
    }
  } finally {
    progress.stop();
  }
  return { answer: projection.read(state), records, unreadable };
}
