/**
 * Chat completions in which the model may call tools, as OpenAI documents them
 * (https://platform.openai.com/docs/guides/function-calling), of which the part that is used.
 */
import { z } from 'zod';
import { usageShape } from './chat-completion.js';

/** A function as a model is offered it. */
export interface ChatTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

const callShape = z.object({
  id: z.string().min(1).max(256),
  function: z.object({ name: z.string().max(10_000), arguments: z.string() }),
});

/** Most calls of one answer that are read: servers that repeat one without end are not answering. */
const MOST_CALLS = 1000;

/** As {@link chatCompletionSchema}, where an answer may call tools in place of text. */
export const actingCompletionSchema = z
  .object({
    model: z.string().nullish(),
    system_fingerprint: z.string().nullish(),
    choices: z
      .array(
        z.object({
          // Some servers say `stop` where there are calls.
          finish_reason: z.enum(['stop', 'length', 'content_filter', 'tool_calls']),
          message: z.object({
            content: z.string().nullish(),
            refusal: z.string().nullish(),
            tool_calls: z.array(callShape).max(MOST_CALLS).nullish(),
          }),
        }),
      )
      .length(1, 'expected one choice'),
    usage: usageShape,
  })
  .refine(
    ({ choices: [choice] }) =>
      choice === undefined ||
      choice.finish_reason === 'length' ||
      choice.finish_reason === 'content_filter' ||
      (choice.message.tool_calls ?? []).length > 0 ||
      (choice.finish_reason === 'stop' && (choice.message.content ?? choice.message.refusal ?? null) !== null),
    { path: ['choices', 0, 'message', 'content'], error: 'expected text or calls' },
  )
  .refine(
    ({ choices: [choice] }) => {
      const ids = (choice?.message.tool_calls ?? []).map(({ id }) => id);
      return new Set(ids).size === ids.length;
    },
    { path: ['choices', 0, 'message', 'tool_calls'], error: 'expected a separate id for each call' },
  );

export type ActingCompletion = z.infer<typeof actingCompletionSchema>;

/** The field of a request that offers tools. */
export function offeredTools(tools: readonly ChatTool[]): Readonly<Record<string, unknown>> {
  return { tools: tools.map((tool) => ({ type: 'function', function: tool })) };
}
