/** On real sockets, before a stub of the executor's server: what clients with limits are answered, and what the log counts. */
import { type EventOf, type QuotaMeasure, type QuotaMode, type QuotaWindow, TOPIC } from '@seamstream/events';
import { SeamError, systemClock } from '@seamstream/kernel';
import { issueKey } from '@seamstream/operations/access';
import { declarePrice, declareQuota, quotasStatus, readDeclaredLimits } from '@seamstream/operations/quotas';
import { eventsOf, type FlakyLog, openLog, recordsOf, until } from '@seamstream/testing';
import { chatCompletion, type ModelServer } from '@seamstream/testing/model-server';
import OpenAI, { RateLimitError } from 'openai';
import { type GatewayUnderTest, startGateway } from '../gateway.fake.js';
import { Quotas } from './quotas.js';

let log: FlakyLog;
let key: string;
let keyId: string;
const running: GatewayUnderTest[] = [];
beforeEach(async () => {
  log = await openLog();
  ({ key, keyId } = await issueKey(log, { name: 'a', role: 'publisher', by: 'ada', expiresAt: null }, systemClock));
});
afterEach(async () => {
  for (const gateway of running.splice(0)) await gateway.stop();
});

describe('a client with limits', () => {
  it('is refused at its limit with what official clients understand, and nothing is asked or recorded', async () => {
    await limit('requests', 2, 'month');
    const gateway = await start();
    const answers = [await chat(gateway), await chat(gateway), await chat(gateway)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers.map(({ headers }) => headers.get('x-ratelimit-remaining-requests'))).toEqual(['1', '0', '0']);
    expect(answers[2]!.headers.get('x-ratelimit-reset-requests')).toMatch(/^(\d+h)?(\d+m)?\d+s$/);
    expect(await answers[2]!.json()).toMatchObject({
      error: { type: 'insufficient_quota', code: 'insufficient_quota' },
    });
    expect(gateway.upstream.seen).toHaveLength(2);
    expect(await eventsOf(log, 'ProblemPublished')).toHaveLength(2);
    const before = (await recordsOf(log, TOPIC.usage)).length;
    for (let again = 0; again < 20; again++) expect((await chat(gateway)).status).toBe(429);
    expect(await recordsOf(log, TOPIC.usage)).toHaveLength(before);
  });

  it('makes the official client try once where waiting does not help, and try again where it does', async () => {
    await limit('requests', 1, 'month');
    const gateway = await start();
    const client = new OpenAI({ apiKey: key, baseURL: `${gateway.url}/v1`, maxRetries: 2 });
    const ask = () => client.chat.completions.create({ model: 'seam', messages: CHAT.messages as never });
    await ask();
    const refused = await ask().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(RateLimitError);
    expect((refused as RateLimitError).headers.get('x-should-retry')).toBe('false');
    await limit('requests', 100, 'month');
    await limit('requests', 1, 'minute');
    await until(async () => (await chat(gateway)).headers.get('x-should-retry') === 'true');
  });

  it('is charged what the executor reported, and what was reserved where it reported nothing', async () => {
    await limit('tokens', 100_000, 'month');
    const silent = { ...chatCompletion('Four.'), usage: undefined };
    const bodies = [chatCompletion('Four.', { promptTokens: 40, responseTokens: 2 }), silent];
    const gateway = await start({ behave: () => ({ kind: 'answer', body: bodies.shift() }) });
    await chat(gateway);
    expect(await used()).toBe(42);
    await chat(gateway);
    const [, { tokens }] = (await eventsOf(log, 'UsageReserved')) as [unknown, EventOf<'UsageReserved'>];
    expect(await used()).toBe(42 + tokens);
    const settled = await eventsOf(log, 'UsageSettled');
    expect(settled.map((each) => [each.outcome, each.tokens])).toEqual([
      ['charged', 42],
      ['charged', null],
    ]);
  });

  it('is charged nothing where no executor worked', async () => {
    await limit('tokens', 100_000, 'month');
    const refusal = { error: { message: 'no', type: 'invalid_request_error', param: null, code: null } };
    const gateway = await start({ behave: () => ({ kind: 'answer', status: 400, body: refusal }) });
    expect((await chat(gateway)).status).toBe(400);
    expect((await chat(gateway, { model: 'another' })).status).toBe(404);
    await expect(used()).resolves.toBe(0);
    await gateway.upstream.stop();
    expect((await chat(gateway)).status).toBe(503);
    expect(await used()).toBe(0);
    expect((await quotasStatus(log, systemClock)).openReservations).toBe(0);
  });

  it('is charged as reserved where it leaves before the end, so that leaving early is not free', async () => {
    await limit('tokens', 100_000, 'month');
    const gateway = await start({
      behave: () => ({ kind: 'events', data: [{ choices: [{ delta: { content: 'Fo' } }] }], end: 'hang' }),
    });
    const stop = new AbortController();
    const answer = await chat(gateway, { stream: true }, stop.signal);
    await answer.body!.getReader().read();
    stop.abort();
    await until(async () => (await eventsOf(log, 'UsageSettled')).length === 1);
    const [{ tokens }] = (await eventsOf(log, 'UsageReserved')) as [EventOf<'UsageReserved'>];
    expect(await used()).toBe(tokens);
  });

  it('is answered above a limit in shadow mode, and learns of it', async () => {
    await limit('requests', 0, 'hour', 'shadow');
    const gateway = await start();
    const answer = await chat(gateway);
    expect([answer.status, answer.headers.get('x-seam-quota-shadow')]).toEqual([200, 'requests/hour']);
    expect(answer.headers.get('x-ratelimit-limit-requests')).toBeNull();
  });

  it('pays the price of the executor that answered, and is refused where no price is declared', async () => {
    await price(2_000_000, 10_000_000);
    await limit('money', 5_000_000, 'month');
    const gateway = await start({
      behave: () => ({ kind: 'answer', body: chatCompletion('Four.', { promptTokens: 100, responseTokens: 10 }) }),
    });
    expect((await chat(gateway)).status).toBe(200);
    expect(await used('money')).toBe(300);
    const other = await start({ gateway: { upstream: { url: gateway.upstream.url, model: 'priceless' } } });
    const refused = await chat(other);
    expect(refused.status).toBe(429);
    expect(((await refused.json()) as { error: { message: string } }).error.message).toContain('no price');
  });

  it('counts embeddings, and what their server reports', async () => {
    await limit('tokens', 1_000, 'month');
    const gateway = await start({
      behave: () => ({ kind: 'answer', body: { data: [], usage: { prompt_tokens: 7, total_tokens: 7 } } }),
    });
    const embed = (input: string) => post(gateway, '/v1/embeddings', { model: 'tiny', input });
    expect((await embed('How many?')).status).toBe(200);
    expect(await used()).toBe(7);
    const refused = await embed('x'.repeat(2_000));
    expect([refused.status, refused.headers.get('x-should-retry')]).toEqual([429, 'false']);
  });

  it('is refused problems above its limit as a whole, and a chat request is one of them', async () => {
    await limit('problems', 5, 'month');
    const gateway = await start();
    const publish = (many: number, changes: object = {}) => {
      const problems = Array.from({ length: many }, () => ({ prompt: 'Why?', ...changes }));
      return post(gateway, '/api/problems', { problems });
    };
    const first = await publish(3);
    expect([first.status, first.headers.get('x-ratelimit-remaining-problems')]).toEqual([202, '2']);
    expect([(await publish(6)).status, (await publish(3)).status]).toEqual([429, 429]);
    expect(await eventsOf(log, 'ProblemPublished')).toHaveLength(3);
    // What is refused for its content has used nothing.
    expect((await publish(2, { referenc: '5' })).status).toBe(400);
    expect(await used('problems')).toBe(3);
    expect((await chat(gateway)).status).toBe(200);
    expect((await publish(1)).status).toBe(202);
    expect([(await chat(gateway)).status, (await publish(1)).status]).toEqual([429, 429]);
    expect(await used('problems')).toBe(5);
    expect((await quotasStatus(log, systemClock)).openReservations).toBe(0);
  });

  it('is refused requests that publish problems above its limit, and has used no tokens by them', async () => {
    await limit('requests', 2, 'month');
    await limit('tokens', 1, 'month');
    const gateway = await start();
    const publish = async () => (await post(gateway, '/api/problems', { prompt: 'Why?' })).status;
    expect([await publish(), await publish(), await publish()]).toEqual([202, 202, 429]);
    expect([await used('requests'), await used('tokens')]).toEqual([2, 0]);
    expect(await eventsOf(log, 'ProblemPublished')).toHaveLength(2);
  });

  it('has used nothing by problems that the log did not take', async () => {
    await limit('problems', 5, 'month');
    const gateway = await start();
    const append = log.append.bind(log);
    log.append = async (records) => {
      if (records.some(({ topic }) => topic === TOPIC.problems)) throw new SeamError('LOG_UNAVAILABLE', 'away');
      return append(records);
    };
    expect((await post(gateway, '/api/problems', { prompt: 'Why?' })).status).toBe(503);
    expect(await used('problems')).toBe(0);
    log.append = append;
    expect((await quotasStatus(log, systemClock)).openReservations).toBe(0);
  });

  it('without a separate limit has that of each client, and no other client uses it up', async () => {
    await declareQuota(log, { ...QUOTA, keyId: '*', measure: 'requests', per: 'month', limit: 1 }, systemClock);
    const gateway = await start();
    const other = await issueKey(log, { name: 'b', role: 'publisher', by: 'ada', expiresAt: null }, systemClock);
    await until(async () => (await chat(gateway, {}, undefined, other.key)).status === 200);
    expect((await chat(gateway)).status).toBe(200);
    expect((await chat(gateway)).status).toBe(429);
  });
});

describe('several gateways on one log', () => {
  it('let through exactly the limit together, under any load', async () => {
    await limit('requests', 10, 'month');
    const gateways = [await start(), await start(), await start()];
    const answers = await Promise.all(Array.from({ length: 45 }, (_, index) => chat(gateways[index % 3]!)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(35);
    expect(gateways.flatMap(({ upstream }) => upstream.seen)).toHaveLength(10);
  });

  it('let through exactly the limit where all foresee room, since none has read what the others reserved', async () => {
    await limit('requests', 10, 'month');
    const declared = await readDeclaredLimits(log);
    const stop = new AbortController();
    const world = { log, clock: systemClock, declared: () => declared, onExceeded: () => undefined };
    const opened = await Promise.all([1, 2, 3].map(() => Quotas.open(world, { answerWithinMs: 60_000 }, stop.signal)));
    const reserved = await Promise.allSettled(
      Array.from({ length: 45 }, (_, index) =>
        opened[index % 3]![0].reserve({ id: keyId, tenant: 'default' }, () => WORST, ['tiny']),
      ),
    );
    expect(reserved.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect((await eventsOf(log, 'UsageReserved')).length).toBeGreaterThan(10);
    stop.abort();
    await Promise.allSettled(opened.map(([, reading]) => reading));
  });

  it('know after a restart what was used before', async () => {
    await limit('requests', 1, 'month');
    const first = await start();
    expect((await chat(first)).status).toBe(200);
    running.splice(running.indexOf(first), 1);
    await first.stop();
    const second = await start();
    const refused = await chat(second);
    expect([refused.status, refused.headers.get('x-ratelimit-remaining-requests')]).toEqual([429, '0']);
  });
});

const CHAT = { model: 'seam', messages: [{ role: 'user', content: 'How many?' }] };
const WORST = { problems: 1, promptTokens: 10, responseTokens: 10 };
const QUOTA = { mode: 'enforced', declaredBy: 'ada', reason: 'a trial' } as const;

async function start({
  behave = () => ({ kind: 'answer', body: chatCompletion('Four.') }),
  gateway = {},
}: {
  readonly behave?: ModelServer['behave'];
  readonly gateway?: Readonly<Record<string, unknown>>;
} = {}): Promise<GatewayUnderTest> {
  const started = await startGateway({ behave, log, gateway: { access: 'keys', experienceWithinMs: 0, ...gateway } });
  running.push(started);
  return started;
}

function post(gateway: GatewayUnderTest, path: string, body: unknown, signal?: AbortSignal, by = key) {
  return fetch(`${gateway.url}${path}`, {
    ...{ method: 'POST', body: JSON.stringify(body), signal: signal ?? null },
    headers: { authorization: `Bearer ${by}`, 'content-type': 'application/json' },
  });
}

const chat = (gateway: GatewayUnderTest, changes: object = {}, signal?: AbortSignal, by = key) =>
  post(gateway, '/v1/chat/completions', { ...CHAT, ...changes }, signal, by);

const limit = (measure: QuotaMeasure, most: number, per: QuotaWindow, mode: QuotaMode = 'enforced') =>
  declareQuota(log, { ...QUOTA, keyId, measure, per, limit: most, mode }, systemClock);

const price = (promptPerMillion: number, completionPerMillion: number) =>
  declarePrice(
    log,
    {
      ...{ model: 'tiny', currency: 'USD', promptPerMillion, completionPerMillion, cachedPromptPerMillion: null },
      ...{ validFrom: 0, declaredBy: 'ada', reason: 'the contract' },
    },
    systemClock,
  );

async function used(measure: QuotaMeasure = 'tokens'): Promise<number | null> {
  const { quotas } = await quotasStatus(log, systemClock);
  return quotas.find((quota) => quota.measure === measure)!.used;
}
