import { InMemoryEventLog } from '@seamstream/event-log';
import { decodeEvent, type EventOf, encodeEvent, type SeamEvent, TOPIC, TOPICS } from '@seamstream/events';
import { derivedId } from '@seamstream/kernel';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { checkHealth, HealthChecks, loadConfig, type RunningService, startService } from '@seamstream/service-kit';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { type Behaviour, chatCompletion, ModelServer, type SeenRequest } from '@seamstream/testing/model-server';
import { executorConfigSchema, executorService } from './app.module.js';

const KEY = 'sk-very-secret';
const EXAMPLE = EXAMPLE_EVENTS.ExperienceWithheld;
const EXACT = { kind: 'exact', version: '1', options: {} };
process.env.TEST_ENDPOINT_KEY = KEY;

let server: ModelServer;
let log: InMemoryEventLog;
let running: RunningService[] = [];

beforeEach(async () => {
  server = await ModelServer.start(answersTo(() => GOOD));
  log = new InMemoryEventLog();
  await log.createTopics(TOPICS.map(({ name }) => ({ name, partitions: 1 })));
});

afterEach(async () => {
  await Promise.all(running.map((service) => service.close()));
  running = [];
  await server.stop();
});

const GOOD: Behaviour = { kind: 'answer', body: chatCompletion('It is 4.\nAnswer: 4') };
const FIVE: Behaviour = { kind: 'answer', body: chatCompletion('Answer: 5') };
const LIST: Behaviour = {
  kind: 'answer',
  body: { object: 'list', data: [{ id: 'tiny', object: 'model', root: '/a' }] },
};

const promptOf = ({ body }: SeenRequest): string =>
  (body?.messages as { content: string }[] | undefined)?.at(-1)?.content ?? '';
const isProbe = (request: SeenRequest): boolean => promptOf(request) === 'Hello';
/** Answers the list of models and the question whether it serves. `prompts` says how prompts are answered. */
function answersTo(prompts: (prompt: string, time: number) => Behaviour): ModelServer['behave'] {
  const times = new Map<string, number>();
  return (request) => {
    if (request.method === 'GET') return LIST;
    if (isProbe(request)) return GOOD;
    const prompt = promptOf(request);
    const time = (times.get(prompt) ?? 0) + 1;
    times.set(prompt, time);
    return prompts(prompt, time);
  };
}

function settings(changes: Readonly<Record<string, string>> = {}) {
  return loadConfig(executorConfigSchema, {
    SEAM_LOGGING_LEVEL: 'silent',
    SEAM_CONSUMING_MAX_ATTEMPTS: '2',
    SEAM_CONSUMING_FIRST_RETRY_MS: '1',
    SEAM_CONSUMING_MAX_RETRY_MS: '20',
    SEAM_EXECUTOR_DRIVER: 'endpoint',
    SEAM_EXECUTOR_ENDPOINT_URL: server.url,
    SEAM_EXECUTOR_ENDPOINT_MODEL: 'tiny',
    SEAM_EXECUTOR_ENDPOINT_KEY_VARIABLE: 'TEST_ENDPOINT_KEY',
    SEAM_EXECUTOR_ENDPOINT_ATTEMPTS: '2',
    SEAM_EXECUTOR_ENDPOINT_FIRST_RETRY_MS: '1',
    SEAM_EXECUTOR_ENDPOINT_MAX_RETRY_MS: '2',
    SEAM_EXECUTOR_ENDPOINT_PATIENCE_MS: '1500',
    SEAM_EXECUTOR_ENDPOINT_REQUEST_TIMEOUT_MS: '200',
    SEAM_EXECUTOR_ENDPOINT_MAX_ANSWER_BYTES: '10000',
    ...changes,
  });
}

async function serve(changes: Readonly<Record<string, string>> = {}): Promise<RunningService> {
  const service = await startService(executorService(), {
    config: settings(changes),
    drivers: { log, objects: new InMemoryObjectStore() },
    serveHttp: false,
  });
  service.ended.catch(() => undefined);
  running.push(service);
  return service;
}

function withheld(id: string): EventOf<'ExperienceWithheld'> {
  return {
    ...EXAMPLE,
    meta: { ...EXAMPLE.meta, messageId: derivedId(id, 'experience'), correlationId: id },
    problem: { ...EXAMPLE.problem, problemId: id, prompt: `What is ${id}?`, reference: '4', verifier: EXACT },
    experienceId: `x-${id}`,
    groupId: `g-${id}`,
  };
}

const publish = (...ids: readonly string[]): Promise<unknown> => log.append(ids.map((id) => encodeEvent(withheld(id))));

async function recorded(): Promise<SeamEvent[]> {
  const events: SeamEvent[] = [];
  for (const { partition } of await log.watermarks(TOPIC.outcomes)) {
    for await (const chunk of log.read({ topic: TOPIC.outcomes, partition, from: 0 }))
      events.push(...chunk.map(decodeEvent));
  }
  return events;
}

/** What is recorded once so many results are there. */
async function results(count: number): Promise<SeamEvent[]> {
  const giveUp = Date.now() + 20_000;
  for (;;) {
    const events = await recorded();
    if (events.length >= count) return events;
    if (Date.now() > giveUp) throw new Error(`${events.length} of ${count} results within 20 s`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('an executor behind an endpoint', () => {
  it('names the model whose opinion a verdict is, with its revision, and none where no model was asked', async () => {
    const opinion = { ...chatCompletion('CORRECT'), system_fingerprint: 'fp_1' };
    server.behave = answersTo((prompt) =>
      prompt.includes('You compare') ? { kind: 'answer', body: opinion } : prompt.includes('words') ? FIVE : GOOD,
    );
    const inWords = (id: string): SeamEvent => {
      const event = withheld(id);
      return {
        ...event,
        problem: {
          ...event.problem,
          verifier: { ...EXACT, kind: 'judge', options: { question: event.problem.prompt as string } },
        },
      };
    };
    await log.append([inWords('words'), inWords('the same')].map(encodeEvent));
    await serve({ SEAM_EXECUTOR_JUDGE_URL: server.url, SEAM_EXECUTOR_JUDGE_MODEL: 'judging' });
    const outcomes = (await results(2)) as EventOf<'OutcomeRecorded'>[];
    const of = (id: string) => outcomes.find(({ problem }) => problem.problemId === id);
    expect(of('words')).toMatchObject({ success: true, judge: { model: 'judging', revision: 'tiny/fp_1' } });
    expect(of('the same')).toMatchObject({ success: true, judge: null });
  });

  it('is asked in its template, and outcomes name model, revision, decoding and template', async () => {
    await publish('a');
    await serve({
      SEAM_EXECUTOR_TEMPLATE: 'deepseek',
      SEAM_EXECUTOR_MAX_TOKENS: '50',
      SEAM_EXECUTOR_ENDPOINT_STOP: '["##"]',
    });
    server.behave = answersTo(() => ({ kind: 'answer', body: chatCompletion('So $\\boxed{4}$.') }));
    expect(await results(1)).toMatchObject([
      {
        type: 'OutcomeRecorded',
        success: true,
        reward: 1,
        response: 'So $\\boxed{4}$.',
        extractedAnswer: '4',
        promptTokens: 9,
        responseTokens: 3,
        executor: {
          model: 'tiny',
          revision: expect.stringMatching(/^fp_1\/models@[0-9a-f]{16}$/),
          decoding: '{"maxTokens":50,"stop":["##"],"temperature":0,"topP":1}',
          template: expect.stringMatching(/^executor\/deepseek@[0-9a-f]{64}$/),
        },
      },
    ]);
    const asked = server.seen.find((request) => promptOf(request).includes('What is a?'));
    expect(asked?.body).toEqual({
      model: 'tiny',
      messages: [{ role: 'user', content: expect.stringContaining('within \\boxed{}') }],
      stream: false,
      temperature: 0,
      top_p: 1,
      max_tokens: 50,
      stop: ['##'],
    });
    expect(JSON.stringify(await recorded())).not.toContain(KEY);
  });

  it('that lists no models is known by what its answers tell', async () => {
    server.behave = (request) => (request.method === 'GET' ? { kind: 'answer', status: 404, body: {} } : GOOD);
    await publish('a');
    await serve();
    expect(await results(1)).toMatchObject([{ type: 'OutcomeRecorded', executor: { revision: 'fp_1' } }]);
  });

  it('that is cut off at its limit has answered, unfinished: a wrong answer, and no failure', async () => {
    server.behave = answersTo(() => ({
      kind: 'answer',
      body: chatCompletion('Answer: 4', { finishReason: 'length' }),
    }));
    await publish('a');
    await serve();
    expect(await results(1)).toMatchObject([
      {
        type: 'OutcomeRecorded',
        success: false,
        extractedAnswer: null,
        verifierDetail: expect.stringContaining('unfinished'),
      },
    ]);
  });

  it.each<[string, Behaviour]>([
    ['status 500', { kind: 'answer', status: 500, body: 'oops' }],
    ['a gateway that waits no longer', { kind: 'answer', status: 504, body: '<html>Gateway Timeout</html>' }],
    ['silence', { kind: 'hang' }],
    ['a slow drip', { kind: 'drip', body: chatCompletion('Answer: 4'), everyMs: 10 }],
    ['half a body', { kind: 'half', body: chatCompletion('Answer: 4') }],
    ['a reset connection', { kind: 'reset' }],
    ['a huge body', { kind: 'huge', bytes: 20_000 }],
    ['a page of HTML', { kind: 'answer', body: '<html>4</html>' }],
    ['wrong JSON', { kind: 'answer', body: '{"choices": [{' }],
    ['no choices', { kind: 'answer', body: { ...chatCompletion('4'), choices: [] } }],
    ['another shape', { kind: 'answer', body: { answer: 4 } }],
  ])('by %s to one prompt fails it as what it is, never as reward 0; the others are answered', async (_, fault) => {
    server.behave = answersTo((prompt) => (prompt.includes('What is b?') ? fault : GOOD));
    await publish('a', 'b', 'c');
    await serve();
    const byProblem = new Map((await results(3)).map((event) => [event.meta.correlationId, event]));
    expect(byProblem.get('b')).toMatchObject({ type: 'ExecutionFailed', code: 'ENDPOINT_FAILED', attempts: 2 });
    expect(byProblem.get('a')).toMatchObject({ type: 'OutcomeRecorded', reward: 1 });
    expect(byProblem.get('c')).toMatchObject({ type: 'OutcomeRecorded', reward: 1 });
    // What was answered is not asked, and not paid, a second time.
    expect(server.seen.filter((request) => promptOf(request).includes('What is c?'))).toHaveLength(1);
  });

  it.each<[string, Behaviour]>([
    ['status 500', { kind: 'answer', status: 500, body: 'oops' }],
    ['silence', { kind: 'hang' }],
    ['another shape', { kind: 'answer', body: { answer: 4 } }],
    ['too many requests', { kind: 'answer', status: 429, headers: { 'retry-after': '1' }, body: {} }],
    ['status 503', { kind: 'answer', status: 503, body: 'busy' }],
    ['a closed connection', { kind: 'reset' }],
  ])(
    'by %s to everything is in an outage: nothing is recorded until it ends, and then what is right',
    async (_, fault) => {
      await publish('a', 'b');
      await serve({ SEAM_EXECUTOR_ENDPOINT_PATIENCE_MS: '10' });
      const serving = server.behave;
      server.behave = () => fault;
      await publish('c');
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect((await recorded()).filter(({ meta }) => meta.correlationId === 'c')).toEqual([]);
      server.behave = serving;
      expect((await results(3)).map(({ type }) => type)).toEqual(Array(3).fill('OutcomeRecorded'));
    },
  );

  it('that is gone and comes back is waited for', async () => {
    const service = await serve({ SEAM_EXECUTOR_ENDPOINT_PATIENCE_MS: '10' });
    const { port } = server;
    await server.stop();
    await publish('a');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await recorded()).toEqual([]);
    await expect(readiness(service)).resolves.toMatchObject({
      executor: { status: 'down', reason: expect.stringContaining('ECONNREFUSED') },
    });
    server = await ModelServer.start(
      answersTo(() => GOOD),
      port,
    );
    expect(await results(1)).toMatchObject([{ type: 'OutcomeRecorded', success: true }]);
  });

  it('that asks to wait is waited for, without an attempt being counted', async () => {
    server.behave = answersTo((_, time) =>
      time < 4 ? { kind: 'answer', status: 429, headers: { 'retry-after': '0' }, body: {} } : GOOD,
    );
    await publish('a');
    await serve();
    expect(await results(1)).toMatchObject([{ type: 'OutcomeRecorded', success: true }]);
  });

  it('that refuses a prompt fails it at once', async () => {
    const tooLong = { error: { message: 'too long', type: 'exceed_context_size_error', code: 400 } };
    server.behave = answersTo((prompt) =>
      prompt.includes('What is a?')
        ? { kind: 'answer', status: 400, body: tooLong }
        : { kind: 'answer', body: chatCompletion('…', { finishReason: 'content_filter' }) },
    );
    await publish('a', 'b');
    await serve();
    expect(await results(2)).toMatchObject([
      { type: 'ExecutionFailed', code: 'PROMPT_TOO_LONG', attempts: 1 },
      { type: 'ExecutionFailed', code: 'ENDPOINT_REFUSED', attempts: 1 },
    ]);
  });

  it('whose key is refused under way stops the service; what was answered before is recorded, the rest waits', async () => {
    server.behave = answersTo((prompt) =>
      prompt.includes('What is c?') ? { kind: 'answer', status: 401, body: { error: { message: KEY } } } : GOOD,
    );
    await publish('a', 'b', 'c', 'd');
    const service = await serve({ SEAM_EXECUTOR_ENDPOINT_CONCURRENCY: '1' });
    await expect(service.ended).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringMatching(/the key is refused. Correct TEST_ENDPOINT_KEY/),
    });
    expect((await recorded()).map(({ meta }) => meta.correlationId)).toEqual(['a', 'b']);
    expect(await readiness(service)).toMatchObject({ executor: { status: 'down' } });
    await service.close();
    server.behave = answersTo(() => GOOD);
    await serve();
    expect((await results(4)).map(({ type }) => type)).toEqual(Array(4).fill('OutcomeRecorded'));
  });

  it('stops taking work when its budget is spent, also when it is started again, and fails no problem for it', async () => {
    await publish('a', 'b', 'c', 'd');
    const budget = {
      SEAM_EXECUTOR_ENDPOINT_BUDGET_MONEY: '0.002',
      SEAM_EXECUTOR_ENDPOINT_BUDGET_PROMPT_PRICE: '10',
      SEAM_EXECUTOR_ENDPOINT_BUDGET_RESPONSE_PRICE: '100',
      SEAM_EXECUTOR_ENDPOINT_CONCURRENCY: '1',
      SEAM_EXECUTOR_MAX_TOKENS: '10',
    };
    // A first request and each answer: 9 · 10 + 3 · 100 = 390 millionths. Worst case: 1000 and the prompt's, some 500.
    const service = await serve(budget);
    await expect(service.ended).rejects.toMatchObject({
      code: 'BUDGET_SPENT',
      message: expect.stringContaining('Raise the budget'),
    });
    const first = await recorded();
    expect(first.map(({ type }) => type)).toEqual(['OutcomeRecorded']);
    expect(await readiness(service)).toMatchObject({
      executor: { status: 'down', reason: expect.stringContaining('its budget is spent (0.0008 of 0.002 in money)') },
    });
    await service.close();
    const asked = server.seen.length;
    await expect(serve({ ...budget, SEAM_EXECUTOR_ENDPOINT_BUDGET_MONEY: '0.0005' })).rejects.toMatchObject({
      code: 'BUDGET_SPENT',
    });
    expect(server.seen).toHaveLength(asked);
    await serve({ ...budget, SEAM_EXECUTOR_ENDPOINT_BUDGET_MONEY: '1' });
    expect((await results(4)).map(({ type }) => type)).toEqual(Array(4).fill('OutcomeRecorded'));
  });

  it('that is exchanged under way stops the service; with a configured revision it continues', async () => {
    await publish('a');
    const first = await serve();
    await results(1);
    server.behave = (request) =>
      request.method === 'GET' ? LIST : { kind: 'answer', body: chatCompletion('Answer: 4', { fingerprint: 'fp_2' }) };
    await publish('b');
    await expect(first.ended).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/reported revision fp_1\/models@\w+ at first and reports fp_2\/models@\w+ now/),
    });
    expect(await recorded()).toHaveLength(1);
    await first.close();
    await expect(serve()).rejects.toMatchObject({ code: 'CONFLICT' });
    const [outcome] = (await recorded()) as EventOf<'OutcomeRecorded'>[];
    await serve({ SEAM_EXECUTOR_ENDPOINT_REVISION: outcome!.executor.revision });
    expect((await results(2)).map(({ type }) => type)).toEqual(['OutcomeRecorded', 'OutcomeRecorded']);
  });

  it('draws several answers where the settings say so, each with its own seed', async () => {
    server.behave = (request) => {
      if (request.method === 'GET') return LIST;
      const { seed } = request.body as { seed?: number };
      return { kind: 'answer', body: chatCompletion(`Answer: ${seed === undefined || seed % 2 === 0 ? 4 : 5}`) };
    };
    await publish('a');
    await serve({ SEAM_EXECUTOR_ROLLOUTS: '8', SEAM_EXECUTOR_ROLLOUT_TEMPERATURE: '0.7' });
    await results(1);
    const asked = server.seen.filter((request) => promptOf(request).includes('What is a?')).map(({ body }) => body!);
    expect(new Set(asked.map(({ seed }) => seed)).size).toBe(8);
    expect(asked.every(({ temperature }) => temperature === 0.7)).toBe(true);
    const right = asked.filter(({ seed }) => (seed as number) % 2 === 0).length;
    expect(await recorded()).toMatchObject([{ reward: right / 8 }]);
  });

  it('is asked by several partitions within the time that a batch has, and paid once for each answer', async () => {
    log = new InMemoryEventLog();
    await log.createTopics(TOPICS.map(({ name }) => ({ name, partitions: 16 })));
    const answer = server.behave;
    server.behave = async (request) => {
      if (promptOf(request).includes('What is')) await new Promise((resolve) => setTimeout(resolve, 60));
      return answer(request);
    };
    const ids = Array.from({ length: 96 }, (_, i) => `p${i}`);
    await publish(...ids);
    await serve({
      SEAM_EXECUTOR_ENDPOINT_CONCURRENCY: '2',
      SEAM_EXECUTOR_ENDPOINT_REQUEST_TIMEOUT_MS: '400',
      SEAM_EXECUTOR_ENDPOINT_PATIENCE_MS: '10',
      SEAM_CONSUMING_DEADLINE_MS: '1640',
    });
    const events = await results(96);
    expect(events.map(({ type }) => type)).toEqual(Array(96).fill('OutcomeRecorded'));
    expect(server.seen.filter((request) => promptOf(request).includes('What is'))).toHaveLength(96);
  });

  it('that fails for one of several answers is asked for that one again, and paid for no other a second time', async () => {
    let failing: unknown;
    let failures = 0;
    server.behave = (request) => {
      if (request.method === 'GET') return LIST;
      const { seed } = request.body as { seed?: number };
      if (promptOf(request).includes('What is b?')) failing ??= seed;
      return seed !== undefined && seed === failing && failures++ < 2
        ? { kind: 'answer', status: 500, body: '' }
        : GOOD;
    };
    await publish('a', 'b', 'c');
    await serve({ SEAM_EXECUTOR_ROLLOUTS: '4' });
    expect((await results(3)).map(({ type }) => type)).toEqual(Array(3).fill('OutcomeRecorded'));
    const times = new Map<unknown, number>();
    for (const { body } of server.seen)
      if (body?.seed !== undefined) times.set(body.seed, (times.get(body.seed) ?? 0) + 1);
    expect(times.get(failing)).toBe(3);
    times.delete(failing);
    expect([...times.values()]).toEqual(Array(11).fill(1));
  });
});

async function readiness(service: RunningService) {
  return (await checkHealth(service.get(HealthChecks).checks)).checks;
}

describe('the start of an executor behind an endpoint', () => {
  it.each<[string, Behaviour, string, RegExp]>([
    ['a refused key', { kind: 'answer', status: 401, body: {} }, 'INVALID_CONFIGURATION', /TEST_ENDPOINT_KEY/],
    [
      'an unknown model',
      { kind: 'answer', status: 404, body: {} },
      'INVALID_CONFIGURATION',
      /the address or the model/,
    ],
    [
      'a setting that is not known',
      { kind: 'answer', status: 400, body: { error: 'top_p?' } },
      'INVALID_CONFIGURATION',
      /top_p\?/,
    ],
    ['a page', { kind: 'answer', body: '<html/>' }, 'ENDPOINT_FAILED', /expected JSON and got a page of HTML/],
    [
      'an answer that does not identify the model',
      { kind: 'answer', body: chatCompletion('', { fingerprint: null }) },
      'INVALID_CONFIGURATION',
      /SEAM_EXECUTOR_ENDPOINT_REVISION/,
    ],
  ])('ends by %s', async (_, behaviour, code, message) => {
    server.behave = (request) => (request.method === 'GET' ? { kind: 'answer', status: 404, body: {} } : behaviour);
    await expect(serve()).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['without an address', { SEAM_EXECUTOR_ENDPOINT_URL: '' }, /SEAM_EXECUTOR_ENDPOINT_URL/],
    ['with a password in it', { SEAM_EXECUTOR_ENDPOINT_URL: 'https://u:pw@host/v1' }, /name the variable of the key/],
    [
      'with a key instead of its name',
      { SEAM_EXECUTOR_ENDPOINT_KEY_VARIABLE: 'sk-1' },
      /not the key itself, got another/,
    ],
    [
      'with a field twice',
      { SEAM_EXECUTOR_ENDPOINT_EXTRA_BODY: '{"model":"x"}' },
      /EXTRA_BODY: expected none of model/,
    ],
    ['with money without prices', { SEAM_EXECUTOR_ENDPOINT_BUDGET_MONEY: '5' }, /BUDGET_PROMPT_PRICE: expected prices/],
    ['with a misspelt name', { SEAM_EXECUTOR_ENDPOINT_MODELS: 'x' }, /did you mean SEAM_EXECUTOR_ENDPOINT_MODEL/],
    ['for the other driver', { SEAM_EXECUTOR_DRIVER: 'checkpoint' }, /SEAM_EXECUTOR_DRIVER: expected endpoint, since/],
  ])('is refused %s, saying what to do', (_, changes, message) => {
    const attempt = (): unknown => settings(changes);
    expect(attempt).toThrow(message);
    expect(attempt).not.toThrow(/u:pw/);
  });

  it('is refused without the model, or with a key that is nowhere', async () => {
    expect(() =>
      loadConfig(executorConfigSchema, { SEAM_EXECUTOR_DRIVER: 'endpoint', SEAM_EXECUTOR_ENDPOINT_URL: server.url }),
    ).toThrow(/SEAM_EXECUTOR_ENDPOINT_MODEL: expected the model's name at the server, since the driver is endpoint/);
    await expect(serve({ SEAM_EXECUTOR_ENDPOINT_KEY_VARIABLE: 'NOT_SET_ANYWHERE' })).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining('NOT_SET_ANYWHERE'),
    });
    await expect(serve({ SEAM_CONSUMING_DEADLINE_MS: '1000' })).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining('SEAM_CONSUMING_DEADLINE_MS'),
    });
    // Two rounds of 200 ms and their questions fit; of 32 answers by 8 at a time they are four.
    await expect(serve({ SEAM_CONSUMING_DEADLINE_MS: '2400', SEAM_EXECUTOR_ROLLOUTS: '32' })).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining('at least 3100 ms'),
    });
  });
});
