/** What a client asks, how the executor's server behaves then, and what the client is to see: one row for both languages. */
import { type Behaviour, chatChunks, chatCompletion, type ModelServer } from '@seamstream/testing/model-server';

interface OpenAiCase {
  /** Part of the request's text, so that the server knows how to behave. */
  readonly name: string;
  /** What the clients do; the name where absent. */
  readonly act?: string;
  readonly server?: (tries: number) => Behaviour;
  readonly expected: unknown;
  /** Requests that reach the server. */
  readonly tries?: number;
}

const answer = (body: unknown): Behaviour => ({ kind: 'answer', body });
const stream = (data: readonly unknown[], more: object = {}): Behaviour => ({ kind: 'events', data, ...more });
const FOUR = answer(chatCompletion('Four.'));
const STREAMED = stream(chatChunks(['Fo', 'ur.']));
const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'add', arguments: '' } };
const calls = chatChunks([], { finishReason: 'tool_calls' });
const CALLED = stream([
  ...[{ role: 'assistant', content: null }].map((delta) => ({
    ...(calls[0] as object),
    choices: [{ index: 0, delta }],
  })),
  ...[call, ...['{"a":', '1}'].map((text) => ({ index: 0, function: { arguments: text } }))].map((each) => ({
    ...(calls[0] as object),
    choices: [{ index: 0, delta: { tool_calls: [each] }, finish_reason: null }],
  })),
  ...calls.slice(1),
]);
const calledWhole = {
  ...chatCompletion(null, { finishReason: 'tool_calls' }),
  choices: [
    {
      index: 0,
      finish_reason: 'tool_calls',
      message: {
        ...{ role: 'assistant', content: null },
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }],
      },
    },
  ],
};
const failing = (status: number, headers: Readonly<Record<string, string>> = {}): Behaviour => ({
  ...{ kind: 'answer', status, headers },
  body: { error: { message: 'no', type: 't', param: 'p', code: 'c' } },
});
const error = (kind: string, status: number, code: string | null = 'c', param: string | null = 'p') => ({
  ...{ kind, status, code, param, named: true },
});
const vector = Buffer.from(new Float32Array([1, 2]).buffer).toString('base64');
const half = chatChunks(['Fo', 'ur.']).slice(0, 2);
const RESPONDED = { text: 'Four.', status: 'completed', tokens: 12, prefix: 'resp_' };
const CALL = { name: 'add', arguments: { a: 1 } };
const STATELESS = (param: string) => error('BadRequestError', 400, 'unsupported_parameter', param);

export const OPENAI_CASES: readonly OpenAiCase[] = [
  { name: 'chat', expected: { text: 'Four.', finish: 'stop', tokens: 12, named: true, prefix: 'chatcmpl-' } },
  { name: 'chat_async', server: () => STREAMED, expected: { text: 'Four.' } },
  {
    ...{ name: 'chat_stream', server: () => STREAMED },
    expected: { text: 'Four.', ids: 1, finish: 'stop', tokens: null, bare: 0, named: true },
  },
  {
    ...{ name: 'chat_stream_usage', server: () => STREAMED },
    expected: { text: 'Four.', ids: 1, finish: 'stop', tokens: 11, bare: 1 },
  },
  { name: 'chat_slow', server: () => stream(chatChunks(['Fo', 'ur.']), { everyMs: 60 }), expected: { text: 'Four.' } },
  {
    ...{ name: 'odd_finish', server: () => answer(chatCompletion('4', { finishReason: 'bored' })) },
    expected: { finish: 'bored' },
  },
  { name: 'tools', server: () => answer(calledWhole), expected: { ...CALL, text: null, finish: 'tool_calls' } },
  { name: 'tools_stream', server: () => CALLED, expected: { ...CALL, text: null, finish: 'tool_calls' } },
  { name: 'parse', server: () => answer(chatCompletion('{"total":4}')), expected: { total: 4 } },
  ...(
    [
      [400, 'BadRequestError'],
      [409, 'ConflictError'],
      [422, 'UnprocessableEntityError'],
      [429, 'RateLimitError'],
      [500, 'InternalServerError'],
    ] as const
  ).map(([status, kind]) => ({
    ...{ name: `refused_${status}`, act: 'refused', server: () => failing(status), tries: 1 },
    expected: error(kind, status),
  })),
  { name: 'two_answers', expected: error('BadRequestError', 400, 'unsupported_value', 'n'), tries: 0 },
  { name: 'unknown_model', expected: error('NotFoundError', 404, 'model_not_found', 'model'), tries: 0 },
  { name: 'no_key', expected: error('AuthenticationError', 401, 'invalid_api_key', null), tries: 0 },
  { name: 'unknown_path', expected: error('NotFoundError', 404, 'not_found', null), tries: 0 },
  {
    ...{ name: 'retried', expected: { text: 'Four.' }, tries: 3 },
    server: (tries) => (tries < 3 ? failing(429, { 'retry-after-ms': '1' }) : FOUR),
  },
  {
    ...{ name: 'not_retried', server: () => failing(429, { 'x-should-retry': 'false' }), tries: 1 },
    expected: error('RateLimitError', 429),
  },
  { name: 'broken_end', act: 'broken', server: () => stream(half), expected: { kind: 'APIError' } },
  { name: 'broken_reset', act: 'broken', server: () => stream(half, { end: 'reset' }), expected: { kind: 'APIError' } },
  {
    ...{ name: 'broken_error', act: 'broken', expected: { kind: 'APIError' } },
    server: () => stream([half[0], half[1], { error: { message: 'overloaded' } }]),
  },
  {
    ...{ name: 'chat_left', act: 'left', expected: { text: 'Fo' } },
    server: () => stream(chatChunks(['Fo', ...Array.from({ length: 600 }, () => 'u')]), { everyMs: 20 }),
  },
  {
    name: 'models',
    expected: { names: ['tiny', 'seam'], one: 'seam', ...error('NotFoundError', 404, 'model_not_found', 'model') },
  },
  {
    ...{ name: 'embeddings', expected: { vector: [1, 2] } },
    server: () => answer({ object: 'list', data: [{ object: 'embedding', index: 0, embedding: vector }] }),
  },
  { name: 'responses', expected: { ...RESPONDED, named: true } },
  {
    ...{ name: 'responses_events', server: () => STREAMED },
    expected: {
      events: [
        ...['created', 'in_progress', 'output_item.added', 'content_part.added', 'output_text.delta'],
        ...['output_text.delta', 'output_text.done', 'content_part.done', 'output_item.done', 'completed'],
      ].map((each) => `response.${each}`),
    },
  },
  { name: 'responses_stream', server: () => STREAMED, expected: { ...RESPONDED, tokens: 11 } },
  { name: 'responses_tools', server: () => CALLED, expected: { ...CALL, call: 'call_1' } },
  { name: 'responses_loop', expected: { text: 'Four.' } },
  { name: 'responses_parse', server: () => answer(chatCompletion('{"total":4}')), expected: { total: 4 } },
  {
    ...{ name: 'responses_cut', server: () => answer(chatCompletion('Fo', { finishReason: 'length' })) },
    expected: { status: 'incomplete', reason: 'max_output_tokens' },
  },
  { name: 'responses_stored', expected: STATELESS('store'), tries: 0 },
  { name: 'responses_continued', expected: STATELESS('previous_response_id'), tries: 0 },
  { name: 'responses_refused', server: () => failing(429), expected: error('RateLimitError', 429) },
  {
    ...{ name: 'responses_broken', server: () => stream(half, { end: 'reset' }) },
    expected: { event: 'response.failed', status: 'failed', said: true },
  },
];

/** Behaves as the case says that the request's text names; streams or not, as the request asks. */
export function upstreamFor(): ModelServer['behave'] {
  const tries = new Map<string, number>();
  return ({ body, url }) => {
    const asked = url.endsWith('/embeddings') ? String(body?.input) : lastText(body);
    const [name] = asked.split(' of ');
    const found = OPENAI_CASES.find((each) => each.name === name);
    tries.set(asked, (tries.get(asked) ?? 0) + 1);
    const behaviour = found?.server?.(tries.get(asked)!) ?? FOUR;
    // The call of a tool is asked for in both ways.
    return name === 'responses_tools' && body?.stream !== true ? answer(calledWhole) : behaviour;
  };
}

/** Of the user's last message: what follows may be a tool's. */
function lastText(body: Readonly<Record<string, unknown>> | undefined): string {
  const messages = (body?.messages ?? []) as readonly { readonly role: string; readonly content: unknown }[];
  return String(messages.findLast(({ role }) => role === 'user')?.content);
}
