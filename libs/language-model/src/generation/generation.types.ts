/** What is asked of a language model and what comes back. Everything here crosses a worker boundary: plain data only. */
import type { JsonSchema } from '@seamstream/token-grammar';

export interface SamplingSettings {
  /** 0 is greedy: the most probable legal token, the lowest id among equals. */
  readonly temperature: number;
  /** Keep the k most probable tokens; 0 keeps all. */
  readonly topK: number;
  /** Keep the smallest set of most probable tokens whose mass reaches p; 1 keeps all. */
  readonly topP: number;
  /** Most tokens to generate, forced ones included. */
  readonly maxTokens: number;
}

/** One prompt and the candidates to continue it with; the prompt is computed once for all of them. */
export interface GenerationRequest {
  readonly promptTokenIds: readonly number[];
  /** One candidate per seed. A candidate depends on prompt, seed, settings and weights only, never on its batch mates. */
  readonly seeds: readonly string[];
  readonly sampling: SamplingSettings;
  /** The continuation is JSON valid under this schema, written compactly, and ends where the value ends. */
  readonly schema?: JsonSchema;
  /** Generation ends before or at these ids (the model's own end token when absent); the id itself is kept in the result. */
  readonly stopTokenIds?: readonly number[];
  /** Generation also ends behind each of these runs of ids, which is kept in the result. For continuations without a schema. */
  readonly stopSequences?: readonly (readonly number[])[];
  /**
   * Longest time that writing a candidate may take, in milliseconds. The wait for its turn does not count, and the time of a wave is
   * divided among the requests in it. One that takes longer ends as `late`; the others continue. Without a limit when absent.
   */
  readonly timeoutMs?: number;
}

/** `late`: it took longer than its request allows, and what there is of it is no text. */
export type FinishReason = 'completed' | 'length' | 'late';

export interface GeneratedSequence {
  readonly tokenIds: readonly number[];
  /** ln p of each token under the distribution it was drawn from before temperature, top-k and top-p: softmax over the legal tokens' logits; 0 where forced. */
  readonly logProbs: readonly number[];
  /** Probability mass of the legal tokens under the unmasked softmax; 1 without a schema; NaN-free. For forced tokens 1 (not computed). */
  readonly legalMass: readonly number[];
  /** Whether the grammar left exactly one legal token. */
  readonly forced: readonly boolean[];
  readonly finishReason: FinishReason;
}

/** Candidates in the order of the request's seeds. */
export type GenerationResult = readonly GeneratedSequence[];

/** Tokens of one candidate that were written since the last time. */
export interface TokensWritten {
  /** Place of the request in its call, and of the seed in its request. */
  readonly request: number;
  readonly seed: number;
  readonly tokenIds: readonly number[];
}

/** How far a call has come; reported now and then while it is under way, and once more where it is ended early. */
export interface GenerationProgress {
  /** Tokens that were written for it so far, prompts not counted. */
  readonly tokens: number;
  /** Requests whose last candidate has ended since the last time, each reported once: with these a caller that is ended loses nothing that was done. */
  readonly finished: readonly { readonly request: number; readonly candidates: GenerationResult }[];
}
