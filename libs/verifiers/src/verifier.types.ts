import type { JudgeIdentity, VerifierSpec } from '@seamstream/events';
import type { CodeResult, CodeTask } from './code-task.js';
import type { EndpointRequest, EndpointVerdict } from './http-endpoints.js';

/** What was answered. */
export interface JudgedResponse {
  readonly text: string;
  /** The model ended by itself. A response cut off at its token limit has no answer: its last number may be half a number. */
  readonly finished: boolean;
}

export interface Verdict {
  readonly success: boolean;
  /** Of several questions the share that is right, 0 … 1: what it is worth. Absent: all or nothing. */
  readonly share?: number;
  /** Measures besides the verdict, by their names; they decide nothing. */
  readonly figures?: Readonly<Record<string, number>>;
  /** As written in the response; null where it holds no answer. */
  readonly extractedAnswer: string | null;
  /** Why, in a sentence. */
  readonly detail: string;
  /** The model whose opinion it is; absent where none was asked. */
  readonly judgedBy?: JudgeIdentity;
}

/** What a check may use of the world. */
interface CheckContext {
  /** Ends the check, which then throws ABORTED. */
  readonly signal: AbortSignal | undefined;
  /** Milliseconds of work after which a check has failed (VERIFIER_FAILED); null for the verifier's own limit. Waiting for a turn does not count. */
  readonly deadlineMs: number | null;
  readonly means: VerifierMeans;
}

/** Judges the text of a finished response. @throws VERIFIER_FAILED where it cannot judge, ABORTED when it must stop. */
export type Judge = (text: string, context: CheckContext) => Verdict | Promise<Verdict>;

/** One way to judge, in one version: a change of what it accepts is a new version, so that old outcomes stay explainable. */
export interface Verifier {
  readonly kind: string;
  readonly version: string;
  /** Names of the options with what they mean; others are refused. */
  readonly options: Readonly<Record<string, string>>;
  /** Reads reference and options once. @throws INVALID_INPUT where the reference or an option's value is malformed. */
  prepare(reference: string, options: VerifierSpec['options']): Judge;
}

interface CheckLimits {
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
}

/** What outlives a check and is shared by all. The composition root of the service makes and closes it. */
export interface VerifierMeans {
  /** Whether an answer equals a reference, computed in a separate thread that ends at the deadline. */
  equivalence(task: EquivalenceTask, limits: CheckLimits): Promise<EquivalenceResult>;
  /** Runs an answer's code against tests, in separate sandboxes. */
  runCode(task: CodeTask, limits: CheckLimits): Promise<CodeResult>;
  /** Asks a user's own verifier. */
  askEndpoint(name: string, request: EndpointRequest, limits: Partial<CheckLimits>): Promise<EndpointVerdict>;
  /** Asks the configured model whether an answer means what the reference says. @param verifier as messages name it */
  askJudge(verifier: string, task: JudgingTask, limits: Partial<CheckLimits>): Promise<JudgedMeaning>;
}

export interface JudgingTask {
  readonly question: string;
  readonly reference: string;
  /** Of the response alone. */
  readonly answer: string;
}

export interface JudgedMeaning {
  readonly success: boolean;
  /** Who said so. */
  readonly detail: string;
  readonly judgedBy: JudgeIdentity;
}

/** A model that judges answers. @throws VERIFIER_FAILED and others that say why there is no verdict; ABORTED */
export interface AnswerJudge {
  judge(task: JudgingTask, signal?: AbortSignal): Promise<JudgedMeaning>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

/** What a math thread is asked. */
export interface EquivalenceTask {
  /** The response; null asks whether the reference can be compared at all, with itself. */
  readonly text: string | null;
  readonly reference: string;
  /** Places to which decimals are compared. */
  readonly decimals: number;
  readonly percent: 'either' | 'number' | 'fraction';
  readonly source: 'any' | 'stated';
  /** Whether variables under roots and logarithms are positive reals. */
  readonly positive: boolean;
}

export interface EquivalenceResult {
  readonly answer: string | null;
  readonly isEqual: boolean;
  /** The comparison used up its steps before it could tell. */
  readonly isTooCostly: boolean;
}
