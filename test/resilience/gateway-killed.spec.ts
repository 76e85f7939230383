/** A gateway that is killed while it answers: what its clients saw whole is in the log once, what is not in the log they saw break. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import { Random } from '@seamstream/kernel';
import { eventsOf, until } from '@seamstream/testing';
import { chatChunks, ModelServer } from '@seamstream/testing/model-server';
import OpenAI from 'openai';
import { type GatewayProcess, startGateway } from '../support/gateway-process.js';

const KILLS = 6;
const CLIENTS = 8;

let upstream: ModelServer;
let gateway: GatewayProcess;
beforeAll(async () => {
  const data = chatChunks(['a', 'b', 'c', 'd', 'e', 'f']);
  upstream = await ModelServer.start(() => ({ kind: 'events', data, everyMs: 5 }));
});
afterAll(async () => {
  await gateway.kill();
  await upstream.stop();
});

it('records every answer that a client saw whole, once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-killed-'));
  const whole: string[] = [];
  const random = Random.of('gateway killed');
  for (let kill = 0; kill < KILLS; kill++) {
    gateway = await startGateway({
      ...{ SEAM_DATA_FOLDER: folder, SEAM_GATEWAY_EXPERIENCE_WITHIN_MS: '5' },
      ...{ SEAM_GATEWAY_UPSTREAM_URL: upstream.url, SEAM_GATEWAY_UPSTREAM_MODEL: 'tiny' },
    });
    const asking = Array.from({ length: CLIENTS }, () => ask(gateway.url, whole));
    const enough = whole.length + 3 + random.int(12);
    await until(() => whole.length >= enough, 'answers', { withinMs: 30_000 });
    await gateway.kill();
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
