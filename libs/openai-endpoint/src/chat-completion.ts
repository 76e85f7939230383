/** Chat completions as OpenAI documents them (https://platform.openai.com/docs/api-reference/chat), of which the part that is used. */
import { z } from 'zod';
import type { ChatMessage } from './chat-message.js';
import type { TokenCount } from './endpoint-settings.js';

const count = z.int().nonnegative();
export const usageShape = z.object({ prompt_tokens: count, completion_tokens: count });

/** Other fields may be there. What an answer is made of must be: no answer is guessed. */
export const chatCompletionSchema = z
  .object({
    model: z.string().nullish(),
    system_fingerprint: z.string().nullish(),
    choices: z
      .array(
        z.object({
          finish_reason: z.enum(['stop', 'length', 'content_filter']),
          message: z.object({
            content: z.string().nullish(),
            refusal: z.string().nullish(),
          }),
        }),
      )
      .length(1, 'expected one choice'),
    usage: usageShape,
  })
  .refine(
    ({ choices: [choice] }) =>
      choice?.finish_reason !== 'stop' ||
      typeof choice.message.content === 'string' ||
      typeof choice.message.refusal === 'string',
    { path: ['choices', 0, 'message', 'content'], error: 'expected text' },
  );

export type ChatCompletion = z.infer<typeof chatCompletionSchema>;

export interface ChatDecoding {
  /** 0 is greedy. */
  readonly temperature: number;
  readonly topP: number;
  readonly maxTokens: number;
  /** What `maxTokens` is called: newer models of OpenAI know the second name only. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  readonly seed: number | null;
  readonly stop: readonly string[];
  /** Further fields of the request, as the server documents them. */
  readonly extraBody: Readonly<Record<string, unknown>>;
}

/** Fields that a request has from elsewhere, or may not have: extraBody may not name them. */
export const RESERVED_FIELDS = [
  'model',
  'messages',
  'stream',
  'n',
  'temperature',
  'top_p',
  'max_tokens',
  'max_completion_tokens',
  'seed',
  'stop',
  // Tools of a server would act, and fetch, for the author of the problem. Those of the driver tools are named elsewhere.
  'tools',
  'tool_choice',
  'functions',
  'function_call',
  'web_search_options',
  'mcp_servers',
  'plugins',
] as const;

/** The body of a request for one answer. */
export function chatRequest(
  model: string,
  messages: readonly ChatMessage[],
  decoding: ChatDecoding,
): Record<string, unknown> {
  return {
    ...decoding.extraBody,
    model,
    messages,
    stream: false,
    temperature: decoding.temperature,
    top_p: decoding.topP,
    [decoding.maxTokensField]: decoding.maxTokens,
    ...(decoding.seed === null ? {} : { seed: decoding.seed }),
    ...(decoding.stop.length === 0 ? {} : { stop: decoding.stop }),
  };
}

export function chatUsage({ usage }: Pick<ChatCompletion, 'usage'>): TokenCount {
  return { promptTokens: usage.prompt_tokens, responseTokens: usage.completion_tokens };
}

/** What chat templates add. One with a long text adds more, which words of the prompt make up for: they have several bytes each. */
const TEMPLATE_TOKENS = 32;

/**
 * Most tokens that a request may use. Of its prompt one for every byte of UTF-8: tokenizers split figures digit by digit and unknown
 * characters byte by byte, and into nothing smaller. Only the server knows how many there are.
 */
export function worstCase(texts: readonly (string | null)[], maxTokens: number): TokenCount {
  const bytes = texts.reduce((total, text) => total + Buffer.byteLength(text ?? ''), 0);
  return { promptTokens: bytes + TEMPLATE_TOKENS, responseTokens: maxTokens };
}
