import { get } from 'node:http';
import { encodeEvent } from '@seamstream/events';
import { jsonText, systemClock } from '@seamstream/kernel';
import { UNSHOWN } from '@seamstream/log-reader';
import { issueKey, type Role, revokeKey } from '@seamstream/operations/access';
import { readStory, storyWithDoubts } from '@seamstream/operations/show';
import { EXAMPLE_EVENTS, eventsOf, openLog, recordsOf, until } from '@seamstream/testing';
import { chatCompletion } from '@seamstream/testing/model-server';
import { type GatewayUnderTest, startGateway } from '../gateway.fake.js';

let gateway: GatewayUnderTest;
afterEach(() => gateway.stop());

interface Asked extends Omit<RequestInit, 'headers'> {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}
const ask = (path: string, { key, ...init }: Asked = {}): Promise<Response> =>
  fetch(`${gateway.url}${path}`, {
    ...init,
    headers: { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...init.headers },
  });
const post = (path: string, body: unknown, init: Asked = {}): Promise<Response> =>
  ask(path, {
    ...{ method: 'POST', body: JSON.stringify(body) },
    ...init,
    headers: { 'content-type': 'application/json', ...init.headers },
  });
const CHAT = { model: 'seam', messages: [{ role: 'user', content: 'How many?' }] };

describe('problems over HTTP', () => {
  beforeEach(async () => {
    gateway = await startGateway();
  });

  it('are published one at a time and in batches, and shown as seam show does', async () => {
    const rows = [{ prompt: 'What is 2 + 3?', reference: '5', verifier: 'numeric' }, { prompt: 'Why?' }];
    const one = await post('/api/problems', rows[0]);
    const both = await post('/api/problems', { problems: rows });
    expect([one.status, both.status]).toEqual([202, 202]);
    const { problems } = (await both.json()) as { problems: { problemId: string }[] };
    expect(await eventsOf(gateway.log, 'ProblemPublished')).toHaveLength(3);
    const told = await ask(`/api/problems/${problems[0]!.problemId}`);
    const signal = AbortSignal.timeout(10_000);
    const shown = storyWithDoubts(
      await readStory(gateway.log, problems[0]!.problemId, { signal, progress: () => UNSHOWN }),
    );
    expect(shown).toMatchObject({ problem: { prompt: 'What is 2 + 3?' } });
    expect(await told.text()).toBe(jsonText(shown));
    expect((await ask('/api/problems/none')).status).toBe(404);
  });

  it('are refused as a whole where one is at fault, by the name of its field', async () => {
    const answer = await post('/api/problems', { problems: [{ prompt: 'Why?' }, { prompt: 'Why?', referenc: '5' }] });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { message: expect.stringContaining('problem 2') } });
    expect(await eventsOf(gateway.log, 'ProblemPublished')).toEqual([]);
  });

  it('are refused where a prompt is longer than a generator tokenizes', async () => {
    const answer = await post('/api/problems', { problems: [{ prompt: 'Why?' }, { prompt: 'x'.repeat(131_073) }] });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      error: {
        message: expect.stringContaining('problem 2 prompt: expected a text of at most 131072 characters'),
        param: 'problems.1.prompt',
      },
    });
    expect(await eventsOf(gateway.log, 'ProblemPublished')).toEqual([]);
  });

  it('have the same ids where a client repeats its request by name', async () => {
    const headers = { 'idempotency-key': 'order-7' };
    const ids = await Promise.all(
      [1, 2].map(async () => (await post('/api/problems', { prompt: 'Why?' }, { headers })).json()),
    );
    expect(ids[0]).toEqual(ids[1]);
  });

  it('are one problem each where requests with one name come at the same time (R34)', async () => {
    const keys = Array.from({ length: 200 }, (_, index) => `order-${index}`);
    const publish = async (key: string): Promise<string> => {
      const answer = await post('/api/problems', { prompt: `${key}?` }, { headers: { 'idempotency-key': key } });
      return ((await answer.json()) as { problems: { problemId: string }[] }).problems[0]!.problemId;
    };
    const given: string[] = [];
    // A hundred at a time: on a busy machine a thousand take longer to arrive than a request may.
    for (let at = 0; at < keys.length; at += 20)
      given.push(...(await Promise.all(keys.slice(at, at + 20).flatMap((key) => Array(5).fill(key).map(publish)))));
    const published = await eventsOf(gateway.log, 'ProblemPublished');
    expect(new Set(given).size).toBe(200);
    expect(new Set(published.map(({ meta }) => meta.messageId)).size).toBe(200);
  });
});

describe('events over HTTP', () => {
  it('have bytes as base64, as seam tail does', async () => {
    gateway = await startGateway();
    await gateway.log.append([encodeEvent(EXAMPLE_EVENTS.DeadLettered)]);
    const stop = new AbortController();
    const stream = await ask('/api/events?topics=dead-letters&from=earliest', { signal: stop.signal });
    let text = '';
    for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (text.includes('"attempts"')) break;
    }
    stop.abort();
    expect(text).toContain('"value":"wwH/"');
  });

  it('resume behind the last id without a gap', async () => {
    gateway = await startGateway();
    const read = async (count: number, headers: Record<string, string> = {}): Promise<string[]> => {
      const stop = new AbortController();
      const stream = await ask('/api/events?topics=problems&from=earliest', { headers, signal: stop.signal });
      let text = '';
      for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) {
        text += chunk;
        if (text.split('event: ').length > count) break;
      }
      stop.abort();
      return text.split('\n\n').filter((frame) => frame.includes('event: '));
    };
    await post('/api/problems', { problems: ['a', 'b', 'c'].map((prompt) => ({ prompt })) });
    const [first] = await read(1);
    const lastId = /id: (.*)/.exec(first!)![1]!;
    const rest = await read(2, { 'last-event-id': lastId });
    const prompts = [first!, ...rest].map((frame) => /"prompt":"(.)"/.exec(frame)![1]);
    expect(prompts.toSorted()).toEqual(['a', 'b', 'c']);
    expect((await ask('/api/events', { headers: { 'last-event-id': 'nonsense' } })).status).toBe(400);
    expect((await ask('/api/events?topics=access')).status).toBe(400);
  });
});

describe('feedback over HTTP', () => {
  it('names a completion, and becomes an event about its attempt', async () => {
    gateway = await startGateway({ behave: () => ({ kind: 'answer', body: chatCompletion('Four.') }) });
    const { id } = (await (await post('/v1/chat/completions', CHAT)).json()) as { id: string };
    const answer = await post('/v1/feedback', { completionId: id, value: true, comment: 'right' });
    expect(answer.status).toBe(202);
    const [feedback] = await eventsOf(gateway.log, 'FeedbackGiven');
    const [recorded] = await eventsOf(gateway.log, 'AnswerRecorded');
    expect(feedback).toMatchObject({
      attemptId: recorded!.experienceId,
      problemId: recorded!.problem.problemId,
      score: 1,
    });
    const { problemId } = recorded!.problem;
    expect((await post('/v1/feedback', { problemId, attemptId: 'x-3', value: 0.25 })).status).toBe(202);
    expect((await eventsOf(gateway.log, 'FeedbackGiven')).find(({ score }) => score === 0.25)).toMatchObject({
      ...{ attemptId: 'x-3', problemId },
    });
    expect((await post('/v1/feedback', { completionId: id, attemptId: 'x-3', value: 1 })).status).toBe(400);
    expect((await post('/v1/feedback', { completionId: id, value: 2 })).status).toBe(400);
    expect((await post('/v1/feedback', { value: true })).status).toBe(400);
  });
});

describe('access', () => {
  const KEYED = { access: 'keys' };

  it('takes a key of a role that suffices, and refuses the others', async () => {
    const log = await openLog();
    const roles = ['viewer', 'publisher'] as const;
    const keys = Object.fromEntries(
      await Promise.all(
        roles.map(async (role) => [
          role,
          (await issueKey(log, { name: 'n', role, by: 'ada', expiresAt: null }, systemClock)).key,
        ]),
      ),
    ) as Record<Role, string>;
    gateway = await startGateway({
      log,
      gateway: KEYED,
      behave: () => ({ kind: 'answer', body: chatCompletion('4') }),
    });
    expect((await ask('/v1/models')).status).toBe(401);
    expect((await ask('/%761/models')).status).toBe(401);
    expect((await ask('/v1/models', { key: `${keys.viewer.slice(0, -1)}_` })).status).toBe(401);
    expect((await ask('/v1/models', { key: keys.viewer })).status).toBe(200);
    expect((await post('/v1/chat/completions', CHAT, { key: keys.viewer })).status).toBe(403);
    expect((await post('/v1/chat/completions', CHAT, { key: keys.publisher })).status).toBe(200);
    const secret = keys.publisher.slice(-43);
    const stored = await recordsOf(log, 'seam.access');
    expect(stored.some(({ value }) => Buffer.from(value!).includes(secret))).toBe(false);
  });

  it('ends with a revocation, and never begins with an expired key', async () => {
    const log = await openLog();
    const issue = (expiresAt: number | null) =>
      issueKey(log, { name: 'n', role: 'viewer', by: 'ada', expiresAt }, systemClock);
    const [open, expired] = [await issue(null), await issue(1)];
    gateway = await startGateway({ log, gateway: KEYED });
    expect((await ask('/v1/models', { key: open.key })).status).toBe(200);
    expect((await ask('/v1/models', { key: expired.key })).status).toBe(401);
    await revokeKey(log, open.keyId, { by: 'ada', reason: 'it leaked' }, systemClock);
    await until(async () => (await ask('/v1/models', { key: open.key })).status === 401);
  });

  it.each(['/api/events', '/api/stream'])('that is revoked or expires ends what it opened: %s', async (path) => {
    const log = await openLog();
    const issue = (expiresAt: number | null) =>
      issueKey(log, { name: 'n', role: 'viewer', by: 'ada', expiresAt }, systemClock);
    const [leaked, other, brief] = [await issue(null), await issue(null), await issue(systemClock.now() + 3_000)];
    gateway = await startGateway({ log, gateway: KEYED });
    const ended: string[] = [];
    const streams = await Promise.all([leaked, other, brief].map(({ key }) => ask(path, { key })));
    const reading = streams.map(async (stream, index) => {
      await stream.text();
      ended.push(['leaked', 'other', 'brief'][index]!);
    });
    await revokeKey(log, leaked.keyId, { by: 'ada', reason: 'it leaked' }, systemClock);
    await Promise.all([reading[0], reading[2]]);
    expect(ended).toEqual(['leaked', 'brief']);
    await Promise.all([reading[1], gateway.service.close()]);
  });

  it('refuses pages of other sites where it is open', async () => {
    gateway = await startGateway();
    expect((await ask('/v1/models', { headers: { origin: 'https://evil.example' } })).status).toBe(403);
    // A name of another site that was made to lead here; fetch would not send it.
    const { port } = new URL(gateway.url);
    const status = await new Promise((resolve) => {
      get({ host: '127.0.0.1', port, path: '/v1/models', headers: { host: 'evil.example' } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
    });
    expect(status).toBe(403);
    expect((await ask('/v1/models', { headers: { origin: gateway.url } })).status).toBe(200);
  });

  it.each([
    [{ host: '0.0.0.0' }, 'SEAM_GATEWAY_ACCESS'],
    [{ host: '0.0.0.0', access: 'keys' }, 'SEAM_GATEWAY_ALLOW_PLAINTEXT'],
  ])('is needed where other machines may ask: %j', async (settings, message) => {
    await expect(startGateway({ gateway: settings })).rejects.toThrow(message);
    gateway = await startGateway();
  });
});

describe('what every answer has', () => {
  it('is JSON with a request id, for all kinds of bad requests', async () => {
    gateway = await startGateway({ gateway: { maxBodyBytes: 4096 } });
    const headers = { 'content-type': 'application/json' };
    const bad: [string, Asked, number][] = [
      ['/v1/nothing', {}, 404],
      ['/v1/chat/completions', { method: 'POST', headers, body: '{' }, 400],
      ['/v1/chat/completions', { method: 'POST', headers, body: '{"__proto__":{"role":"admin"},"model":"seam"}' }, 400],
      [
        '/v1/chat/completions',
        { method: 'POST', headers, body: JSON.stringify({ ...CHAT, user: 'x'.repeat(5000) }) },
        413,
      ],
      [
        '/v1/chat/completions',
        { method: 'POST', headers: { 'content-type': 'text/plain' }, body: JSON.stringify(CHAT) },
        400,
      ],
      ['/v1/chat/completions', { method: 'POST', headers, body: JSON.stringify({ ...CHAT, messages: [] }) }, 400],
      ['/v1/chat/completions', { method: 'POST', headers, body: JSON.stringify({ ...CHAT, n: 2 }) }, 400],
      ['/v1/chat/completions', { method: 'POST', headers, body: JSON.stringify({ ...CHAT, model: 'other' }) }, 404],
      ['/v1/models/other', {}, 404],
      ['/api/problems/%', {}, 400],
      // As long as an id may be.
      [`/api/problems/${encodeURIComponent('ä'.repeat(500))}`, {}, 404],
      [`/api/problems/${'x'.repeat(10_000)}`, {}, 414],
    ];
    for (const [path, init, status] of bad) {
      const answer = await ask(path, init);
      expect([path, answer.status]).toEqual([path, status]);
      expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/);
      const text = await answer.text();
      expect(JSON.parse(text)).toMatchObject({ error: { message: expect.any(String), type: 'invalid_request_error' } });
      expect(text.length).toBeLessThan(1_000);
    }
    expect(await (await ask('/api/openapi.json')).json()).toMatchObject({ openapi: '3.1.0' });
    expect(await eventsOf(gateway.log, 'ProblemPublished')).toEqual([]);
  });

  it('names some of many faults of a body, and the number of the others', async () => {
    gateway = await startGateway();
    const headers = { 'content-type': 'application/json' };
    const said = async (path: string, body: object): Promise<string> => {
      const answer = await ask(path, { method: 'POST', headers, body: JSON.stringify(body) });
      return ((await answer.json()) as { error: { message: string } }).error.message;
    };
    const messages = Array.from({ length: 5_000 }, () => 1);
    expect(await said('/v1/chat/completions', { ...CHAT, messages })).toMatch(
      /^messages\.0: .*; messages\.9: [^;]*; and 4,990 more$/,
    );
    const unknown = Object.fromEntries(messages.map((_, at) => [`key-${at}`, 1]));
    expect((await said('/v1/feedback', unknown)).length).toBeLessThan(3_000);
  });
});
