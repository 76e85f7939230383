/**
 * Responses as OpenAI documents them (https://platform.openai.com/docs/api-reference/responses), of which what a conversation without a
 * stored state needs. What the gateway translates is checked; fields that it does not know pass through to the executor.
 */
import { z } from 'zod';
import { seamOptionsSchema } from './chat.js';

const text = z.string();

const contentPartSchema = z.discriminatedUnion(
  'type',
  [
    z.looseObject({ type: z.literal(['input_text', 'output_text']), text }),
    z.looseObject({ type: z.literal('refusal'), refusal: text }),
    z.looseObject({ type: z.literal('input_image'), image_url: text, detail: text.nullish() }),
    z.looseObject({ type: z.literal('input_file'), file_data: text, filename: text.nullish() }),
    z.looseObject({ type: z.literal('input_audio'), input_audio: z.looseObject({}) }),
  ],
  { error: 'expected input_text, output_text, refusal, input_image, input_file or input_audio' },
);

const contentSchema = z.union([text, z.array(contentPartSchema)], { error: 'expected text or a list of parts' });

const messageSchema = z.looseObject({
  type: z.literal('message').optional(),
  role: z.enum(['user', 'system', 'developer', 'assistant']),
  content: contentSchema,
});
const callSchema = z.looseObject({
  type: z.literal('function_call'),
  call_id: text.min(1),
  name: text,
  arguments: text,
});
const callOutputSchema = z.looseObject({
  type: z.literal('function_call_output'),
  call_id: text.min(1),
  output: contentSchema,
});

const inputItemSchema = z.discriminatedUnion('type', [messageSchema, callSchema, callOutputSchema], {
  error: 'expected message, function_call or function_call_output: nothing else can be asked of the executor',
});

const toolSchema = z.looseObject({
  type: z.literal('function', { error: 'expected function: the executor brings no tools along' }),
  name: text.min(1),
});

const formatSchema = z.looseObject({ type: z.enum(['text', 'json_object', 'json_schema']) });

export const responsesRequestSchema = z.looseObject({
  model: text.min(1),
  input: z.union([text, z.array(inputItemSchema).min(1)], { error: 'expected text or a list of items' }),
  instructions: text.nullish(),
  stream: z.boolean().nullish(),
  tools: z.array(toolSchema).nullish(),
  tool_choice: z.union([text, z.looseObject({ type: z.literal('function'), name: text })]).nullish(),
  text: z.looseObject({ format: formatSchema.nullish(), verbosity: text.nullish() }).nullish(),
  max_output_tokens: z.int().positive().nullish(),
  reasoning: z.looseObject({ effort: text.nullish(), summary: text.nullish() }).nullish(),
  /** Nothing is stored for later requests: absent means false here. */
  store: z.boolean().nullish(),
  user: text.nullish(),
  seam: seamOptionsSchema.optional(),
});

/** Of an answer: a part of what OpenAI documents, for the OpenAPI document. */
export const responseSchema = z.looseObject({
  id: text,
  object: z.literal('response'),
  status: z.enum(['completed', 'incomplete', 'failed', 'in_progress']),
  output: z.array(z.looseObject({ type: text })),
});

export type ResponsesRequest = z.infer<typeof responsesRequestSchema>;
export type ResponsesItem = z.infer<typeof inputItemSchema>;
export type ResponsesContent = z.infer<typeof contentSchema>;
