import { eventsOf, until } from '@seamstream/testing';
import { type Behaviour, chatChunks, chatCompletion, ModelServer } from '@seamstream/testing/model-server';
import fc from 'fast-check';
import OpenAI from 'openai';
import { type GatewayUnderTest, startGateway } from '../gateway.fake.js';
import { mayAskNext } from './fallback.decide.js';

let gateway: GatewayUnderTest;
let second: ModelServer;
beforeEach(async () => {
  second = await ModelServer.start(() => ({ kind: 'answer', body: chatCompletion('Of the second.') }));
});
afterEach(async () => {
  await gateway.stop();
  await second.stop();
});

const REQUEST = { model: 'seam', messages: [{ role: 'user' as const, content: 'How many?' }] };
async function start(behave: () => Behaviour, url = second.url): Promise<OpenAI> {
  gateway = await startGateway({ behave, gateway: { fallbacks: [{ url, model: 'other' }] } });
  return new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'none', maxRetries: 0 });
}
const refusing = (status: number): Behaviour => ({ kind: 'answer', status, body: { error: { message: 'no' } } });

describe('the next executor', () => {
  it.each<[string, Behaviour, string]>([
    ['cannot be reached or breaks off', { kind: 'reset' }, 'ENDPOINT_FAILED'],
    ['has too much to do', refusing(429), 'ENDPOINT_UNAVAILABLE'],
    ['fails', refusing(500), 'ENDPOINT_FAILED'],
    ['breaks off within its answer', { kind: 'half', body: chatCompletion('Of the first.') }, 'ENDPOINT_FAILED'],
    ['answers something else', { kind: 'answer', body: '<html>' }, 'ENDPOINT_FAILED'],
  ])('answers where the first %s, and the failed try is recorded', async (_, behaviour, code) => {
    const client = await start(() => behaviour);
    const { data, response } = await client.chat.completions.create(REQUEST).withResponse();
    expect(data.choices[0]!.message.content).toBe('Of the second.');
    expect(response.headers.get('x-seam-executor-tries')).toBe('2');
    expect(second.seen[0]!.body).toMatchObject({ model: 'other', messages: [{ role: 'system' }, REQUEST.messages[0]] });
    const [answer] = await eventsOf(gateway.log, 'AnswerRecorded');
    expect(answer).toMatchObject({ executor: { model: 'other' }, failedTries: [{ model: 'tiny', code }] });
    expect(await eventsOf(gateway.log, 'ExecutionFailed')).toEqual([]);
  });

  it('answers where nothing listens at the first address, also a stream', async () => {
    second.behave = () => ({ kind: 'events', data: chatChunks(['Of the ', 'second.']) });
    const client = await start(() => ({ kind: 'hang' }));
    await gateway.upstream.stop();
    const answer = client.chat.completions.stream({ ...REQUEST, stream: true });
    expect(await answer.finalContent()).toBe('Of the second.');
    const [recorded] = await eventsOf(gateway.log, 'AnswerRecorded');
    expect(recorded).toMatchObject({ failedTries: [{ code: 'ENDPOINT_UNAVAILABLE' }] });
  });

  it.each<[string, readonly unknown[], 'done' | 'reset']>([
    ['is cut off', [], 'reset'],
    ['ends', ['[DONE]'], 'done'],
    ['reports an error', [{ error: { message: 'overloaded' } }], 'done'],
  ])('is asked where a stream %s before its first part', async (_, data, end) => {
    second.behave = () => ({ kind: 'events', data: chatChunks(['Of the second.']) });
    const client = await start(() => ({ kind: 'events', data, end }));
    const answer = client.chat.completions.stream({ ...REQUEST, stream: true });
    expect(await answer.finalContent()).toBe('Of the second.');
    expect(await eventsOf(gateway.log, 'AnswerRecorded')).toMatchObject([
      { failedTries: [{ code: 'ENDPOINT_FAILED' }] },
    ]);
  });

  it('is not asked once a stream has begun', async () => {
    const data = chatChunks(['Of the first.']).slice(0, 2);
    const client = await start(() => ({ kind: 'events', data, end: 'reset' }));
    const answer = client.chat.completions.stream({ ...REQUEST, stream: true });
    await expect(answer.finalContent()).rejects.toBeInstanceOf(OpenAI.APIError);
    expect(second.seen).toEqual([]);
    expect(await eventsOf(gateway.log, 'ExecutionFailed')).toMatchObject([{ attempts: 1 }]);
  });

  it.each([400, 401, 404, 422])('is not asked for what the first refused with status %d', async (status) => {
    const client = await start(() => refusing(status));
    await expect(client.chat.completions.create(REQUEST)).rejects.toBeInstanceOf(OpenAI.APIError);
    expect(second.seen).toEqual([]);
  });

  it('that fails too leaves its own error, and the number of tries', async () => {
    second.behave = () => refusing(503);
    const client = await start(() => refusing(500));
    await expect(client.chat.completions.create(REQUEST)).rejects.toMatchObject({ status: 503 });
    expect(await eventsOf(gateway.log, 'ExecutionFailed')).toMatchObject([{ attempts: 2 }]);
    expect(await eventsOf(gateway.log, 'AnswerRecorded')).toEqual([]);
  });

  it('is not asked for a client that is gone', async () => {
    const client = await start(() => ({ kind: 'hang' }));
    const gone = new AbortController();
    const asking = client.chat.completions.create(REQUEST, { signal: gone.signal });
    await until(() => gateway.upstream.seen.length > 0);
    gone.abort();
    await expect(asking).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
    await until(async () => (await eventsOf(gateway.log, 'AnswerRecorded')).length > 0);
    expect(second.seen).toEqual([]);
  });

  it('is for 429 and for faults of the server alone, among all statuses', async () => {
    await start(() => ({ kind: 'hang' }));
    const error = { message: 'no', type: 't', param: null, code: null };
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 999 }), (serverStatus) => {
        const result = { kind: 'refused', status: 502, serverStatus, headers: {}, body: { error } } as const;
        const fault = mayAskNext({ ...result, code: 'ENDPOINT_FAILED' });
        expect(fault !== undefined).toBe(serverStatus === 429 || serverStatus >= 500);
      }),
    );
  });
});
