/** What is asked of vLLM and what it answers, as values. */
import { isSeamError, Random, SeamError, sha256 } from '@seamstream/kernel';
import type { FinishReason, GeneratedSequence, GenerationRequest, SamplingSettings } from '@seamstream/language-model';
import type { EndpointFailure, EndpointResult, ServerTime } from '@seamstream/openai-endpoint';
import { z } from 'zod';

/** What is used of a completion; see vllm/entrypoints/openai/completion/protocol.py. */
export const completionSchema = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.enum(['stop', 'length']),
        token_ids: z.array(z.int().nonnegative()),
        prompt_token_ids: z.array(z.int().nonnegative()).nullish(),
        logprobs: z.object({
          token_logprobs: z.array(z.number().max(1e-6)),
          /** By token; see {@link toldOf}. */
          top_logprobs: z.array(z.record(z.string(), z.number()).nullable()).nullish(),
        }),
      }),
    )
    .length(1, 'expected one choice'),
  usage: z.object({ prompt_tokens: z.int().nonnegative(), completion_tokens: z.int().nonnegative() }),
});
export type Completion = z.infer<typeof completionSchema>;
export const QUOTATION_MARK = 0x22;
export const PROBE_TOKENS = 12;
export const NO_TOKENS = { promptTokens: 0, responseTokens: 0 };

export interface Drawn {
  readonly tokenIds: readonly number[];
  readonly logProbs: readonly number[];
  readonly finishReason: 'stop' | 'length';
}

/** The server returns log-probabilities after temperature and top-p; what is recorded is before them. */
export function assertPlain({ temperature, topK, topP }: SamplingSettings): void {
  if ((temperature === 0 || temperature === 1) && topK === 0 && topP === 1) return;
  throw new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot generate by vLLM: expected temperature 0 or 1 without top-k and top-p, got ${temperature}, ${topK} and ${topP}: its log-probabilities would be of another distribution than the recorded one.`,
    { details: { halts: true } },
  );
}

export function drawnOf({ choices: [choice] }: Completion): Drawn {
  const { token_ids: tokenIds, logprobs, finish_reason: finishReason } = choice!;
  if (logprobs.token_logprobs.length !== tokenIds.length) {
    throw new SeamError(
      'ENDPOINT_FAILED',
      `Cannot generate by vLLM: expected a log-probability for each of ${tokenIds.length} tokens, got ${logprobs.token_logprobs.length}.`,
    );
  }
  return { tokenIds, logProbs: logprobs.token_logprobs, finishReason };
}

/** The log-probabilities of a completion's first place, which was asked for with return_tokens_as_token_ids. */
export function toldOf({ choices: [choice] }: Completion): Map<number, number> {
  const told = Object.entries(choice!.logprobs.top_logprobs?.[0] ?? {});
  return new Map(told.map(([token, logProb]) => [Number(token.replace(/^token_id:/, '')), logProb]));
}

/** The server does not report the mass of the legal tokens: 1, as where it is not computed. */
export function sequence(
  tokenIds: readonly number[],
  logProbs: readonly number[],
  forced: readonly boolean[],
  finishReason: FinishReason,
): GeneratedSequence {
  return {
    tokenIds,
    logProbs,
    legalMass: tokenIds.map(() => 1),
    forced,
    finishReason,
  };
}

export function isSame(a: Int32Array, b: Int32Array): boolean {
  return a === b || (a.length === b.length && a.every((id, at) => id === b[at]));
}

export function greedy(maxTokens: number): Record<string, unknown> {
  return { temperature: 0, max_tokens: maxTokens };
}

/** Fixed for a vocabulary. */
export function probePrompt(vocabularySize: number): number[] {
  const random = Random.of('vllm probe');
  return Array.from({ length: 8 }, () => random.int(vocabularySize));
}

/** A whole number for each place of each candidate. */
export function seedNumber(seed: string, place: number): number {
  return Number.parseInt(sha256(`${seed}/${place}`).slice(0, 12), 16);
}

export function valueOf<T>(result: EndpointResult<T>): T {
  if (result.kind === 'answer') return result.value;
  throw errorOf(result);
}

export function errorOf({ code, reason, halts }: EndpointFailure): SeamError {
  return new SeamError(code, `Cannot generate by vLLM: ${reason}`, { details: { halts } });
}

/** What ends a candidate: its caller, or the end of the time that the server may take for it. */
export interface Until {
  readonly signal?: AbortSignal;
  readonly time?: ServerTime;
}

/** One that the server takes longer for than its request allows is `late`, and the others continue. No wait for the server counts. */
export async function inTime(
  { timeoutMs }: GenerationRequest,
  signal: AbortSignal,
  write: (until: Until) => Promise<GeneratedSequence>,
): Promise<GeneratedSequence> {
  if (timeoutMs === undefined) return write({ signal });
  try {
    return await write({ signal, time: { leftMs: timeoutMs } });
  } catch (error) {
    if (isSeamError(error, 'DEADLINE_EXCEEDED')) return sequence([], [], [], 'late');
    throw error;
  }
}
