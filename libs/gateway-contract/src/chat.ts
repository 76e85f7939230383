/**
 * Chat completions as OpenAI documents them (https://platform.openai.com/docs/api-reference/chat). What the gateway looks at is checked;
 * everything else passes through as it is, known or not.
 */
import { z } from 'zod';
import { nameSchema } from './names.js';

/** One part of a message's content: text, or what the gateway passes on unread (images, audio, files). */
const contentPartSchema = z.looseObject({ type: z.string(), text: z.string().optional() });

const chatMessageSchema = z.looseObject({
  role: z.string().min(1),
  content: z.union([z.string(), z.array(contentPartSchema), z.null()]).optional(),
});

/** What a client may say to Seamstream; removed before the executor is asked. */
export const seamOptionsSchema = z.strictObject({
  /** The kind of problem: rates are counted per domain. */
  domain: nameSchema.optional(),
  /** Requests of one conversation are in one arm. */
  conversation: z.string().min(1).max(256).optional(),
  /** The session that learns from the message and answers by what it has learned, where the gateway has sessions. */
  session: nameSchema.optional(),
});

const mostTokensSchema = z
  .int('expected a whole number, 1 or more')
  .min(1, 'expected a whole number, 1 or more')
  .nullish();

export const chatRequestSchema = z.looseObject({
  model: z.string().min(1),
  messages: z.array(chatMessageSchema).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  /** More than one answer is refused: one request has one record. */
  n: z.int().nullish(),
  max_tokens: mostTokensSchema,
  max_completion_tokens: mostTokensSchema,
  user: z.string().nullish(),
  seam: seamOptionsSchema.optional(),
});

/** Of an answer: what is recorded. */
export const chatAnswerSchema = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        message: z.looseObject({
          content: z.string().nullish(),
          refusal: z.string().nullish(),
          tool_calls: z.array(z.looseObject({})).nullish(),
        }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  usage: z.looseObject({}).nullish(),
});

/** Of a part of a streamed answer. */
export const chatChunkSchema = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        delta: z
          .looseObject({
            content: z.string().nullish(),
            refusal: z.string().nullish(),
            tool_calls: z
              .array(
                z.looseObject({
                  index: z.int().nonnegative().max(1023),
                  function: z.looseObject({ name: z.string().nullish(), arguments: z.string().nullish() }).optional(),
                }),
              )
              .nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: z.looseObject({}).nullish(),
  error: z.unknown().optional(),
});

export type ChatMessage = z.infer<typeof chatMessageSchema>;
export type ChatRequest = z.infer<typeof chatRequestSchema>;
export type ChatAnswer = z.infer<typeof chatAnswerSchema>;
export type ChatChunk = z.infer<typeof chatChunkSchema>;
