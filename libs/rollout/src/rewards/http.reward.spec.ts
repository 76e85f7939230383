/** A user's endpoint on this machine, with every answer that it may give. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { configuredReward } from '../index.js';

let server: Server;
let url: string;
let respond: () => { readonly status?: number; readonly body: string; readonly delayMs?: number };
const asked: unknown[] = [];

describe("a user's own reward", () => {
  it('receives what was measured, and its answer is the reward', async () => {
    respond = () => ({ body: '{"reward": 0.4}' });
    expect(await ask()).toMatchObject({ reward: 'http@1', value: 0.4, threshold: 0.5, earned: 0 });
    respond = () => ({ body: '{"reward": 0.75, "why": "long"}' });
    expect(await ask()).toMatchObject({ value: 0.75, earned: 0.75, accuracyBefore: 0.25, accuracyAfter: 1 });
    expect(await ask(5_000, 'binary')).toMatchObject({ earned: 1 });
    expect(asked.at(-1)).toEqual({
      ...{ version: 1, ...attempt, before: { accuracy: 0.25, loss: null }, after: { accuracy: 1, loss: null } },
    });
  });

  it.each<[string, ReturnType<typeof respond>, string]>([
    ['is no JSON', { body: 'reward: 1' }, 'VERIFIER_FAILED'],
    ['has no reward', { body: '{"score": 1}' }, 'VERIFIER_FAILED'],
    ['has a text for a number', { body: '{"reward": "1"}' }, 'VERIFIER_FAILED'],
    ['is above 1', { body: '{"reward": 1.01}' }, 'VERIFIER_FAILED'],
    ['is below 0', { body: '{"reward": -0.01}' }, 'VERIFIER_FAILED'],
    ['overflows', { body: '{"reward": 1e999}' }, 'VERIFIER_FAILED'],
    ['is a list', { body: '[1]' }, 'VERIFIER_FAILED'],
    ['is too long', { body: `{"reward": 1, "x": "${'x'.repeat(70_000)}"}` }, 'VERIFIER_FAILED'],
    ['is late', { body: '{"reward": 1}', delayMs: 5_000 }, 'VERIFIER_FAILED'],
    ['says that it is busy', { status: 503, body: '' }, 'VERIFIER_FAILED'],
    ['refuses the request', { status: 401, body: '' }, 'INVALID_CONFIGURATION'],
    ['leads elsewhere', { status: 302, body: '' }, 'INVALID_CONFIGURATION'],
  ])('is an error and never 0 where the answer %s', async (_, answer, code) => {
    respond = () => answer;
    await expect(ask(answer.delayMs === undefined ? 5_000 : 200)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/^Cannot reward by http@1: /),
    });
  });

  it('is not waited for any longer once stopped', async () => {
    respond = () => ({ body: '{"reward": 1}', delayMs: 5_000 });
    await expect(ask(5_000, 'binary', AbortSignal.timeout(50))).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

beforeAll(async () => {
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      asked.push(JSON.parse(text));
      const { status = 200, body, delayMs = 0 } = respond();
      setTimeout(() => response.writeHead(status, { location: '/elsewhere' }).end(body), delayMs).unref();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
});

const attempt = { problemId: 'p', domain: 'd', entry: '{"edit":"x"}', response: '1: x' };
function ask(timeoutMs = 5_000, form: 'binary' | 'continuous' = 'continuous', signal?: AbortSignal) {
  return configuredReward(
    { kind: 'http', form },
    { environment: { examines: true }, endpoint: { url, timeoutMs } },
  )!.measure({ before: { accuracy: 0.25, loss: null }, after: { accuracy: 1, loss: null } }, attempt, signal);
}
