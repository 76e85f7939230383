import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '@seamstream/kernel';
import { type Behaviour, chatCompletion, ModelServer } from '@seamstream/testing/model-server';
import { type ChatCompletion, chatCompletionSchema, chatUsage } from './chat-completion.js';
import { EndpointClient, type EndpointResult, type ServerTime } from './endpoint-client.js';
import { type BudgetSettings, DEFAULT_LIMITS, type EndpointLimits } from './endpoint-settings.js';

const KEY = 'sk-very-secret';
const NO_BUDGET: BudgetSettings = { tokens: null, money: null, promptPrice: 0, responsePrice: 0 };

let server: ModelServer;
let clients: EndpointClient[] = [];

beforeAll(async () => {
  server = await ModelServer.start(() => ({ kind: 'hang' }));
});
afterAll(() => server.stop());
beforeEach(() => {
  server.seen.length = 0;
  server.mostAtOnce = 0;
});
afterEach(async () => {
  await Promise.all(clients.map((client) => client.close()));
  clients = [];
});

function clientWith(
  limits: Partial<EndpointLimits> = {},
  budget: Partial<BudgetSettings> = {},
  url = server.url,
): EndpointClient {
  const client = new EndpointClient(
    {
      url,
      key: KEY,
      keyName: 'MY_KEY',
      limits: {
        ...DEFAULT_LIMITS,
        attempts: 3,
        firstRetryMs: 1,
        maxRetryMs: 5,
        requestTimeoutMs: 300,
        patienceMs: 1500,
        maxAnswerBytes: 10_000,
        ...limits,
      },
      budget: { ...NO_BUDGET, ...budget },
    },
    { clock: systemClock, chance: () => 0.5 },
  );
  clients.push(client);
  return client;
}

function ask(client: EndpointClient, signal?: AbortSignal, time?: ServerTime): Promise<EndpointResult<ChatCompletion>> {
  return client.ask(
    {
      method: 'POST',
      path: 'chat/completions',
      body: { model: 'tiny' },
      schema: chatCompletionSchema,
      worst: { promptTokens: 10, responseTokens: 10 },
      ...(time === undefined ? {} : { time }),
      usage: chatUsage,
    },
    signal,
  );
}

/** Behaves in the given ways one after the other, then as the last. */
function behaveLike(...behaviours: readonly Behaviour[]): void {
  let at = 0;
  server.behave = () => behaviours[Math.min(at++, behaviours.length - 1)]!;
}

const GOOD: Behaviour = { kind: 'answer', body: chatCompletion('4') };
const status = (code: number, body: unknown = { error: { message: 'no' } }, headers = {}): Behaviour => ({
  kind: 'answer',
  status: code,
  headers,
  body,
});

describe('an endpoint', () => {
  it('is asked at its address, with the key, and its answer is checked', async () => {
    behaveLike(GOOD);
    const result = await ask(clientWith({}, {}, `${server.url}/?tenant=a`));
    expect(result).toMatchObject({ kind: 'answer', value: { choices: [{ message: { content: '4' } }] } });
    expect(server.seen).toMatchObject([
      {
        method: 'POST',
        url: '/v1/chat/completions?tenant=a',
        body: { model: 'tiny' },
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      },
    ]);
  });

  it.each<[string, Behaviour]>([
    ['fails within', status(500)],
    ['takes too long to begin', status(408)],
    ['is out behind its gateway', status(502, '<html>Bad Gateway</html>')],
    ['hangs', { kind: 'hang' }],
    ['drips', { kind: 'drip', body: chatCompletion('4'), everyMs: 10 }],
    ['ends half way', { kind: 'half', body: chatCompletion('4') }],
    ['resets the connection', { kind: 'reset' }],
    ['answers too much', { kind: 'huge', bytes: 20_000 }],
    ['answers with a page', { kind: 'answer', body: '<html><h1>Welcome</h1></html>' }],
    ['answers no JSON', { kind: 'answer', body: '{"choices": [' }],
    ['answers JSON of another kind', { kind: 'answer', body: { hello: 'world' } }],
    ['answers without a choice', { kind: 'answer', body: { ...chatCompletion('4'), choices: [] } }],
    ['answers without text', { kind: 'answer', body: chatCompletion(null) }],
    ['answers without a count of tokens', { kind: 'answer', body: { ...chatCompletion('4'), usage: undefined } }],
    ['calls a tool', { kind: 'answer', body: chatCompletion(null, { finishReason: 'tool_calls' }) }],
  ])('that %s is asked again; the next response is its answer', async (_, fault) => {
    behaveLike(fault, fault, GOOD);
    expect(await ask(clientWith())).toMatchObject({ kind: 'answer' });
    expect(server.seen).toHaveLength(3);
  });

  it('that fails each time is no answer: a failure that says what was received, after all tries', async () => {
    behaveLike({ kind: 'answer', body: { ...chatCompletion('4'), choices: [] } });
    expect(await ask(clientWith())).toEqual({
      kind: 'failed',
      code: 'ENDPOINT_FAILED',
      reason: `Cannot ask endpoint ${server.url}: status 200, but with another shape than documented (choices: expected one choice), after 3 tries.`,
      retryable: true,
      halts: false,
    });
    expect(server.seen).toHaveLength(3);
  });

  it('that takes all of the time of a task is not asked again for it', async () => {
    behaveLike({ kind: 'hang' });
    const client = clientWith({ requestTimeoutMs: 10_000 });
    await expect(ask(client, undefined, { leftMs: 50 })).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    await expect(ask(client, undefined, { leftMs: 0 })).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    expect(server.seen).toHaveLength(1);
  });

  it('that takes no connection has taken no time of a task: it is in an outage', async () => {
    // Accepts a connection, and never answers the handshake.
    const silent = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const client = clientWith({ patienceMs: 200 }, {}, `https://127.0.0.1:${port}/v1`);
    try {
      const result = await ask(client, undefined, { leftMs: 50 });
      expect(result).toMatchObject({ code: 'ENDPOINT_UNAVAILABLE', reason: expect.stringContaining('no connection') });
    } finally {
      await client.close();
      silent.close();
    }
  });

  it.each([429, 503, 529])('that answers %i is in an outage, which is waited for', async (code) => {
    behaveLike(status(code), status(code), status(code), status(code), GOOD);
    const client = clientWith();
    const result = ask(client);
    expect(await result).toMatchObject({ kind: 'answer' });
    expect(() => client.assertAnswering()).not.toThrow();
  });

  it('in an outage that lasts gives the request back, to be asked later, and says so', async () => {
    behaveLike(status(503, 'Service Unavailable'));
    const client = clientWith({ patienceMs: 30, firstRetryMs: 10, maxRetryMs: 10 });
    expect(await ask(client)).toMatchObject({
      code: 'ENDPOINT_UNAVAILABLE',
      reason: `Cannot ask endpoint ${server.url}: status 503: Service Unavailable.`,
      retryable: true,
      halts: false,
    });
    expect(() => client.assertAnswering()).toThrow(/it answers no request: status 503: Service Unavailable/);
  });

  it('that is not running is an outage', async () => {
    const client = clientWith({ patienceMs: 20 }, {}, 'http://127.0.0.1:1/v1');
    expect(await ask(client)).toMatchObject({
      code: 'ENDPOINT_UNAVAILABLE',
      reason: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('that asks to wait is left alone for so long, by all requests', async () => {
    const at: number[] = [];
    let first = true;
    server.behave = () => {
      at.push(performance.now());
      if (!first) return GOOD;
      first = false;
      return status(429, {}, { 'retry-after': '1' });
    };
    const client = clientWith();
    const one = ask(client);
    await sleep(100);
    await Promise.all([one, ask(client), ask(client)]);
    expect(at).toHaveLength(4);
    expect(at[1]! - at[0]!).toBeGreaterThanOrEqual(990);
    expect(() => client.assertAnswering()).not.toThrow();
  });

  it('that asks to wait for longer than is borne gives requests back without being asked', async () => {
    behaveLike(status(429, {}, { 'retry-after': '60' }));
    const client = clientWith();
    expect(await ask(client)).toMatchObject({ code: 'ENDPOINT_UNAVAILABLE' });
    expect(await ask(client)).toMatchObject({
      code: 'ENDPOINT_UNAVAILABLE',
      reason: expect.stringMatching(/it asks to wait for (59|60) s more/),
    });
    expect(server.seen).toHaveLength(1);
  });

  it.each<[string, number, unknown, string]>([
    ['a request', 400, { error: { message: 'top_k is not known' } }, 'ENDPOINT_REFUSED'],
    ['a request that cannot be processed', 422, { detail: 'nope' }, 'ENDPOINT_REFUSED'],
    ['a prompt (OpenAI)', 400, { error: { message: 'x', code: 'context_length_exceeded' } }, 'PROMPT_TOO_LONG'],
    ['a prompt (llama.cpp)', 400, { error: { message: 'x', type: 'exceed_context_size_error' } }, 'PROMPT_TOO_LONG'],
    ['a prompt (vLLM)', 400, { message: "This model's maximum context length is 4096 tokens" }, 'PROMPT_TOO_LONG'],
  ])('that refuses %s is not asked again', async (_, code, body, expected) => {
    behaveLike(status(code, body));
    const client = clientWith();
    expect(await ask(client)).toMatchObject({ code: expected, retryable: false, halts: false });
    expect(server.seen).toHaveLength(1);
    behaveLike(GOOD);
    expect(await ask(client)).toMatchObject({ kind: 'answer' });
  });

  it.each<[string, Behaviour, string, RegExp]>([
    ['refuses the key', status(401), 'INVALID_CONFIGURATION', /the key is refused. Correct MY_KEY/],
    ['knows no such model', status(404), 'INVALID_CONFIGURATION', /Correct the address or the model/],
    [
      'sends elsewhere',
      status(307, '', { location: 'https://user:pw@other.example/v1' }),
      'INVALID_CONFIGURATION',
      /sends elsewhere to https:\/\/other\.example, which is not followed/,
    ],
    ['wants to be paid', status(402), 'BUDGET_SPENT', /quota is used up/],
    ['has a quota', status(429, { error: { code: 'insufficient_quota', message: 'q' } }), 'BUDGET_SPENT', /quota/],
  ])('that %s is not asked by anyone before a person acts', async (_, fault, code, reason) => {
    behaveLike(fault);
    const client = clientWith();
    const failure = await ask(client);
    expect(failure).toMatchObject({ code, reason: expect.stringMatching(reason), halts: true, retryable: false });
    behaveLike(GOOD);
    expect(await ask(client)).toEqual(failure);
    expect(() => client.assertAnswering()).toThrow(reason);
    expect(server.seen).toHaveLength(1);
  });

  it.each<[string, Behaviour]>([
    ['refuses it', status(401, { error: { message: `Incorrect API key provided: ${KEY}` } })],
    ['repeats it in an error', status(400, { error: { message: `Bearer ${KEY} is bad` } })],
    ['repeats it in an outage', status(503, `${KEY} is out`)],
  ])('that %s does not make the key known', async (_, fault) => {
    behaveLike(fault);
    const failure = await ask(clientWith({ patienceMs: 10 }));
    expect(failure).toMatchObject({ kind: 'failed' });
    expect(JSON.stringify(failure)).not.toContain(KEY);
  });

  it('is asked by at most so many at once', async () => {
    server.behave = async () => {
      await sleep(20);
      return GOOD;
    };
    const client = clientWith({ concurrency: 3 });
    await Promise.all(Array.from({ length: 12 }, () => ask(client)));
    expect([server.seen.length, server.mostAtOnce]).toEqual([12, 3]);
  });

  it('is asked no more often than it allows', async () => {
    behaveLike(GOOD);
    // 420 in a minute: a bucket of 60, then 6 in a second.
    const client = clientWith({ concurrency: 100, requestsPerMinute: 420 });
    const startedMs = performance.now();
    await Promise.all(Array.from({ length: 66 }, () => ask(client)));
    expect(performance.now() - startedMs).toBeGreaterThan(900);
  });

  it('is aborted: what waits and what is under way ends', async () => {
    behaveLike({ kind: 'hang' });
    const client = clientWith({ concurrency: 1, requestTimeoutMs: 60_000 });
    const controller = new AbortController();
    const asked = [ask(client, controller.signal), ask(client, controller.signal), ask(client)];
    await sleep(50);
    controller.abort();
    await expect(asked[0]).rejects.toMatchObject({ code: 'ABORTED' });
    await expect(asked[1]).rejects.toMatchObject({ code: 'ABORTED' });
    await sleep(20);
    const last = expect(asked[2]).rejects.toMatchObject({ code: 'ABORTED' });
    await client.close();
    await last;
    await expect(ask(client)).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

describe('the budget of an endpoint', () => {
  it('in tokens ends before it is exceeded, and then nothing is asked', async () => {
    behaveLike(GOOD); // 12 tokens each
    const client = clientWith({ concurrency: 4 }, { tokens: 60 });
    const results = await Promise.all(Array.from({ length: 10 }, () => ask(client)));
    // Three fit, a fourth may need 20 and has 24 left, a fifth would have 12.
    expect(results.filter(({ kind }) => kind === 'answer')).toHaveLength(4);
    expect(client.spent).toMatchObject({ promptTokens: 36, responseTokens: 12 });
    expect(results.at(-1)).toMatchObject({
      code: 'BUDGET_SPENT',
      halts: true,
      reason: expect.stringContaining('its budget is spent (48 of 60 tokens); the next request may need 20 tokens'),
    });
    expect(server.seen).toHaveLength(4);
  });

  it('in money counts prompts and answers at their prices, and what was spent before', async () => {
    behaveLike(GOOD);
    const client = clientWith({}, { money: 1, promptPrice: 10_000, responsePrice: 20_000 });
    client.addSpent({ promptTokens: 20, responseTokens: 20 }); // 0.6
    expect(await ask(client)).toMatchObject({ kind: 'answer' }); // 0.09 + 0.06 = 0.15; worst case 0.3
    expect(client.spent.money).toBeCloseTo(0.75, 10);
    expect(await ask(client)).toMatchObject({ code: 'BUDGET_SPENT', reason: expect.stringContaining('0.7500 of 1') });
  });

  it('counts what may have been computed, and nothing for what was refused', async () => {
    behaveLike(status(500), { kind: 'reset' }, GOOD);
    const client = clientWith({}, { tokens: 1000 });
    await ask(client);
    expect(client.spent).toMatchObject({ promptTokens: 10 + 9, responseTokens: 10 + 3 });
  });

  it('that is reserved by requests under way is waited for no longer than the signal and the patience say', async () => {
    behaveLike({ kind: 'hang' });
    const client = clientWith({ requestTimeoutMs: 20_000, patienceMs: 100 }, { tokens: 30 });
    const underWay = expect(ask(client)).rejects.toMatchObject({ code: 'ABORTED' });
    await sleep(20);
    const startedMs = performance.now();
    await expect(ask(client, AbortSignal.timeout(30))).rejects.toMatchObject({ code: 'ABORTED' });
    expect(await ask(client)).toMatchObject({
      code: 'ENDPOINT_UNAVAILABLE',
      reason: expect.stringContaining('requests under way may need what is left of its budget (0 of 30 tokens)'),
      retryable: true,
      halts: false,
    });
    expect(performance.now() - startedMs).toBeLessThan(2000);
    expect(server.seen).toHaveLength(1);
    await client.close();
    await underWay;
  });
});
