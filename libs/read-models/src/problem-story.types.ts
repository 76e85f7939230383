/** What a story of a problem says, and what is kept to tell it. */
import type { Arm, EventOf, Problem, ToolCall } from '@seamstream/events';
import type { EventPosition, FoldedOffsets } from './projection.js';

/** Milliseconds since the Unix epoch where it says `at`. */
export interface Publication {
  readonly messageId: string;
  readonly at: number;
  readonly source: string;
  readonly mode: 'explore' | 'deploy';
  readonly expiresAt: number | null;
  readonly position: EventPosition;
}

/** An answer, or why there is none. */
export interface AttemptResult {
  readonly messageId: string;
  readonly at: number;
  readonly source: string;
  readonly position: EventPosition;
  readonly verdict: 'solved' | 'notSolved' | 'failed' | 'ungraded';
  /** The executor's whole answer; null where its infrastructure failed. */
  readonly response: string | null;
  readonly extractedAnswer: string | null;
  readonly reward: number | null;
  /** Why, in the verifier's words, or those of the failure. */
  readonly reason: string;
  readonly executor: string | null;
  readonly responseTokens: number | null;
  /** Calls of tools before the answer. */
  readonly toolCalls: readonly ToolCall[];
  /** What the buffer said against it; null where it said nothing. */
  readonly refused: { readonly reason: string; readonly detail: string } | null;
}

export interface BufferVerdict {
  readonly decision: 'admitted' | 'rejected';
  /** Version of the buffer (of its shard) that it was decided for; null where the log does not have that version. */
  readonly sequence: number | null;
  readonly at: number;
  readonly stratum: string;
  /** Of an admission. */
  readonly helpfulness: number | null;
  /** Of a rejection: its kind, and why in words. */
  readonly reason: string | null;
  readonly detail: string;
  /** outcomeId of the pair that stays instead. */
  readonly duplicateOf: string | null;
}

/** A candidate, or the place of one that was withheld. */
export interface Attempt {
  /** What results count by; the experience's id where that is tried once. */
  readonly attemptId: string;
  readonly experienceId: string;
  readonly groupId: string;
  readonly candidateIndex: number;
  readonly groupSize: number;
  readonly arm: Arm;
  /** Null: the bare base model, or the control arm, which has no entry. */
  readonly adapterDigest: string | null;
  readonly baseModelDigest: string | null;
  /** Null in the control arm, and where a result speaks of an experience that is not in the log. */
  readonly entry: string | null;
  /** When it was written; null where the log has no such experience. */
  readonly writtenAt: number | null;
  readonly tokens: number;
  readonly temperature: number | null;
  /** Where no verifier judges: the answer, whether or not a person has judged it since. */
  readonly answer: {
    readonly at: number;
    readonly response: string;
    readonly executor: string;
    readonly feedbackUntil: number;
    /** Executors that were asked before, and gave no answer. */
    readonly failedTries: readonly { readonly model: string; readonly code: string; readonly reason: string }[];
    /** Of the client's session, where it answered on top of the executor; null: the frozen executor did. */
    readonly sessionAdapter: string | null;
  } | null;
  /** What was said of the answer, in the order of its time. */
  readonly feedback: readonly {
    readonly at: number;
    readonly by: string;
    readonly score: number;
    readonly reason: string;
    /** Why it does not count; null where it does, or was not looked at yet. */
    readonly refused: string | null;
  }[];
  /** In the log's order; more than one is a repetition, or a contradiction. */
  readonly results: readonly AttemptResult[];
  /** In the order of the versions. */
  readonly buffer: readonly BufferVerdict[];
}

/** A training run that had the problem before it. */
export interface StoryRun {
  readonly runId: string;
  readonly algorithm: string;
  readonly startedAt: number;
  readonly status: 'running' | 'completed' | 'failed' | 'rejected' | 'cancelled';
  readonly adapterDigest: string | null;
  readonly reason: string | null;
  /** Results of the problem that it replayed; 0 for a run that reads the buffer. */
  readonly results: number;
  /** Pairs of the problem in the versions of the buffer that it read. */
  readonly pairs: number;
}

export interface ProblemStory {
  readonly problem: Problem;
  /** Whose problem it is. */
  readonly tenant: string;
  readonly publications: readonly Publication[];
  readonly standing: 'solved' | 'notSolved' | 'ungraded' | 'expired' | 'deadLettered' | 'inFlight';
  /** By the time of their group, then by candidate. */
  readonly attempts: readonly Attempt[];
  readonly expiries: readonly { readonly at: number; readonly source: string }[];
  readonly deadLetters: readonly {
    readonly position: EventPosition;
    readonly group: string;
    readonly code: string;
    readonly reason: string;
    readonly at: number;
  }[];
  /** Results that were refused and have another key than the problem's, where no reader looks for them. */
  readonly refusedElsewhere: readonly {
    readonly position: EventPosition;
    readonly source: string;
    readonly reason: string;
    readonly detail: string;
  }[];
  /** By start. */
  readonly runs: readonly StoryRun[];
}

export type Candidate = EventOf<'ExperienceGenerated'> | EventOf<'ExperienceWithheld'>;
export type Result = EventOf<'OutcomeRecorded' | 'ExecutionFailed' | 'AttemptUngraded'>;
export type Decision = EventOf<'SuccessAdmitted'> | EventOf<'SuccessRejected'>;

export interface RunFacts {
  readonly start: EventOf<'TrainingRunStarted'>;
  status: StoryRun['status'];
  adapterDigest: string | null;
  reason: string | null;
}

export interface ProblemStoryState {
  readonly folded: FoldedOffsets;
  readonly published: { readonly event: EventOf<'ProblemPublished'>; readonly position: EventPosition }[];
  /** By tenant and attempt. */
  readonly candidates: Map<string, Candidate>;
  /** With the place of each. */
  readonly results: { readonly event: Result; readonly position: EventPosition }[];
  readonly expiries: EventOf<'ProblemExpired'>[];
  /** By tenant and attempt; of several the first in its partition. */
  readonly answers: Map<string, EventOf<'AnswerRecorded'>>;
  readonly feedback: EventOf<'FeedbackGiven'>[];
  /** By the feedback's id. */
  readonly refusedFeedback: Map<string, EventOf<'FeedbackRefused'>>;
  readonly decisions: Decision[];
  /** By the place that they speak of. */
  readonly refusals: Map<string, EventOf<'ResultRefused'>>;
  readonly commits: EventOf<'BufferCommitted'>[];
  readonly runs: Map<string, RunFacts>;
  readonly deadLetters: EventOf<'DeadLettered'>[];
}
