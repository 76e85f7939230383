import { eventsOf } from '@seamstream/testing';
import { chatCompletion } from '@seamstream/testing/model-server';
import { type GatewayUnderTest, startGateway } from '../gateway.fake.js';
import { RepeatKeys } from './repeat-keys.js';

let gateway: GatewayUnderTest;
beforeEach(async () => {
  gateway = await startGateway({ behave: () => ({ kind: 'answer', body: chatCompletion('Four.') }) });
});
afterEach(() => gateway.stop());

const chat = (content: string) => ({ model: 'seam', messages: [{ role: 'user', content }] });
const [WHY, HOW] = [{ prompt: 'Why?' }, { prompt: 'How?' }];

describe('an Idempotency-Key that was used', () => {
  it.each([
    ['/api/problems', WHY, HOW],
    ['/v1/feedback', { completionId: 'chatcmpl-a', value: true }, { completionId: 'chatcmpl-a', value: false }],
    ['/v1/chat/completions', chat('Why?'), chat('How?')],
    ['/v1/responses', { model: 'seam', input: 'Why?' }, { model: 'seam', input: 'How?' }],
  ])('is refused by %s for another body, and nothing is recorded', async (path, first, other) => {
    expect((await post(path, first)).ok).toBe(true);
    const before = await recorded();
    await expectRefused(await post(path, other));
    expect(await recorded()).toEqual(before);
    expect((await post(path, first)).ok).toBe(true);
    expect((await post(path, other, 'order-8')).ok).toBe(true);
  });

  it.each<[string, unknown, unknown]>([
    ['another prompt', WHY, HOW],
    ['other settings', WHY, { ...WHY, domain: 'sums' }],
    ['a problem more', { problems: [WHY] }, { problems: [WHY, HOW] }],
    ['a problem less', { problems: [WHY, HOW] }, { problems: [WHY] }],
  ])('is refused by another gateway on the log for %s', async (_, first, other) => {
    const asked = await post('/api/problems', first);
    const before = await recorded();
    const { log } = gateway;
    await gateway.stop();
    gateway = await startGateway({ log });
    await expectRefused(await post('/api/problems', other));
    expect(await recorded()).toEqual(before);
    expect(await (await post('/api/problems', first)).json()).toEqual(await asked.json());
  });

  it('stands for one of two bodies that come at the same time', async () => {
    const answers = await Promise.all([WHY, HOW].map((body) => post('/api/problems', body)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 422]);
    expect(await eventsOf(gateway.log, 'ProblemPublished')).toHaveLength(1);
  });

  it('is free for another body where its request failed', async () => {
    expect((await post('/api/problems', { prompt: 'Why?', referenc: '5' })).status).toBe(400);
    expect((await post('/api/problems', WHY)).status).toBe(202);
  });

  it('has two answers of a chat: the same is asked again', async () => {
    const answers = await Promise.all([1, 2].map(() => post('/v1/chat/completions', chat('Why?'))));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await eventsOf(gateway.log, 'AnswerRecorded')).toHaveLength(2);
  });
});

describe('names of requests', () => {
  it('are those of one client on one path, and the oldest makes room', async () => {
    const keys = new RepeatKeys(2);
    const use = (key: string, path: string, scope: string | null, body: string) =>
      keys.during({ key, path, scope }, body, () => Promise.resolve(body));
    await use('k', 'problems', 'ada', 'a');
    expect(await use('k', 'feedback', 'ada', 'b')).toBe('b');
    await expect(use('k', 'problems', 'ada', 'b')).rejects.toMatchObject({ status: 422 });
    expect(await use('k', 'problems', 'eve', 'b')).toBe('b');
    // The oldest went.
    expect(await use('k', 'problems', 'ada', 'b')).toBe('b');
  });
});

function post(path: string, body: unknown, key = 'order-7'): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': key };
  return fetch(`${gateway.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function expectRefused(answer: Response): Promise<void> {
  expect(answer.status).toBe(422);
  expect(await answer.json()).toMatchObject({
    error: { type: 'invalid_request_error', param: 'Idempotency-Key', code: 'idempotency_key_reused' },
  });
}

async function recorded(): Promise<readonly number[]> {
  const types = ['ProblemPublished', 'FeedbackGiven', 'AnswerRecorded', 'ExecutionFailed'] as const;
  return Promise.all(types.map(async (type) => (await eventsOf(gateway.log, type)).length));
}
