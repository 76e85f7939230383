import { setTimeout as pause } from 'node:timers/promises';
import { PromptInjection } from '@seamstream/environments';
import { FakeExecutor } from '@seamstream/environments/testing';
import { isConversation } from '@seamstream/events';
import { loadPrompts } from '@seamstream/experience';
import { eventsOf, until } from '@seamstream/testing';
import { type Behaviour, chatChunks, chatCompletion } from '@seamstream/testing/model-server';
import OpenAI from 'openai';
import { ENTRY, type GatewayUnderTest, startGateway } from '../gateway.fake.js';

let gateway: GatewayUnderTest | undefined;
afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
});

async function start(setting: Parameters<typeof startGateway>[0]) {
  gateway = await startGateway(setting);
  return { gateway, client: new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'none', maxRetries: 0 }) };
}

const QUESTION = [{ role: 'user' as const, content: 'How many?' }];
const REQUEST = { model: 'seam', messages: QUESTION };
const answering = (body: unknown) => ({ behave: (): Behaviour => ({ kind: 'answer', body }) });
const streaming = (data: readonly unknown[], end: 'done' | 'reset' | 'hang' = 'done', everyMs = 0) => ({
  behave: (): Behaviour => ({ kind: 'events', data, end, everyMs }),
});

describe('a chat completion', () => {
  it('is answered with the experience in the system message, and is recorded', async () => {
    const { gateway, client } = await start(answering(chatCompletion('Four.')));
    const { data, response, request_id } = await client.chat.completions.create(REQUEST).withResponse();
    expect(data.choices[0]).toMatchObject({ message: { content: 'Four.' }, finish_reason: 'stop' });
    expect(request_id).toMatch(/^req_/);
    const [published] = await eventsOf(gateway.log, 'ProblemPublished');
    const [answer] = await eventsOf(gateway.log, 'AnswerRecorded');
    expect(published).toMatchObject({ problem: { prompt: 'How many?', verifier: null }, answeredBy: 'seam/gateway' });
    expect(answer).toMatchObject({
      response: 'Four.',
      entry: ENTRY,
      arm: 'deploy',
      promptTokens: 9,
      responseTokens: 3,
      ...{ entryMs: expect.any(Number), ownMs: expect.any(Number) },
    });
    expect(response.headers.get('x-seam-problem-id')).toBe(published!.problem.problemId);
    expect(data.id).toBe(`chatcmpl-${published!.problem.problemId}`);
    const [asked] = gateway.upstream.seen;
    expect(asked!.body).toMatchObject({ model: 'tiny', messages: [{ role: 'system' }, QUESTION[0]] });
    expect(JSON.stringify(asked!.body)).toContain('count twice');
  });

  it('passes what it does not know through, and keeps what is meant for it', async () => {
    const { gateway, client } = await start(answering({ ...chatCompletion('4'), new_field: { a: 1 } }));
    const content = [
      { type: 'text' as const, text: 'What is it?' },
      { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AAAA' } },
    ];
    const request = { ...REQUEST, messages: [{ role: 'user' as const, content }], reasoning_effort: 'low' as const };
    const answer = await client.chat.completions.create({
      ...request,
      seam: { domain: 'sums' },
      odd: [1],
    } as typeof request);
    expect(answer).toMatchObject({ new_field: { a: 1 } });
    const { body } = gateway.upstream.seen[0]!;
    expect(body).toMatchObject({ reasoning_effort: 'low', odd: [1], messages: [{}, { role: 'user', content }] });
    expect(body).not.toHaveProperty('seam');
    const [published] = await eventsOf(gateway.log, 'ProblemPublished');
    expect(published!.problem).toMatchObject({ domain: 'sums', prompt: 'What is it?\n[image_url]' });
  });

  it('is in the control arm without an entry, by its conversation', async () => {
    const { gateway, client } = await start({ ...answering(chatCompletion('4')), gateway: { controlShare: 0.5 } });
    const arms = new Map<string, Set<string>>();
    for (let turn = 0; turn < 24; turn++) {
      const conversation = `c${turn % 8}`;
      const messages = [...QUESTION, { role: 'assistant' as const, content: `${turn}` }, ...QUESTION];
      const request = { ...REQUEST, messages, seam: { conversation } };
      const { response } = await client.chat.completions.create(request).withResponse();
      arms.set(conversation, (arms.get(conversation) ?? new Set()).add(response.headers.get('x-seam-arm')!));
    }
    expect([...arms.values()].every(({ size }) => size === 1)).toBe(true);
    expect(new Set([...arms.values()].flatMap((each) => [...each])).size).toBe(2);
    for (const { arm, entry, entryMs } of await eventsOf(gateway.log, 'AnswerRecorded'))
      expect([entry === null, entryMs === null]).toEqual(Array(2).fill(arm === 'control'));
  });

  it('continues without an experience that is late, in the arm that it was assigned to', async () => {
    const { gateway, client } = await start({
      ...answering(chatCompletion('4')),
      entryFor: () => null,
      gateway: { experienceWithinMs: 30 },
    });
    await client.chat.completions.create(REQUEST);
    const [answer] = await eventsOf(gateway.log, 'AnswerRecorded');
    expect(answer).toMatchObject({ arm: 'deploy', entry: null, withoutEntry: 'late', unpaid: expect.any(String) });
  });

  it('without reported usage has unknown tokens, never none', async () => {
    const silent = { ...chatCompletion('4'), usage: undefined };
    const { gateway, client } = await start(answering(silent));
    await client.chat.completions.create(REQUEST);
    const [answer] = await eventsOf(gateway.log, 'AnswerRecorded');
    expect(answer).toMatchObject({ promptTokens: null, responseTokens: null, usage: null });
  });

  it.each([
    [400, OpenAI.BadRequestError, 400],
    [401, OpenAI.InternalServerError, 502],
    [429, OpenAI.RateLimitError, 429],
    [500, OpenAI.InternalServerError, 500],
  ])('of status %d upstream is an error of the client, and no reward', async (status, kind, shown) => {
    const error = { message: 'no', type: 't', param: 'p', code: 'c' };
    const { gateway, client } = await start({
      behave: () => ({ kind: 'answer', status, headers: { 'retry-after-ms': '1', 'x-secret': 's' }, body: { error } }),
    });
    const failure = await client.chat.completions
      .create(REQUEST)
      .catch((thrown: unknown) => thrown as InstanceType<typeof OpenAI.APIError>);
    expect(failure).toBeInstanceOf(kind);
    expect(failure).toMatchObject({ status: shown, requestID: expect.stringMatching(/^req_/) });
    expect((failure as InstanceType<typeof OpenAI.APIError>).headers!.get('x-secret')).toBeNull();
    expect((failure as InstanceType<typeof OpenAI.APIError>).headers!.get('retry-after-ms')).toBe('1');
    expect(await eventsOf(gateway.log, 'ExecutionFailed')).toHaveLength(1);
    expect(await eventsOf(gateway.log, 'AnswerRecorded')).toEqual([]);
  });

  it('is tried again by the client, and each try is a record', async () => {
    let tries = 0;
    const { gateway } = await start({
      behave: () => (tries++ === 0 ? { kind: 'reset' } : { kind: 'answer', body: chatCompletion('4') }),
    });
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'none', maxRetries: 2 });
    await client.chat.completions.create(REQUEST);
    const retries = (await eventsOf(gateway.log, 'ProblemPublished')).map(({ problem }) => problem.metadata.retry);
    expect(retries.toSorted()).toEqual(['0', '1']);
  });

  it('gets 429 at once where too many are under way, and its turn when one has ended', async () => {
    const { gateway, client } = await start({ gateway: { maxConcurrent: 2 } });
    const leaving = new AbortController();
    const first = client.chat.completions.create(REQUEST, { signal: leaving.signal });
    const second = client.responses.create({ model: 'seam', input: 'Why?' });
    await until(() => gateway.upstream.seen.length === 2);
    const [third, fourth] = await Promise.allSettled([
      client.chat.completions.create(REQUEST),
      client.responses.create({ model: 'seam', input: 'Why?' }),
    ]);
    for (const refused of [third, fourth]) expect(refused).toMatchObject({ reason: { code: 'too_many_requests' } });
    expect(await eventsOf(gateway.log, 'ProblemPublished')).toHaveLength(2);
    leaving.abort();
    await expect(first).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
    gateway.upstream.behave = () => ({ kind: 'answer', body: chatCompletion('Four.') });
    const patient = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'none', maxRetries: 20 });
    expect((await patient.chat.completions.create(REQUEST)).choices[0]!.message.content).toBe('Four.');
    // What is under way at the end of the gateway is to be asked again.
    const ended = expect(second).rejects.toMatchObject({ status: 503, code: 'shutting_down' });
    await gateway.service.close();
    await ended;
  });

  it('is not asked where it cannot be recorded', async () => {
    const { gateway, client } = await start(answering(chatCompletion('4')));
    gateway.log.append = () => Promise.reject(new Error('the disk is full'));
    await expect(client.chat.completions.create(REQUEST)).rejects.toMatchObject({ status: 500 });
    expect(gateway.upstream.seen).toEqual([]);
  });

  it('is answered by an executor in the same process, streamed too', async () => {
    const executor = {
      identity: { model: 'small', revision: 'r', decoding: '{}' },
      answer: (prompts: readonly string[]) =>
        Promise.resolve(
          prompts.map(
            () =>
              ({ status: 'answered', text: 'Answer: 4', finished: true, promptTokens: 5, responseTokens: 3 }) as const,
          ),
        ),
    };
    const { gateway, client } = await start({
      embedded: { environment: new PromptInjection(executor, await loadPrompts()) },
    });
    const whole = await client.chat.completions.create(REQUEST);
    expect(whole).toMatchObject({ choices: [{ message: { content: 'Answer: 4' } }], usage: { total_tokens: 8 } });
    const streamed = await client.chat.completions.stream({ ...REQUEST, stream: true }).finalContent();
    expect(streamed).toBe('Answer: 4');
    const refused = client.chat.completions.create({
      ...REQUEST,
      tools: [{ type: 'function', function: { name: 'f' } }],
    });
    await expect(refused).rejects.toMatchObject({ status: 400, param: 'tools' });
    const recorded = await eventsOf(gateway.log, 'AnswerRecorded');
    // As a gateway's: else no feedback on it counts.
    expect(recorded.map((each) => isConversation(each.executor))).toEqual([true, true]);
  });
});

describe('an executor in the same process', () => {
  const lengths = [
    ['max_tokens', 3, 'Ans', 'length'],
    ['max_completion_tokens', 8, 'Answer: ', 'length'],
    ['max_tokens', 9, 'Answer: 4', 'stop'],
    ['max_tokens', 4_096, 'Answer: 4', 'stop'],
  ] as const;

  it.each(lengths)('ends its answer at %s %i, whole and streamed, and records it', async (name, most, text, end) => {
    const executor = new FakeExecutor(() => 'Answer: 4');
    const { gateway, client } = await start({
      embedded: { environment: new PromptInjection(executor, await loadPrompts()) },
    });
    const { choices, usage } = await client.chat.completions.create({ ...REQUEST, [name]: most });
    expect(choices).toMatchObject([{ message: { content: text }, finish_reason: end }]);
    expect(usage).toMatchObject({ completion_tokens: text.length });
    const streamed = await client.chat.completions.stream({ ...REQUEST, [name]: most }).finalChatCompletion();
    expect(streamed.choices).toMatchObject([{ message: { content: text }, finish_reason: end }]);
    const decoding = JSON.stringify({ answer: '{}', mostTokens: most });
    for (const answer of await eventsOf(gateway.log, 'AnswerRecorded'))
      expect(answer).toMatchObject({ response: text, finishReason: end, executor: { decoding } });
  });

  it('ends its answer at the newer name where both are set, and by itself where both are null', async () => {
    const { client } = await start({
      embedded: { environment: new PromptInjection(new FakeExecutor(() => 'Answer: 4'), await loadPrompts()) },
    });
    const answerTo = async (most: object) =>
      (await client.chat.completions.create({ ...REQUEST, ...most })).choices[0]!.message.content;
    expect(await answerTo({ max_tokens: 9, max_completion_tokens: 2 })).toBe('An');
    expect(await answerTo({ max_tokens: null, max_completion_tokens: null })).toBe('Answer: 4');
  });
});

describe('a streamed chat completion', () => {
  const read = async (stream: AsyncIterable<OpenAI.ChatCompletionChunk>) => {
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    return chunks;
  };

  it('has no usage that was not asked for, and is recorded with it', async () => {
    const { gateway, client } = await start(streaming(chatChunks(['Fo', 'ur.'])));
    const chunks = await read(await client.chat.completions.create({ ...REQUEST, stream: true }));
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('Four.');
    expect(chunks.every((chunk) => !('usage' in chunk) && chunk.choices.length === 1)).toBe(true);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(gateway.upstream.seen[0]!.body).toMatchObject({ stream_options: { include_usage: true } });
    const [answer] = await eventsOf(gateway.log, 'AnswerRecorded');
    expect(answer).toMatchObject({ response: 'Four.', promptTokens: 9, responseTokens: 2, cutBy: null });
  });

  it('has the usage that was asked for', async () => {
    const { client } = await start(streaming(chatChunks(['Four.'])));
    const chunks = await read(
      await client.chat.completions.create({ ...REQUEST, stream: true, stream_options: { include_usage: true } }),
    );
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 10 } });
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
  });

  it('passes calls of tools through, which are part of the record', async () => {
    const call = (index: number, part: object) => ({
      ...(chatChunks([])[0] as object),
      choices: [{ index: 0, delta: { tool_calls: [{ index, ...part }] }, finish_reason: null }],
    });
    const chunks = chatChunks([], { finishReason: 'tool_calls' });
    const calls = [
      call(0, { id: 'call_1', type: 'function', function: { name: 'add', arguments: '' } }),
      call(0, { function: { arguments: '{"a":' } }),
      call(0, { function: { arguments: '1}' } }),
    ];
    const { gateway, client } = await start(streaming([chunks[0], ...calls, ...chunks.slice(1)]));
    const answer = await client.chat.completions.stream({ ...REQUEST, stream: true }).finalChatCompletion();
    expect(answer.choices[0]!.message.tool_calls![0]).toMatchObject({
      id: 'call_1',
      function: { arguments: '{"a":1}' },
    });
    const [recorded] = await eventsOf(gateway.log, 'AnswerRecorded');
    expect(recorded).toMatchObject({ finishReason: 'tool_calls', response: expect.stringContaining('"name":"add"') });
  });

  it.each<[string, readonly unknown[], 'done' | 'reset']>([
    ['ends early', chatChunks(['Fo', 'ur.']).slice(0, 2), 'done'],
    ['is cut off', chatChunks(['Fo', 'ur.']).slice(0, 2), 'reset'],
    ['reports an error', [chatChunks(['Fo'])[0], { error: { message: 'overloaded' } }], 'done'],
    ['is no JSON', [chatChunks(['Fo'])[0], '{"choices":'], 'done'],
  ])('that %s says so inside of the stream, and is no answer', async (_, data, end) => {
    const { gateway, client } = await start(streaming(data, end));
    const stream = await client.chat.completions.create({ ...REQUEST, stream: true });
    await expect(read(stream)).rejects.toBeInstanceOf(OpenAI.APIError);
    expect(await eventsOf(gateway.log, 'ExecutionFailed')).toHaveLength(1);
    expect(await eventsOf(gateway.log, 'AnswerRecorded')).toEqual([]);
  });

  it('never looks whole where its record failed', async () => {
    const { gateway } = await start(streaming(chatChunks(['Four.'])));
    const { log } = gateway;
    const append = log.append.bind(log);
    log.append = async (records) => {
      if (records.some(({ topic }) => topic === 'seam.answers')) throw new Error('the disk is full');
      return append(records);
    };
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ ...REQUEST, stream: true }),
    });
    const text = await answer.text();
    expect(text).toContain('"error"');
    expect(text).not.toContain('[DONE]');
    expect(text).not.toContain('"finish_reason":"stop"');
  });

  it('ends with its client, whose executor is asked no longer, and is recorded as cut', async () => {
    const { gateway, client } = await start(
      streaming(chatChunks(['Fo', ...Array.from({ length: 1500 }, () => 'u')]), 'done', 10),
    );
    const stream = await client.chat.completions.create({ ...REQUEST, stream: true });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content === 'Fo') break;
    await until(async () => (await eventsOf(gateway.log, 'AnswerRecorded')).length === 1);
    const [answer] = await eventsOf(gateway.log, 'AnswerRecorded');
    expect(answer).toMatchObject({ cutBy: 'client', response: expect.stringMatching(/^Fo/), promptTokens: null });
    await pause(50);
    expect(await eventsOf(gateway.log, 'ExecutionFailed')).toEqual([]);
  });
});
