/** What the workers of a group need, and what they report. */
import type { EventLog, LogRecord, RecordPosition } from '@seamstream/event-log';
import type { Clock, ReadWriteLock } from '@seamstream/kernel';
import type { Tracing } from '../tracing/tracing.port.js';
import type { AnswersIn } from './answers-in.js';
import type { CrashJournal } from './crash-journal.js';
import type { Fault } from './dead-letter.js';
import type { Pace } from './pace.js';

/** What happens, for metrics and log lines. */
interface WorkerObserver {
  committed(counts: {
    readonly records: number;
    readonly events: number;
    readonly deadLetters: number;
    readonly seconds: number;
  }): void;
  deadLettered(fault: Fault, record: LogRecord): void;
  retried(error: { readonly code: string; readonly reason: string }, waitMs: number): void;
  fenced(records: number): void;
  /** They had been answered before. */
  passedOver(records: number): void;
  /** They name a record as their cause and are no answers to it, which is worked on nevertheless. */
  notBelieved(places: readonly RecordPosition[]): void;
  /** Of a batch under way; null when it has ended. */
  underWay(progress: BatchUnderWay | null): void;
}

/** What is known of a batch while it is worked on. */
export interface BatchUnderWay {
  readonly partition: number;
  /** Records of the batch, and how many of them are ready. */
  readonly records: number;
  readonly ready: number;
  readonly tokens: number;
  /** Null before the first tokens were counted. */
  readonly tokensPerSecond: number | null;
  readonly elapsedMs: number;
  /** Estimated; null while nothing is known. */
  readonly remainingMs: number | null;
  readonly deadlineMs: number | null;
}

export interface WorkerOptions {
  readonly log: EventLog;
  readonly group: string;
  /** The service in the meta of dead letters, e.g. seam/generator. */
  readonly source: string;
  readonly maxAttempts: number;
  readonly firstRetryMs: number;
  readonly maxRetryMs: number;
  /** A record with an answer there is skipped. */
  readonly answersIn?: AnswersIn;
  /** Longest time that the consumer may take for one answer. */
  readonly deadlineMs?: number;
  /** How many records are begun together; absent: a whole batch. */
  readonly pace?: Pace;
  /** Finds records that kill the process. All workers of the process share the lock. */
  readonly crashes?: { readonly marks: CrashJournal; readonly lock: ReadWriteLock };
  /** Absent where nothing is traced. */
  readonly tracing?: Tracing;
  readonly clock: Clock;
  readonly observer: WorkerObserver;
}
