import type { Claim, RecordPosition } from '@seamstream/event-log';
import type { SeamEvent } from '@seamstream/events';
import type { HandlerResult } from './handler-result.js';

/** A decoded record as a consumer sees it. */
export interface DeliveredRecord<E extends SeamEvent = SeamEvent> {
  readonly event: E;
  readonly position: RecordPosition;
  /** What the event was decoded from. */
  readonly value?: Uint8Array | null;
  /** 1 on the first delivery in this process. */
  readonly attempt: number;
  /** The next failure sends it to the dead letters: say what else should be recorded now. */
  readonly isLastAttempt: boolean;
}

/** How far the answer to a batch has come, in tokens, of a consumer whose work is writing them. */
export interface BatchProgress {
  /** Records whose answer is ready. */
  readonly records: number;
  /** Written so far for the batch. */
  readonly tokens: number;
  /** Most that a record needs. */
  readonly tokensPerRecord: number;
}

/** Records of one partition in offset order, at least one. */
export interface DeliveredBatch<E extends SeamEvent = SeamEvent> {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly DeliveredRecord<E>[];
  /** Offset of the first record of the log that this batch covers, records that could not be decoded included. */
  readonly firstOffset: number;
  /** Offset after the last one; committed with what the consumer answers. */
  readonly nextOffset: number;
  /** Under which the batch is owned. Under another claim on the same partition, another process may have worked on it. */
  readonly claim: Claim;
  /** Aborts when the work should stop: throw ABORTED (or anything), nothing is committed, and the records are delivered again. */
  readonly signal: AbortSignal;
  /** May be called now and then, for logs and metrics. With it, the error for a deadline that is too short can name the speed. */
  readonly report: (progress: BatchProgress) => void;
}

/** One answer for all records, or one per record in their order. */
export type BatchConsumer = (batch: DeliveredBatch) => Promise<HandlerResult | readonly HandlerResult[]>;
