/**
 * What becomes of a batch that failed: the first of the {@link SITUATIONS} that holds decides. So a poison record stops nothing, and an
 * outage does not fill the dead letters. Pure: from the failure and the tries before it follows what to do.
 *
 *   retry, repeat   the record, the batch, again after a wait         deadLetter   the record goes to the dead letters
 *   outlast         the same, however long the world fails            handBack     the records are delivered again, here or elsewhere
 *   alone           one record at a time                              end…         the subscription ends
 *   halve           the first half, then the second
 *   narrow, commitAgain, commitLater, giveUp   what a refused commit leads to: fewer records, the same, the same later, a dead letter
 */
import { type ErrorCode, isSeamError, messageOf, type SeamError } from '@seamstream/kernel';
import { HungConsumer, RefusedCommit, RefusedForGood, SubscriptionStop } from './subscription-end.js';

export interface Failure {
  readonly code: ErrorCode;
  readonly reason: string;
  /**
   * `refused`: the log took nothing of a commit. `ended`: the subscription ends on purpose. `endedForGood`: it does so even if the claim
   * is lost. `outage`: the world failed. `fault`: all else.
   */
  readonly kind: 'refused' | 'ended' | 'endedForGood' | 'outage' | 'fault';
  readonly isRetryable: boolean;
}

export interface History {
  /** Whether the work was asked to stop. */
  readonly isToldToStop: boolean;
  /** Records that were taken together. */
  readonly taken: number;
  /** Those of them that the consumer was asked about. */
  readonly asked: number;
  /** Whether others were worked on at the same time, in other partitions. */
  readonly wasShared: boolean;
  /** Failures, including this one, of the record that is tried alone, and of the batch as a whole. */
  readonly attempts: number;
  readonly wholeAttempts: number;
  /** Whether a late record shows that the deadline is too short, not that the record is at fault. */
  readonly isDeadlineTooShort: boolean;
  readonly maxAttempts: number;
}

export type Remedy =
  | 'retry'
  | 'outlast'
  | 'alone'
  | 'repeat'
  | 'halve'
  | 'deadLetter'
  | 'handBack'
  | 'end'
  | 'endAsTooSlow'
  | 'endAsRefused'
  | 'narrow'
  | 'giveUp'
  | 'commitAgain'
  | 'commitLater';

export interface Situation {
  readonly situation: string;
  readonly holds: (failure: Failure, history: History) => boolean;
  readonly remedy: Remedy;
}

/** Times that a batch of several records is tried as a whole before it is halved. */
const WHOLE_BATCH_ATTEMPTS = 2;
/** Tries of a record whose failure is not retryable. */
const HOPELESS_ATTEMPTS = 2;

/** The world failed, not the record: trying again is right for as long as it lasts. */
const OUTAGES: readonly ErrorCode[] = [
  'LOG_UNAVAILABLE',
  'LOG_FULL',
  'SCHEMA_REGISTRY_UNAVAILABLE',
  'OBJECT_STORE_UNAVAILABLE',
  'OBJECT_STORE_FULL',
  'ENDPOINT_UNAVAILABLE',
];

/** The surroundings are not as configured. This process cannot mend that, and no record is to blame: a person has to look. */
const FATAL: readonly ErrorCode[] = [
  'LOG_CORRUPT',
  'LOG_READ_ONLY',
  'LOG_INCOMPATIBLE_VERSION',
  'UNKNOWN_TOPIC',
  'OFFSET_OUT_OF_RANGE',
  'OBJECT_NOT_FOUND',
  'INVALID_CONFIGURATION',
  'CONFLICT',
  'CHECKPOINT_INVALID',
];

/** Codes of a log that refuses a commit because of its content. With any other code the commit waits, and no record is at fault. */
const FAULTS_OF_RECORDS: readonly ErrorCode[] = ['RECORD_TOO_LARGE', 'INVALID_INPUT'];

const isRefused = ({ kind }: Failure): boolean => kind === 'refused';
const isFault = ({ code }: Failure): boolean => FAULTS_OF_RECORDS.includes(code);
const isLate = ({ code }: Failure): boolean => code === 'DEADLINE_EXCEEDED';
const isHopeless = (attempts: number, maxAttempts: number): boolean =>
  attempts >= Math.min(HOPELESS_ATTEMPTS, maxAttempts);

export const SITUATIONS: readonly Situation[] = [
  {
    situation: 'the log refuses a commit of several records because of the content of one',
    holds: (failure, { taken }) => isRefused(failure) && isFault(failure) && taken > 1,
    remedy: 'narrow',
  },
  {
    situation: 'the log refuses a dead letter because of its content',
    holds: (failure, { asked }) => isRefused(failure) && isFault(failure) && asked === 0,
    remedy: 'endAsRefused',
  },
  {
    situation: 'the log refuses what follows from one record because of its content, a second time',
    holds: (failure, { attempts, maxAttempts }) =>
      isRefused(failure) && isFault(failure) && isHopeless(attempts, maxAttempts),
    remedy: 'giveUp',
  },
  {
    situation: 'the log refuses what follows from one record because of its content',
    holds: (failure) => isRefused(failure) && isFault(failure),
    remedy: 'commitAgain',
  },
  {
    situation: 'the log refuses a commit for a reason that may pass',
    holds: isRefused,
    remedy: 'commitLater',
  },
  {
    situation: 'the log will never take a commit, which may have cost the claim',
    holds: ({ kind }) => kind === 'endedForGood',
    remedy: 'end',
  },
  {
    situation: 'another instance owns the partition',
    holds: ({ code }) => code === 'FENCED',
    remedy: 'end',
  },
  {
    situation: 'the work was asked to stop',
    holds: (_failure, { isToldToStop }) => isToldToStop,
    remedy: 'handBack',
  },
  {
    situation: 'the subscription is ended on purpose',
    holds: ({ kind }) => kind === 'ended',
    remedy: 'end',
  },
  {
    situation: 'the surroundings are not as configured',
    holds: ({ code }) => FATAL.includes(code),
    remedy: 'end',
  },
  {
    situation: 'the world fails',
    holds: ({ kind }) => kind === 'outage',
    remedy: 'outlast',
  },
  {
    // Each further try may take as long: halving would take many.
    situation: 'records are late that shared the speed, with each other or with other partitions',
    holds: (failure, { asked, wasShared }) => isLate(failure) && (asked > 1 || (asked === 1 && wasShared)),
    remedy: 'alone',
  },
  {
    situation: 'no record is done in time at the measured speed',
    holds: (failure, { asked, isDeadlineTooShort }) => isLate(failure) && asked === 1 && isDeadlineTooShort,
    remedy: 'endAsTooSlow',
  },
  {
    situation: 'several records fail together',
    holds: (_failure, { asked, wholeAttempts }) => asked > 1 && wholeAttempts < WHOLE_BATCH_ATTEMPTS,
    remedy: 'repeat',
  },
  {
    situation: 'several records fail together once more',
    holds: (_failure, { asked }) => asked > 1,
    remedy: 'halve',
  },
  {
    situation: 'dead letters alone cannot be written',
    holds: (_failure, { asked }) => asked === 0,
    remedy: 'end',
  },
  {
    situation: 'a record fails as often as it may',
    holds: ({ isRetryable }, { attempts, maxAttempts }) =>
      attempts >= maxAttempts || (!isRetryable && isHopeless(attempts, maxAttempts)),
    remedy: 'deadLetter',
  },
  {
    situation: 'a record fails',
    holds: () => true,
    remedy: 'retry',
  },
];

/** What to do about a failure. */
export function remedyFor(failure: Failure, history: History): Remedy {
  return SITUATIONS.find(({ holds }) => holds(failure, history))!.remedy;
}

/** What is known of anything that was thrown. */
export function failureOf(error: unknown): Failure {
  const reason = messageOf(error);
  if (error instanceof RefusedCommit) return { code: error.code, reason, kind: 'refused', isRetryable: false };
  if (!isSeamError(error)) return { code: 'INTERNAL', reason, kind: 'fault', isRetryable: false };
  const { code, retryable: isRetryable } = error;
  if (error instanceof RefusedForGood) return { code, reason, kind: 'endedForGood', isRetryable };
  if (error instanceof SubscriptionStop || error instanceof HungConsumer)
    return { code, reason, kind: 'ended', isRetryable };
  return { code, reason, kind: isOutage(error) ? 'outage' : 'fault', isRetryable };
}

/** Whether the world failed. An error for which a driver of the log has no name counts as well. */
export function isOutage(error: unknown): error is SeamError {
  if (!isSeamError(error)) return false;
  return OUTAGES.includes(error.code) || (error.code === 'INTERNAL' && error.details.driver !== undefined);
}

/** Whether it cannot help to try a commit again, in this process or in another. */
export function isFatal(code: ErrorCode): boolean {
  return FATAL.includes(code);
}
