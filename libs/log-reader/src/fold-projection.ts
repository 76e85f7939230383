import type { EventLog, LogRecord } from '@seamstream/event-log';
import { type SeamEvent, TOPIC } from '@seamstream/events';
import { readEvents } from './read-events.js';
import type { ReadRange } from './read-range.js';
import { storedRanges } from './stored-ranges.js';

/** What a log is folded by. */
export interface LogFold<State, Answer> {
  readonly topics: readonly string[];
  initialState(): State;
  evolve(state: State, event: SeamEvent, position: LogRecord): State;
  read(state: State): Answer;
}

/** Receives how much of a reading is done, in records. */
export interface ReadingProgress {
  advance(records: number): void;
  stop(): void;
}

/** Of a reading without a viewer. */
export const UNSHOWN: ReadingProgress = { advance: () => undefined, stop: () => undefined };

/** From effects to causes. */
const DOWNSTREAM_FIRST: readonly string[] = [
  TOPIC.deadLetters,
  TOPIC.adapters,
  TOPIC.training,
  TOPIC.buffer,
  TOPIC.outcomes,
  TOPIC.feedback,
  TOPIC.answers,
  TOPIC.experiences,
  TOPIC.problems,
  TOPIC.usage,
  TOPIC.access,
];

/**
 * What is in the log now, per partition. The ends of effects are taken before those of their causes, so that on a busy
 * log every outcome that is read has its problem among those that are read.
 */
export async function presentRanges(log: EventLog, topics: readonly string[]): Promise<readonly ReadRange[]> {
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
  projection: LogFold<State, Answer>,
  options: {
    readonly signal: AbortSignal;
    readonly progress: (total: number) => ReadingProgress;
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
    const chunks = readEvents(log, ranges.toReversed(), {
      signal: options.signal,
      wants: options.wants,
      undecodable: () => unreadable++,
    });
    for await (const chunk of chunks) {
      for (const { event, record } of chunk.events) state = projection.evolve(state, event, record);
      records += chunk.records.length;
      progress.advance(chunk.records.length);
    }
  } finally {
    progress.stop();
  }
  return { answer: projection.read(state), records, unreadable };
}
