/** What callers of one executor behind an endpoint do to each other; what is recorded is tested in apps/executor/src/endpoint.spec.ts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '@seamstream/kernel';
import { DEFAULT_LIMITS, EndpointClient } from '@seamstream/openai-endpoint';
import { chatCompletion, ModelServer } from '@seamstream/testing/model-server';
import { EndpointExecutor } from './executor.endpoint.adapter.js';

let server: ModelServer;
let client: EndpointClient;

beforeEach(async () => {
  server = await ModelServer.start(() => ({ kind: 'answer', body: chatCompletion('4') }));
  client = new EndpointClient(
    {
      url: server.url,
      key: null,
      keyName: 'NONE',
      limits: { ...DEFAULT_LIMITS, attempts: 1 },
      budget: { tokens: null, money: null, promptPrice: 0, responsePrice: 0 },
    },
    { clock: systemClock, chance: Math.random },
  );
});
afterEach(async () => {
  await client.close();
  await server.stop();
});

const open = () =>
  EndpointExecutor.open(
    client,
    {
      model: 'tiny',
      revision: 'r1',
      system: null,
      decoding: {
        temperature: 0,
        topP: 1,
        maxTokens: 8,
        maxTokensField: 'max_tokens',
        seed: null,
        stop: [],
        extraBody: {},
      },
    },
    () => performance.now(),
  );

describe('an executor behind an endpoint', () => {
  it('asks one question whether it serves for all; a caller that stops waiting for the answer takes it from no other', async () => {
    const executor = await open();
    const before = server.seen.length;
    server.behave = async ({ body }) => {
      const [{ content }] = body!.messages as [{ content: string }];
      if (content !== 'Hello') return { kind: 'answer', status: 500, body: '' };
      await sleep(200);
      return { kind: 'answer', body: chatCompletion('Hello') };
    };
    const stopping = new AbortController();
    const stopped = expect(executor.answer(['a'], stopping.signal)).rejects.toMatchObject({ code: 'ABORTED' });
    await sleep(50);
    const other = executor.answer(['b']);
    await sleep(50);
    stopping.abort();
    await stopped;
    expect(await other).toMatchObject([{ status: 'failed', code: 'ENDPOINT_FAILED', retryable: true }]);
    expect(server.seen).toHaveLength(before + 3);
  });

  it('asks for at most as many tokens as its caller wants, no more than its limit, and keeps these answers apart', async () => {
    const executor = await open();
    const before = server.seen.length;
    for (const most of [3, 3, 100, undefined]) await executor.answer(['a'], undefined, undefined, undefined, most);
    expect(server.seen.slice(before).map(({ body }) => body!.max_tokens)).toEqual([3, 8]);
    const drawing = { temperature: 1, topP: 1 };
    await executor.sample([{ prompt: 'a', seeds: ['1'] }], drawing, undefined, undefined, undefined, 2);
    expect(server.seen.at(-1)!.body!.max_tokens).toBe(2);
  });
});
