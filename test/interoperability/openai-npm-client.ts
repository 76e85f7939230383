/** The official npm client before the gateway, a function for each act: what it saw, in the same words as openai_clients.py. */
import { messageOf } from '@seamstream/kernel';
import OpenAI from 'openai';
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import type { ResponseInput } from 'openai/resources/responses/responses';
import { z } from 'zod';

const MODEL = 'seam';
const sum = z.object({ total: z.int() });
const parameters = {
  ...{ type: 'object', properties: { a: { type: 'integer' } } },
  ...{ required: ['a'], additionalProperties: false },
};
const described = { name: 'add', strict: true, parameters };
const TOOL = { type: 'function' as const, function: described };
const FUNCTION = { type: 'function' as const, ...described };

const ask = (name: string) => ({ model: MODEL, messages: [{ role: 'user' as const, content: `${name} of npm` }] });
const put = (name: string) => ({ model: MODEL, input: `${name} of npm` });

async function read(stream: AsyncIterable<OpenAI.ChatCompletionChunk>) {
  const chunks: OpenAI.ChatCompletionChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  const choices = chunks.flatMap((chunk) => chunk.choices);
  return {
    text: choices.map(({ delta }) => delta.content ?? '').join(''),
    ids: new Set(chunks.map(({ id }) => id)).size,
    finish: choices.at(-1)?.finish_reason ?? null,
    tokens: chunks.at(-1)?.usage?.total_tokens ?? null,
    bare: chunks.filter((chunk) => chunk.choices.length === 0).length,
  };
}

function called({ choices: [choice] }: OpenAI.ChatCompletion) {
  const call = choice!.message.tool_calls![0] as OpenAI.ChatCompletionMessageFunctionToolCall;
  const { name, arguments: text } = call.function;
  return { text: choice!.message.content, name, arguments: JSON.parse(text) as unknown, finish: choice!.finish_reason };
}

function functionOf({ output }: { readonly output: readonly OpenAI.Responses.ResponseOutputItem[] }) {
  const item = output.find((each) => each.type === 'function_call')!;
  return { name: item.name, arguments: JSON.parse(item.arguments) as unknown, call: item.call_id };
}

function told({ output_text: text, status, usage, id }: OpenAI.Responses.Response) {
  return { text, status, tokens: usage!.total_tokens, prefix: id.slice(0, 5) };
}

async function fault(act: Promise<unknown>) {
  const error = await act.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error === null) return { kind: null };
  if (!(error instanceof OpenAI.APIError)) throw new Error(`expected an error of the API, got ${messageOf(error)}`);
  const { status, code, param, requestID } = error;
  return {
    ...{ kind: error.constructor.name, status: (status as number | undefined) ?? null },
    ...{ code: code ?? null, param: param ?? null, named: typeof requestID === 'string' },
  };
}

type Act = (name: string) => Promise<unknown>;

/** @param base address of a gateway that is open; `closed`: of one with keys */
export function npmActs(base: string, closed: string): Readonly<Record<string, Act>> {
  const client = (baseURL = base, maxRetries = 0): OpenAI => new OpenAI({ baseURL, apiKey: 'none', maxRetries });
  return {
    ...chatActs(client()),
    ...faultActs(client(), client(base, 2), client(closed)),
    ...responsesActs(client()),
    models: async () => {
      const names = (await client().models.list()).data.map(({ id }) => id);
      return {
        names,
        one: (await client().models.retrieve(MODEL)).id,
        ...(await fault(client().models.retrieve('no'))),
      };
    },
    embeddings: async (name) => ({
      vector: (await client().embeddings.create({ model: 'tiny', input: name })).data[0]!.embedding,
    }),
  };
}

function chatActs({ chat: { completions } }: OpenAI): Readonly<Record<string, Act>> {
  return {
    chat: async (name) => {
      const answer = await completions.create(ask(name));
      const [{ message, finish_reason: finish }] = answer.choices as [OpenAI.ChatCompletion.Choice];
      const seen = { text: message.content, finish, tokens: answer.usage!.total_tokens };
      return { ...seen, named: typeof answer._request_id === 'string', prefix: answer.id.slice(0, 9) };
    },
    chat_async: async (name) => ({ text: (await read(await completions.create({ ...ask(name), stream: true }))).text }),
    chat_stream: async (name) => {
      const { data, request_id: id } = await completions.create({ ...ask(name), stream: true }).withResponse();
      return { ...(await read(data)), named: typeof id === 'string' };
    },
    chat_stream_usage: async (name) =>
      read(await completions.create({ ...ask(name), stream: true, stream_options: { include_usage: true } })),
    chat_slow: async (name) => ({ text: (await read(await completions.create({ ...ask(name), stream: true }))).text }),
    odd_finish: async (name) => ({ finish: (await completions.create(ask(name))).choices[0]!.finish_reason }),
    tools: async (name) => called(await completions.create({ ...ask(name), tools: [TOOL] })),
    tools_stream: async (name) =>
      called(await completions.stream({ ...ask(name), stream: true, tools: [TOOL] }).finalChatCompletion()),
    parse: async (name) => {
      const answer = await completions.parse({ ...ask(name), response_format: zodResponseFormat(sum, 'sum') });
      return answer.choices[0]!.message.parsed;
    },
    left: async (name) => {
      for await (const { choices } of await completions.create({ ...ask(name), stream: true })) {
        const text = choices[0]!.delta.content ?? '';
        if (text !== '') return { text };
      }
      return {};
    },
  };
}

function faultActs(client: OpenAI, retrying: OpenAI, closed: OpenAI): Readonly<Record<string, Act>> {
  const { completions } = client.chat;
  return {
    refused: (name) => fault(completions.create(ask(name))),
    two_answers: (name) => fault(completions.create({ ...ask(name), n: 2 })),
    unknown_model: (name) => fault(completions.create({ ...ask(name), model: 'none' })),
    no_key: (name) => fault(closed.chat.completions.create(ask(name))),
    unknown_path: (name) => fault(client.completions.create({ model: MODEL, prompt: name })),
    retried: async (name) => ({
      text: (await retrying.chat.completions.create(ask(name))).choices[0]!.message.content,
    }),
    not_retried: (name) => fault(retrying.chat.completions.create(ask(name))),
    broken: async (name) => {
      const { kind } = await fault(completions.create({ ...ask(name), stream: true }).then(read));
      return { kind };
    },
  };
}

function responsesActs({ responses }: OpenAI): Readonly<Record<string, Act>> {
  return {
    responses: async (name) => {
      const answer = await responses.create({ ...put(name), instructions: 'Be brief.' });
      return { ...told(answer), named: typeof answer._request_id === 'string' };
    },
    responses_events: async (name) => {
      const events: string[] = [];
      for await (const { type } of await responses.create({ ...put(name), stream: true })) events.push(type);
      return { events };
    },
    responses_stream: async (name) => told(await responses.stream(put(name)).finalResponse()),
    responses_tools: async (name) =>
      functionOf(await responses.stream({ ...put(name), tools: [FUNCTION] }).finalResponse()),
    responses_loop: async (name) => {
      const first = await responses.create({ ...put('responses_tools'), tools: [FUNCTION] });
      const output = { type: 'function_call_output' as const, call_id: functionOf(first).call, output: '1' };
      const input: ResponseInput = [
        { role: 'user', content: `${name} of npm` },
        ...(first.output as ResponseInput),
        output,
      ];
      return { text: (await responses.create({ model: MODEL, input, tools: [FUNCTION] })).output_text };
    },
    responses_parse: async (name) =>
      (await responses.parse({ ...put(name), text: { format: zodTextFormat(sum, 'sum') } })).output_parsed,
    responses_cut: async (name) => {
      const answer = await responses.create({ ...put(name), max_output_tokens: 1 });
      return { status: answer.status, reason: answer.incomplete_details?.reason };
    },
    responses_stored: (name) => fault(responses.create({ ...put(name), store: true })),
    responses_continued: (name) => fault(responses.create({ ...put(name), previous_response_id: 'resp_1' })),
    responses_refused: (name) => fault(responses.create(put(name))),
    responses_broken: async (name) => {
      let last: OpenAI.Responses.ResponseStreamEvent | undefined;
      for await (const event of await responses.create({ ...put(name), stream: true })) last = event;
      if (last?.type !== 'response.failed') return { event: last?.type };
      return { event: last.type, status: last.response.status, said: (last.response.error?.message ?? '') !== '' };
    },
  };
}
