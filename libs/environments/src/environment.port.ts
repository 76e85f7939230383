/**
 * How an experience acts on a problem. The executor's service, evaluations and `seam solve` hand over problems with
 * entries and get attempts back. Only an environment knows how an entry reaches the frozen model.
 */
import type { ExecutorIdentity, Problem } from '@seamstream/events';
import type { InnerUpdateSettings } from '@seamstream/inner-update';
import type { AnsweringProgress, ExecutorAnswer, SamplingParams, TextScore } from './executor-model.port.js';
import type { FewShotSettings } from './few-shot.config.js';

/** What a model may know of a problem: everything but its reference answer. */
export type ProblemStatement = Pick<Problem, 'problemId' | 'domain' | 'prompt'>;

export interface AttemptRequest {
  readonly problem: ProblemStatement;
  /** JSON text of the experience. Null: the frozen model alone. `''`: an empty experience, the control of the environment itself. */
  readonly entry: string | null;
  /** One answer each, at least one. What an environment draws depends on them and on the request, and on nothing else. */
  readonly seeds: readonly string[];
  /** What is measured of the model that answered, next to its answers. */
  readonly examination?: Examination | undefined;
}

/**
 * Figures of the model that answers a problem. A caller that knows the reference makes it; the environment gives it the means to measure,
 * and sees no reference.
 */
export interface Examination {
  /** Equal ids are equal examinations. */
  readonly id: string;
  /** @param score how likely the model finds a text behind each question of the problem, in their order */
  figures(
    score: (continuations: readonly string[]) => Promise<readonly TextScore[]>,
  ): Promise<Readonly<Record<string, number>>>;
}

/** The result of a request: an answer per seed, in their order. Each has its tokens, or the code of its failure. */
export type Attempt = readonly ExecutorAnswer[];

export interface AttemptOptions {
  /** Ends what is under way, between two tokens where the executor can, with ABORTED. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the progress of the call now and then; `answered` counts requests that are through. */
  readonly onProgress?: ((progress: AnsweringProgress) => void) | undefined;
  /** Of each answer, 1 or more; the executor's limit holds where it is lower. An environment that makes one attempt of several answers has no use for it. */
  readonly mostTokens?: number | undefined;
}

export abstract class Environment {
  /** Whether each seed of a request is another training: then greedy answers to one entry may differ. */
  readonly trains: boolean = false;

  /**
   * What outcomes record: the frozen model, and everything else that attempts depend on. Two environments over one
   * executor differ in it, so that a log holds the outcomes of one of them.
   */
  abstract readonly identity: ExecutorIdentity;

  /** Whether it can carry out examinations. */
  readonly examines: boolean = false;

  /**
   * One attempt per request, in their order, greedily unless the environment draws. A request's attempt does not depend
   * on those that it is asked with. What a call had finished when it was ended is not computed again: the executor keeps its
   * answers, and an environment of several turns keeps what the earlier ones came to.
   * @throws what keeps every request from being answered; a request that cannot be answered fails alone, as a value
   */
  abstract attempt(requests: readonly AttemptRequest[], options?: AttemptOptions): Promise<readonly Attempt[]>;

  /** The same environment with answers that are drawn; null where its executor answers greedily only. */
  abstract drawn(drawing: SamplingParams): Environment | null;

  /**
   * Whether an entry gives the executor its answer, in place of helping it to find one.
   * @param problem with its reference, which no attempt sees
   */
  abstract givesAnswerAway(entry: string, problem: Problem): boolean;
}

/** What a configuration says of environments. */
export interface EnvironmentChoice {
  /** The name of one. */
  readonly environment: string;
  /** Of those that train on entries. */
  readonly innerUpdate: InnerUpdateSettings;
  /** Of the one that trains on self-edits: whether edits that filters refuse are trained on; absent: they are. */
  readonly editFilters?: 'on' | 'off' | undefined;
  /** Of the one that trains on a task's own pairs; its defaults when absent. */
  readonly fewShot?: FewShotSettings | undefined;
  /** The setting that says what entries are. */
  readonly entrySchemas?: string | undefined;
}
