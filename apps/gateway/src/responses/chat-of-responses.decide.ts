/** A request for a response as the chat request that it is: every OpenAI-compatible server answers those. Pure. */
import type {
  ChatMessage,
  ChatRequest,
  ResponsesContent,
  ResponsesItem,
  ResponsesRequest,
} from '@seamstream/gateway-contract';
import { ApiError } from '../http/api-error.js';

/** What needs a state, a tool of the server's or a second answer; with the value that asks for nothing. */
const UNSUPPORTED: Readonly<Record<string, unknown>> = {
  previous_response_id: null,
  conversation: null,
  prompt: null,
  background: false,
  store: false,
  truncation: 'disabled',
  max_tool_calls: null,
  context_management: null,
  top_logprobs: 0,
  messages: null,
};
/** Nothing is ever in an answer for it, so that who asks for it as a habit may. */
const HARMLESS_INCLUDE = 'reasoning.encrypted_content';
/** What chat requests say in other words, or not at all. */
const NOT_PASSED_ON: ReadonlySet<string> = new Set([
  ...Object.keys(UNSUPPORTED),
  ...['input', 'instructions', 'tools', 'tool_choice', 'text', 'reasoning', 'max_output_tokens'],
  ...['include', 'stream_options'],
]);

/** @throws ApiError 400, by the name of the field, for what cannot be honoured */
export function chatOf(asked: ResponsesRequest): ChatRequest {
  assertStateless(asked);
  const { input, instructions, tools, tool_choice: choice, text, reasoning, max_output_tokens: most } = asked;
  const items: readonly ResponsesItem[] = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  const format = formatOf(text?.format);
  return {
    ...Object.fromEntries(Object.entries(asked).filter(([name]) => !NOT_PASSED_ON.has(name))),
    model: asked.model,
    messages: messagesOf(instructions ?? '', items),
    ...(tools === null || tools === undefined || tools.length === 0 ? {} : { tools: tools.map(toolOf) }),
    ...(choice === null || choice === undefined ? {} : { tool_choice: choiceOf(choice) }),
    ...(format === undefined ? {} : { response_format: format }),
    ...given({ verbosity: text?.verbosity, reasoning_effort: reasoning?.effort, max_completion_tokens: most }),
  };
}

function assertStateless(asked: ResponsesRequest): void {
  const field = Object.keys(UNSUPPORTED).find((name) => {
    const value = asked[name];
    return value !== undefined && value !== null && value !== UNSUPPORTED[name];
  });
  const include = Array.isArray(asked.include) ? asked.include : [];
  const param =
    field ??
    (include.some((each) => each !== HARMLESS_INCLUDE) ? 'include' : undefined) ??
    ((asked.reasoning?.summary ?? null) === null ? undefined : 'reasoning.summary');
  if (param === undefined) return;
  throw new ApiError({
    status: 400,
    message: `Cannot answer with ${param}: responses have no state here, and nothing but what the executor says. Leave it out, and send the whole conversation as the input.`,
    param,
    code: 'unsupported_parameter',
  });
}

/** Calls that follow one another, or a text of the assistant, are one message: servers expect the outputs behind it. */
function messagesOf(instructions: string, items: readonly ResponsesItem[]): ChatMessage[] {
  const messages: ChatMessage[] = instructions === '' ? [] : [{ role: 'system', content: instructions }];
  for (const item of items) {
    if (item.type === 'function_call') {
      const call = { id: item.call_id, type: 'function', function: { name: item.name, arguments: item.arguments } };
      const last = messages.at(-1);
      if (last?.role === 'assistant') {
        const calls = Array.isArray(last.tool_calls) ? (last.tool_calls as unknown[]) : [];
        messages[messages.length - 1] = { ...last, tool_calls: [...calls, call] };
      } else messages.push({ role: 'assistant', content: null, tool_calls: [call] });
    } else if (item.type === 'function_call_output')
      messages.push({ role: 'tool', tool_call_id: item.call_id, content: contentOf(item.output) });
    else messages.push({ role: item.role, content: contentOf(item.content) });
  }
  return messages;
}

/** Text alone is text, for servers that read no parts. */
function contentOf(content: ResponsesContent): ChatMessage['content'] {
  if (typeof content === 'string') return content;
  const [only] = content;
  if (content.length === 1 && (only?.type === 'input_text' || only?.type === 'output_text')) return only.text;
  return content.map((part) => {
    if (part.type === 'input_image')
      return { type: 'image_url', image_url: { url: part.image_url, ...given({ detail: part.detail }) } };
    if (part.type === 'input_file')
      return { type: 'file', file: { file_data: part.file_data, ...given({ filename: part.filename }) } };
    if (part.type === 'input_audio') return { type: 'input_audio', input_audio: part.input_audio };
    return part.type === 'refusal' ? { type: 'refusal', refusal: part.refusal } : { type: 'text', text: part.text };
  });
}

function toolOf({ type, ...description }: NonNullable<ResponsesRequest['tools']>[number]): unknown {
  return { type, function: description };
}

function choiceOf(choice: NonNullable<ResponsesRequest['tool_choice']>): unknown {
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } };
}

function formatOf(format: NonNullable<ResponsesRequest['text']>['format']): unknown {
  if (format === null || format === undefined || format.type === 'text') return undefined;
  const { type, ...schema } = format;
  return type === 'json_schema' ? { type, json_schema: schema } : { type };
}

/** The fields that have a value. */
function given(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}
