// What the gateway costs: latency of whole chat requests through it, with a durable record on the embedded log, next to a bare Fastify proxy
// before the same stub server. Each is a separate process. First their saturation (closed loop), then open loops at shares of the gateway's
// saturation, the same rate for both in turn, medians of five rounds; then twice the saturation, where nothing may hang or be lost.
import { spawn } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Fastify from 'fastify';
import { LmdbEventLog } from '../../libs/event-log-lmdb/dist/index.js';
import { TOPIC } from '../../libs/events/dist/index.js';

const ROUNDS = 5;
const SECONDS = Number(process.env.SEAM_TEST_SECONDS ?? 4);
const SHARES = [0.25, 0.5, 0.75];
const THINKS_MS = 20;
const AT_ONCE = 64;
/** A request that took longer hangs. */
const LONGEST_MS = 30_000;
const OWN = fileURLToPath(import.meta.url);
const body = JSON.stringify({ model: 'seam', messages: [{ role: 'user', content: 'How many?' }] });

async function serveStub() {
  const completion = JSON.stringify({
    ...{ id: 'c', object: 'chat.completion', created: 1, model: 'tiny' },
    choices: [{ index: 0, message: { role: 'assistant', content: 'Four.' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
  });
  const stub = createServer((request, response) => {
    request.resume();
    request.on('end', () =>
      setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(completion), THINKS_MS),
    );
  });
  await new Promise((resolve) => stub.listen(0, '127.0.0.1', resolve));
  process.stderr.write(`"url":"http://127.0.0.1:${stub.address().port}/v1","msg":"gateway listens"\n`);
}

async function serveProxy(upstream) {
  const proxy = Fastify();
  proxy.post('/v1/chat/completions', async (request, reply) => {
    const answer = await fetch(`${upstream}/chat/completions`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify(request.body),
    });
    return reply
      .code(answer.status)
      .type('application/json')
      .send(await answer.text());
  });
  const url = await proxy.listen({ port: 0, host: '127.0.0.1' });
  process.stderr.write(`"url":"${url}","msg":"gateway listens"\n`);
}

/** A process, when it says where it listens. */
async function start(args, env = {}) {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, ...env },
  });
  let said = '';
  const url = await new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`Cannot start ${args[0]}: ${said}`)));
    child.stderr.on('data', (chunk) => {
      said += chunk;
      const found = /"url":"([^"]+)","msg":"gateway listens"/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  return { url, end: () => new Promise((resolve) => child.once('exit', resolve) && child.kill()) };
}

async function measure() {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-bench-'));
  const stub = await start([OWN, 'stub']);
  const proxy = await start([OWN, 'proxy', stub.url]);
  const gateway = await start([fileURLToPath(new URL('../../apps/gateway/dist/main.js', import.meta.url))], {
    ...{ SEAM_DATA_FOLDER: folder, SEAM_GATEWAY_PORT: '0', SEAM_HTTP_PORT: '0', SEAM_LOGGING_LEVEL: 'info' },
    ...{ SEAM_GATEWAY_UPSTREAM_URL: stub.url, SEAM_GATEWAY_UPSTREAM_MODEL: 'tiny' },
    // All in the control arm: what is measured is the gateway, and not a generator.
    ...{ SEAM_GATEWAY_CONTROL_SHARE: '1', SEAM_GATEWAY_MAX_CONCURRENT: String(AT_ONCE) },
  });
  const answered = new Map();
  try {
    for (const url of [proxy.url, gateway.url]) await closedLoop(url, answered);
    const [bare, recorded] = [await closedLoop(proxy.url, answered), await closedLoop(gateway.url, answered)];
    console.log(`a write that waits for the disk: ${(await diskMs(folder)).toFixed(1)} ms (each request has two)`);
    console.log(`saturation (${AT_ONCE} at once): bare ${bare.toFixed(0)}/s, recorded ${recorded.toFixed(0)}/s`);
    for (const share of SHARES) await compare(share, share * recorded, proxy.url, gateway.url, answered);
    await overload(2 * recorded, gateway.url, answered);
  } finally {
    await Promise.all([gateway, proxy, stub].map((each) => each.end()));
  }
  await countRecords(folder, answered.get(gateway.url) ?? 0);
  await rm(folder, { recursive: true });
}

async function once(url, answered) {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    ...{
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(LONGEST_MS),
    },
  });
  await answer.text();
  if (answer.status === 200) answered.set(url, (answered.get(url) ?? 0) + 1);
  return answer.status;
}

/** @returns requests a second */
async function closedLoop(url, answered) {
  const startedMs = performance.now();
  let done = 0;
  const ask = async () => {
    for (; performance.now() - startedMs < SECONDS * 1000; done++) await once(url, answered);
  };
  await Promise.all(Array.from({ length: AT_ONCE - 8 }, ask));
  return done / ((performance.now() - startedMs) / 1000);
}

/** Requests at a rate, whether or not those before are answered. Times count from when each was due. @returns sorted milliseconds, and statuses */
async function openLoop(url, rate, answered) {
  const startedMs = performance.now();
  const [times, statuses, asking] = [[], new Map(), []];
  for (let at = 0; at < rate * SECONDS; at++) {
    const dueMs = startedMs + (at * 1000) / rate;
    const early = dueMs - performance.now();
    if (early > 1) await pause(early);
    asking.push(
      once(url, answered).then(
        (status) => {
          times.push(performance.now() - dueMs);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        },
        (error) => statuses.set(error.name, (statuses.get(error.name) ?? 0) + 1),
      ),
    );
  }
  await Promise.all(asking);
  return { times: times.toSorted((a, b) => a - b), statuses };
}

async function compare(share, rate, bareUrl, recordedUrl, answered) {
  const rounds = { bare: [], recorded: [] };
  for (let at = 0; at < ROUNDS; at++)
    for (const [name, url] of [
      ['bare', bareUrl],
      ['recorded', recordedUrl],
    ]) {
      const { times, statuses } = await openLoop(url, rate, answered);
      if (statuses.size !== 1 || !statuses.has(200))
        console.log(`  ${name}: expected status 200 alone, got ${JSON.stringify([...statuses])}`);
      rounds[name].push({ p50: times[times.length >> 1], p99: times[Math.floor(times.length * 0.99)] });
    }
  const of = (which, name) => rounds[which].map((each) => each[name]).toSorted((a, b) => a - b)[ROUNDS >> 1];
  const parts = ['p50', 'p99'].map((name) => {
    const [bare, recorded] = [of('bare', name), of('recorded', name)];
    return `${name} ${bare.toFixed(1)} ms bare, ${recorded.toFixed(1)} ms recorded, ratio ${(recorded / bare).toFixed(2)}`;
  });
  console.log(`${String(share * 100).padStart(3)} % (${rate.toFixed(0)}/s)  ${parts.join('   ')}`);
}

async function overload(rate, url, answered) {
  const { times, statuses } = await openLoop(url, rate, answered);
  const seen = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
  console.log(`200 % (${rate.toFixed(0)}/s)  ${seen}; the slowest after ${times.at(-1).toFixed(0)} ms`);
  const others = [...statuses.keys()].filter((status) => status !== 200 && status !== 429);
  if (others.length > 0)
    throw new Error(`Cannot pass: expected 200 and 429 alone at saturation, got ${others.join(', ')}.`);
}

/** @returns milliseconds of a small write that is on the disk, the median of 50 */
async function diskMs(folder) {
  const file = await open(join(folder, 'disk'), 'w');
  const times = [];
  for (let at = 0; at < 50; at++) {
    const startedMs = performance.now();
    await file.write(body, 0);
    await file.datasync();
    times.push(performance.now() - startedMs);
  }
  await file.close();
  return times.toSorted((a, b) => a - b)[25];
}

/** Every answered request is in the log. */
async function countRecords(folder, answered) {
  const log = await LmdbEventLog.open({ folder: join(folder, 'log') });
  const recorded = (await log.watermarks(TOPIC.answers)).reduce((sum, { low, high }) => sum + high - low, 0);
  await log.close();
  console.log(`${answered} answered, ${recorded} recorded`);
  if (answered !== recorded) throw new Error('Cannot pass: expected as many records as answers.');
}

const [, , role, upstreamOfRole] = process.argv;
if (role === 'stub') await serveStub();
else if (role === 'proxy') await serveProxy(upstreamOfRole);
else await measure();
