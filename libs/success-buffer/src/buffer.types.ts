/** What the buffer reads, what it keeps and what it says. */

import type {
  AttemptUngraded,
  ExecutionFailed,
  OutcomeRecorded,
  SuccessAdmitted,
  SuccessRejected,
} from '@seamstream/events';

type ResultFacts = Pick<
  ExecutionFailed | AttemptUngraded,
  'meta' | 'problem' | 'experienceId' | 'attemptId' | 'groupId' | 'groupSize' | 'arm'
>;

/** The part of OutcomeRecorded that is folded. */
export type OutcomeFacts = ResultFacts &
  Pick<
    OutcomeRecorded,
    'entry' | 'promptTokenIds' | 'tokenIds' | 'forced' | 'baseModelDigest' | 'adapterDigest' | 'success' | 'reward'
  >;

/**
 * An outcome, or an attempt that failed or was not judged: the group waits for one member less, without a verdict. Whole events fit. An
 * outcome needs its problem's content (ProblemContents), since a success is kept with its prompt.
 */
export type BufferInput =
  | ({ readonly type: 'OutcomeRecorded' } & OutcomeFacts)
  | ({ readonly type: 'ExecutionFailed' | 'AttemptUngraded' } & ResultFacts);

/** Position of the folded event in the log. */
export interface InputPosition {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

export type Difficulty = 'easy' | 'medium' | 'hard';

/** One kept pair of problem and entry, as it is stored. */
export interface BufferRow {
  readonly outcomeId: string;
  /** The attempt's: the experience's own where that is tried once. */
  readonly experienceId: string;
  readonly problemId: string;
  readonly domain: string;
  /** domain/difficulty */
  readonly stratum: string;
  readonly prompt: string;
  /** JSON text as sampled. */
  readonly entry: string;
  readonly promptTokenIds: readonly number[];
  /** Sampled ids; `forced` runs parallel. */
  readonly tokenIds: readonly number[];
  readonly forced: readonly boolean[];
  readonly reward: number;
  /** (1 − success rate of the group) × (1 − success rate of the domain's control arm), 0 … 1. */
  readonly helpfulness: number;
  readonly adapterDigest: string | null;
  readonly baseModelDigest: string | null;
}

/** The events SuccessAdmitted and SuccessRejected: of their `meta` only whose data the pair is, the rest in full. */
export type BufferDecision = (
  | ({ readonly type: 'SuccessAdmitted' } & Omit<SuccessAdmitted, 'meta'>)
  | ({ readonly type: 'SuccessRejected' } & Omit<SuccessRejected, 'meta'>)
) & { readonly subject: string | null };
