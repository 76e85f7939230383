/** The frozen model that answers. It is asked in text, so that it may as well be a server. Only environments ask it. */
import type { EditRefusal, ExecutorIdentity, ToolCall } from '@seamstream/events';
import type { InnerUpdateSettings, TrainingText } from '@seamstream/inner-update';
import type { ErrorCode } from '@seamstream/kernel';
import type { Adapter } from '@seamstream/language-model';

export interface ExecutorModel {
  /** The template is not its own: an environment adds it. */
  readonly identity: Omit<ExecutorIdentity, 'template'>;
  /** Spellings that control the model, where its vocabulary is known; broken in text from outside. */
  readonly controlTokens?: readonly string[];
  /**
   * Answers in the order of the prompts, decoded greedily. Rejects only where no prompt can be answered.
   * @param signal ends what is under way where that is possible, with ABORTED
   * @param until an answer may end behind this text; an executor that cannot stop there continues to its own end
   * @param mostTokens of an answer, 1 or more; the executor's own limit holds where it is lower
   */
  answer(
    prompts: readonly string[],
    signal?: AbortSignal,
    onProgress?: (progress: AnsweringProgress) => void,
    until?: string,
    mostTokens?: number,
  ): Promise<readonly ExecutorAnswer[]>;
  /**
   * Draws an answer per seed for each prompt. Equal prompts, seeds and settings give equal answers. Absent where the
   * executor cannot draw. `until` and `mostTokens` as of {@link answer}.
   */
  sample?(
    requests: readonly SampledAnswerRequest[],
    drawing: SamplingParams,
    signal?: AbortSignal,
    onProgress?: (progress: AnsweringProgress) => void,
    until?: string,
    mostTokens?: number,
  ): Promise<readonly (readonly ExecutorAnswer[])[]>;
  /**
   * The same model after a short training on documents; its own weights stay as they are. Equal requests give equal models. Absent where
   * the weights cannot be trained.
   */
  adapt?(request: AdaptationRequest, options?: AdaptationOptions): Promise<Adaptation>;
  /** Whether prompts are put into a chat template, as texts to be trained on are not. */
  readonly chats?: boolean;
  /** Tokens that a text to be trained on has; present where {@link adapt} is. */
  countTokens?(text: string): number;
  /** How likely the model finds each text behind its prompt, in their order. Absent where probabilities cannot be had. */
  score?(texts: readonly ScoredText[]): Promise<readonly TextScore[]>;
}

/** A text that is not written by the model, behind a prompt. */
export interface ScoredText {
  readonly prompt: string;
  readonly continuation: string;
}

export interface TextScore {
  /** Sum over the continuation's tokens, in nats. */
  readonly logLikelihood: number;
  readonly tokens: number;
}

export interface AdaptationRequest {
  /** Texts to be trained on. */
  readonly documents: readonly TrainingText[];
  readonly settings: InnerUpdateSettings;
  /** Of what is random in training. */
  readonly seed: string;
}

export interface AdaptationOptions {
  /** Ends training between two steps, with ABORTED. */
  readonly signal?: AbortSignal | undefined;
  readonly onStep?:
    | ((step: { readonly done: number; readonly planned: number; readonly loss: number }) => void)
    | undefined;
}

/** How a training went. */
export interface TrainingCourse {
  /** Mean loss in nats a token of each step, before it was taken. */
  readonly losses: readonly number[];
  /** Tokens that carried loss, over all steps. */
  readonly tokens: number;
}

export type Adaptation =
  /** The model may be trained further where it has `adapt`: with what it learned as the start. */
  | {
      readonly status: 'adapted';
      readonly model: Pick<ExecutorModel, 'answer' | 'sample' | 'adapt' | 'score'>;
      readonly adapter: AdapterFacts;
      /** Absent where another process trained it. */
      readonly trained?: TrainingCourse;
    }
  /** The documents make a training impossible: a fault of who wrote them. */
  | { readonly status: 'refused'; readonly reason: string };

/** What a training has added to the frozen weights. */
export interface AdapterFacts {
  /** SHA-256 of its content. */
  readonly digest: string;
  /** That it takes in memory. */
  readonly bytes: number;
  /** For who keeps them; absent where they are elsewhere. */
  readonly weights?: Adapter;
}

/** How far an executor has come with what it was asked. */
export interface AnsweringProgress {
  /** Prompts whose answers are ready. */
  readonly answered: number;
  /** Tokens written so far. */
  readonly tokens: number;
  /** Most tokens of the answers to one prompt. */
  readonly tokensPerPrompt: number;
}

export interface SampledAnswerRequest {
  readonly prompt: string;
  readonly seeds: readonly string[];
}

/** How answers are drawn; their length is the executor's own limit. */
export interface SamplingParams {
  /** Above 0. */
  readonly temperature: number;
  /** Mass of the most probable tokens that are drawn from; 1 takes all. */
  readonly topP: number;
}

export interface ExecutorResponse {
  readonly status: 'answered';
  readonly text: string;
  /** The part that the template asked to hold the answer, for verifiers; the whole text when absent. */
  readonly judged?: string;
  /** It ended by itself, not at its token limit. */
  readonly finished: boolean;
  readonly promptTokens: number;
  readonly responseTokens: number;
  /** What an examination measured of the model that answered. */
  readonly figures?: Readonly<Record<string, number>>;
  /** Why the experience could not act at all, its own fault; nothing was answered then. */
  readonly refused?: EditRefusal;
  /** Calls of tools before the answer; absent where the executor has none. */
  readonly toolCalls?: readonly ToolCall[];
  /** Why an executor that acts by tools came to no answer, its own fault. */
  readonly ended?: string;
}

/** One prompt could not be answered; that says nothing about the entry in it. */
export interface ExecutorFailure {
  readonly status: 'failed';
  readonly code: ErrorCode;
  readonly reason: string;
  readonly retryable: boolean;
  /** Nothing else will be answered either before a person acts: a key is refused, a budget spent, the model exchanged. */
  readonly halts?: boolean;
}

export type ExecutorAnswer = ExecutorResponse | ExecutorFailure;
