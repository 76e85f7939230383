import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Verifiers } from './verifiers.js';

const judgeBy =
  (kind: string, verifiers = new Verifiers()) =>
  (text: string, reference: string, options: Record<string, string> = {}) =>
    verifiers.verify({ kind, version: '1', options }, { text, finished: true }, reference);

describe('multiple choice', () => {
  const judge = judgeBy('choice');
  const texts = JSON.stringify(['a bird', 'a plane', 'a man']);

  it.each<[string, string, boolean, Record<string, string>?]>([
    ['Answer: B', 'B', true],
    ['Answer: (B)', 'B', true],
    ['Answer: C', 'B', false],
    ['\\boxed{\\text{(B)}}', 'B', true],
    ['The answer is B.', 'B', true],
    ['**Answer: B) a plane**', 'B', true],
    ['Answer: A. No, the answer is (C) after all.', 'C', true],
    ['The answer is A. But then\nAnswer: C', 'C', true],
    ['B', 'B', true],
    ['(b)', 'B', true],
    ['B, since A is too small', 'B', true],
    ['Answer: A or B', 'A', false],
    ['Answer: A, B, C, D', 'B', false],
    ['Answer: C and A', 'A, C', true],
    ['Answer: A', 'A, C', false],
    ['Answer: a plane', 'B', true, { texts }],
    ['Answer: A plane.', 'A', false, { texts }],
    ['Answer: 10²', 'A', true, { texts: '["10²","102"]' }],
    ['Answer: 102', 'A', false, { texts: '["10²","102"]' }],
    ['Answer: 102', 'B', true, { texts: '["10²","102"]' }],
    ['Answer: A bird in the hand', 'A', false],
    ['Answer: E', 'E', false, { letters: 'ABCD' }],
    ['I would say that A and B are wrong', 'C', false],
    ['', 'A', false],
    ['I doubt the answer is A', 'A', false],
    ['No way the answer is A', 'A', false],
    ['Answer: A, nope', 'A', false],
    ['Answer: A, nej', 'A', false],
    ['Answer: A\nB', 'A', false],
    ['Wrong answer: A', 'A', false],
    ['Answer: A\n\nB is too small.', 'A', true],
    ['Based on the table the answer is A', 'A', true],
  ])('judges %j against %s as %s', async (text, reference, success, options = {}) => {
    if (reference === 'E') {
      await expect(judge(text, reference, options)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      return;
    }
    expect((await judge(text, reference, options)).success).toBe(success);
  });

  it.each([
    ['no letter as reference', 'the second', {}],
    ['a letter twice', 'A', { letters: 'AAB' }],
    ['texts that are not a list', 'A', { texts: '{"A":"a bird"}' }],
  ])('refuses %s', async (_, reference, options: Record<string, string>) => {
    await expect(judge('Answer: A', reference, options)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

const NEAR_IN_ANY_ORDER = { arrays: 'unordered', tolerance: '0.15' };

describe('JSON', () => {
  const judge = judgeBy('json');

  it.each<[string, string, boolean, Record<string, string>?]>([
    ['{"a": 1, "b": [1, 2]}', '{"b":[1,2],"a":1.0}', true],
    ['Here it is:\n```json\n{"a": 1}\n```\nDone.', '{"a":1}', true],
    ['```json\n{"a": 1}\n```\nor rather\n```json\n{"a": 2}\n```', '{"a":2}', true],
    ['The result {see above} is {"a": {"b": []}}.', '{"a":{"b":[]}}', true],
    ['Answer: [1, 2]', '[1,2]', true],
    ['Answer: 12', '12', true],
    ['{"a": 1', '{"a":1}', false],
    ['{"a": 1, "b": 2}', '{"a":1}', false],
    ['{"a": 1, "b": 2}', '{"a":1}', true, { properties: 'atLeast' }],
    ['[2, 1]', '[1,2]', false],
    ['[2, 1]', '[1,2]', true, { arrays: 'unordered' }],
    ['[1, 1]', '[1,2]', false, { arrays: 'unordered' }],
    // The first near element would take the only one that is near a later one.
    ['[1.1, 1.2, 1.0]', '[1.0,1.1,1.2]', true, { arrays: 'unordered', tolerance: '0.15' }],
    ['[1.1, 1.2, 1.36]', '[1.0,1.1,1.2]', false, { arrays: 'unordered', tolerance: '0.15' }],
    ['[{"a":1.1},{"a":1.2},{"a":1.0}]', '[{"a":1.0},{"a":1.1},{"a":1.2}]', true, NEAR_IN_ANY_ORDER],
    ['[{"a":1.1},{"a":0.9},{"a":0.9}]', '[{"a":1.0},{"a":1.1},{"a":1.2}]', false, NEAR_IN_ANY_ORDER],
    // Doubles would take these for the same.
    ['12345678901234567891', '12345678901234567890', false],
    ['{"a": 12345678901234567890}', '{"a":12345678901234567890}', true],
    ['1e-400', '0', false],
    ['{"a": 1.05}', '{"a":1}', true, { tolerance: '0.1' }],
    ['{"a": "1"}', '{"a":1}', false],
    ['{"a": null}', '{}', false],
    ['{"__proto__": {"a": 1}}', '{"a":1}', false],
    ['{}', '{"toString":1}', false],
    ['[]', '{}', false],
    ['no value', '{}', false],
    ['{"a":2,"a":1}', '{"a":1}', false],
    ['{"a":2,"\\u0061":1}', '{"a":1}', false],
    ['[{"a":1},{"a":1}]', '[{"a":1},{"a":1}]', true],
    ['{"a":1} nope', '{"a":1}', false],
    ['{"a":1} nope', '{"a":1}', false, { properties: 'atLeast' }],
    ['{"a":1}\nIt has one property.', '{"a":1}', true],
    [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, '[]', false],
  ])('judges %j against %s as %s', async (text, reference, success, options = {}) => {
    expect((await judge(text, reference, options)).success).toBe(success);
  });

  it('says where the first difference is', async () => {
    expect((await judge('{"a":[1,{"b":3}]}', '{"a":[1,{"b":2}]}')).detail).toBe('another number at $.a[1].b');
  });

  it('refuses a reference that is no JSON', async () => {
    await expect(judge('{}', '{a: 1}')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

describe("a user's own verifier", () => {
  let server: Server;
  let verifiers: Verifiers;
  let respond: (body: unknown) => { status?: number; body: string; delayMs?: number; headers?: Record<string, string> };
  const requests: { readonly body: unknown; readonly authorization: string | undefined }[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        const body: unknown = JSON.parse(text);
        requests.push({ body, authorization: request.headers.authorization });
        const answer = respond(body);
        setTimeout(() => {
          response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
          response.end(answer.body);
        }, answer.delayMs ?? 0);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/judge`;
    verifiers = new Verifiers({
      endpoints: {
        mine: { url, timeoutMs: 1000, headers: { authorization: 'Bearer secret' } },
        gone: { url: 'http://127.0.0.1:1/' },
      },
    });
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const judge = (options: Record<string, string> = { endpoint: 'mine' }, deadlineMs?: number) =>
    verifiers.verify(
      { kind: 'http', version: '1', options },
      { text: 'Answer: 4', finished: true },
      '2+2',
      deadlineMs === undefined ? {} : { deadlineMs },
    );

  it('is given response, reference and data, and its verdict counts', async () => {
    respond = () => ({ body: JSON.stringify({ success: true, extractedAnswer: '4', detail: 'it is four' }) });
    expect(await judge({ endpoint: 'mine', data: 'x' })).toEqual({
      success: true,
      extractedAnswer: '4',
      detail: 'it is four',
    });
    expect(requests.at(-1)).toEqual({
      body: { version: 1, response: 'Answer: 4', reference: '2+2', data: 'x' },
      authorization: 'Bearer secret',
    });
    respond = () => ({ body: '{"success":false}' });
    expect(await judge()).toEqual({ success: false, extractedAnswer: null, detail: 'judged by the endpoint' });
  });

  it.each<[string, { status?: number; body: string; delayMs?: number; headers?: Record<string, string> }]>([
    ['is busy', { status: 503, body: '' }],
    ['is asked too often', { status: 429, body: '' }],
    ['answers no JSON', { body: 'true' }],
    ['answers no verdict', { body: '{"success":"yes"}' }],
    ['answers too much', { body: JSON.stringify({ success: true, detail: 'x'.repeat(100_000) }) }],
    ['is late', { body: '{"success":true}', delayMs: 1500 }],
  ])('that %s is an error that may pass, never a verdict', async (_, answer) => {
    respond = () => answer;
    await expect(judge()).rejects.toMatchObject({ code: 'VERIFIER_FAILED', retryable: true });
  });

  it.each([
    ['refuses the request', { status: 404, body: '' }],
    ['sends elsewhere', { status: 302, body: '', headers: { location: 'http://127.0.0.1:1/' } }],
  ])('that %s is misconfigured', async (_, answer) => {
    respond = () => answer;
    await expect(judge()).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION', retryable: false });
  });

  it('is one of those that are configured: an event can name no other', async () => {
    await expect(judge({ endpoint: 'theirs' })).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining('mine, gone') as string,
    });
    await expect(judge({ endpoint: '__proto__' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(judge({ endpoint: 'http://127.0.0.1/' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(judge({ endpoint: 'gone' })).rejects.toMatchObject({ code: 'VERIFIER_FAILED' });
  });

  it('keeps its secrets out of what is said of it', async () => {
    respond = () => ({ status: 500, body: 'Bearer secret' });
    const error: unknown = await judge().catch((caught: unknown) => caught);
    expect(String(error)).not.toContain('secret');
  });
});
