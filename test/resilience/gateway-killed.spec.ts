/** A gateway that is killed while it answers: what its clients saw whole is in the log once, what is not in the log they saw break. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import { Random } from '@seamstream/kernel';
import { eventsOf, until } from '@seamstream/testing';
import { chatChunks, ModelServer } from '@seamstream/testing/model-server';
import OpenAI from 'openai';

const KILLS = 6;
const CLIENTS = 8;

let upstream: ModelServer;
let gateway: ChildProcess;
beforeAll(async () => {
  const data = chatChunks(['a', 'b', 'c', 'd', 'e', 'f']);
  upstream = await ModelServer.start(() => ({ kind: 'events', data, everyMs: 5 }));
});
afterAll(async () => {
  gateway.kill('SIGKILL');
  await upstream.stop();
});

it('records every answer that a client saw whole, once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-killed-'));
  const whole: string[] = [];
  const random = Random.of('gateway killed');
  for (let kill = 0; kill < KILLS; kill++) {
    const url = await start(folder);
    const asking = Array.from({ length: CLIENTS }, () => ask(url, whole));
    const enough = whole.length + 3 + random.int(12);
    await until(() => whole.length >= enough, 'answers', { withinMs: 30_000 });
    gateway.kill('SIGKILL');
    await Promise.all(asking);
  }
  const log = await LmdbEventLog.open({ folder: join(folder, 'log') });
  const answers = (await eventsOf(log, 'AnswerRecorded')).map(({ problem }) => problem.problemId);
  const published = await eventsOf(log, 'ProblemPublished');
  await log.close();
  expect(whole.filter((id) => answers.filter((each) => each === id).length !== 1)).toEqual([]);
  expect(new Set(answers).size).toBe(answers.length);
  expect(published.length).toBeGreaterThanOrEqual(answers.length);
}, 120_000);

/** Starts the service as an operator does. @returns its address */
async function start(folder: string): Promise<string> {
  gateway = spawn(process.execPath, ['apps/gateway/dist/main.js'], {
    env: {
      ...{ PATH: process.env.PATH, SEAM_DATA_FOLDER: folder, SEAM_GATEWAY_PORT: '0', SEAM_HTTP_PORT: '0' },
      ...{ SEAM_GATEWAY_UPSTREAM_URL: upstream.url, SEAM_GATEWAY_UPSTREAM_MODEL: 'tiny' },
      SEAM_GATEWAY_EXPERIENCE_WITHIN_MS: '5',
    },
  });
  let said = '';
  for await (const chunk of gateway.stderr!) {
    said += String(chunk);
    const url = /"url":"([^"]+)","msg":"gateway listens"/.exec(said)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error(`Cannot start the gateway: ${said}`);
}

/** Asks until the gateway is gone. @param whole receives the ids of answers that ended well */
async function ask(url: string, whole: string[]): Promise<void> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 });
  for (;;) {
    try {
      const request = { model: 'seam', messages: [{ role: 'user' as const, content: 'Why?' }], stream: true as const };
      const answer = await client.chat.completions.stream(request).finalChatCompletion();
      whole.push(answer.id.replace('chatcmpl-', ''));
    } catch {
      return;
    }
  }
}
