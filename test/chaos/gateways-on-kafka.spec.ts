/**
 * Two gateways on one Kafka, killed under load, and the broker with them. Clients read bytes as plain loops do: what looks whole to them is in
 * the log once, and what is not in the log they saw break, or not at all.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Random } from '@seamstream/kernel';
import { eventsOf, until } from '@seamstream/testing';
import { chatChunks, chatCompletion, ModelServer } from '@seamstream/testing/model-server';
import { type Deployment, deploy } from '../support/deployment.js';
import { type GatewayProcess, startGateway } from '../support/gateway-process.js';

/** SEAM_TEST_KILLS=50 for the long run. */
const KILLS = Number(process.env.SEAM_TEST_KILLS ?? 10);
const CLIENTS = 8;
const BROKER_EVERY = 5;

let upstream: ModelServer;
let deployment: Deployment;
beforeAll(async () => {
  const data = chatChunks(['a', 'b', 'c', 'd']);
  upstream = await ModelServer.start(({ body }) =>
    body?.stream === true ? { kind: 'events', data, everyMs: 5 } : { kind: 'answer', body: chatCompletion('abcd') },
  );
  deployment = await deploy({ folder: mkdtempSync(join(tmpdir(), 'gateways-on-kafka-')), log: 'kafka' });
}, 120_000);
afterAll(async () => {
  await deployment.close();
  await upstream.stop();
});

it(`record every answer that looked whole once, killed ${KILLS} times`, async () => {
  const gateways = await Promise.all([start(), start()]);
  const seen = new Seen();
  const stopping = new AbortController();
  const clients = Array.from({ length: CLIENTS }, (_, index) => ask(gateways, index, seen, stopping.signal));
  const random = Random.of('gateways on kafka');
  for (let kill = 1; kill <= KILLS; kill++) {
    const enough = seen.whole.length + 4 + random.int(16);
    await until(() => seen.whole.length >= enough, 'answers', { withinMs: 120_000 });
    if (kill % BROKER_EVERY === 0) {
      const [broker] = deployment.servers;
      await broker!.kill('SIGKILL');
      await broker!.restart();
    } else {
      const at = random.int(gateways.length);
      await gateways[at]!.kill();
      gateways[at] = await start();
    }
  }
  const last = seen.whole.length + 8;
  await until(() => seen.whole.length >= last, 'answers after the last kill', { withinMs: 120_000 });
  stopping.abort();
  await Promise.all(clients);
  await Promise.all(gateways.map((gateway) => gateway.kill()));

  const log = await deployment.openLog();
  const answers = (await eventsOf(log, 'AnswerRecorded')).map(({ problem }) => problem.problemId);
  const published = new Set((await eventsOf(log, 'ProblemPublished')).map(({ problem }) => problem.problemId));
  await log.close();
  process.stderr.write(
    `${KILLS} kills: ${seen.whole.length} whole, ${seen.broken} broken, ${seen.unanswered} unanswered, ${seen.refused} refused, ${answers.length} recorded\n`,
  );
  expect(seen.whole.filter((id) => !answers.includes(id))).toEqual([]);
  expect(new Set(answers).size).toBe(answers.length);
  expect(new Set(seen.whole).size).toBe(seen.whole.length);
  expect(answers.every((id) => published.has(id))).toBe(true);
  expect(seen.broken + seen.unanswered + seen.refused).toBeGreaterThan(0);
  // Both took part, and a kill found requests under way.
  expect(seen.byGateway.size).toBe(2);
}, 900_000);

/** What clients saw. */
class Seen {
  /** Problems of answers that looked whole. */
  readonly whole: string[] = [];
  readonly byGateway = new Set<number>();
  /** An answer that had begun, and broke or said that it did. */
  broken = 0;
  /** No connection, or it ended before an answer began. */
  unanswered = 0;
  /** An error with a status. */
  refused = 0;
}

function start(): Promise<GatewayProcess> {
  return startGateway({
    ...deployment.environment,
    ...{ SEAM_GATEWAY_UPSTREAM_URL: upstream.url, SEAM_GATEWAY_UPSTREAM_MODEL: 'tiny' },
    ...{ SEAM_GATEWAY_EXPERIENCE_WITHIN_MS: '5', SEAM_GATEWAY_ANSWER_WITHIN_MS: '30000' },
  });
}

/** Asks one gateway after the other, streamed and whole in turn, until the signal aborts. */
async function ask(gateways: readonly GatewayProcess[], client: number, seen: Seen, signal: AbortSignal) {
  for (let turn = client; !signal.aborted; turn++) {
    const at = turn % gateways.length;
    const stream = (turn >> 1) % 2 === 0;
    const body = JSON.stringify({ model: 'seam', stream, messages: [{ role: 'user', content: `${client} ${turn}` }] });
    let hasBegun = false;
    try {
      const answer = await fetch(`${gateways[at]!.url}/v1/chat/completions`, {
        ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body },
      });
      hasBegun = true;
      const text = await answer.text();
      const problemId = /chatcmpl-([0-9a-f-]+)/.exec(text)?.[1];
      if (answer.status !== 200) seen.refused++;
      else if (problemId !== undefined && /"finish_reason":"|\[DONE\]/.test(text)) {
        seen.whole.push(problemId);
        seen.byGateway.add(at);
      } else seen.broken++;
    } catch {
      if (hasBegun) seen.broken++;
      else seen.unanswered++;
      await pause(50);
    }
  }
}
