// What the gateway costs: latency of whole chat requests through it, with a durable record on the embedded log, against a bare Fastify proxy
// to the same stub server in the same run. Interleaved rounds, medians of each; ratios, since the machine's own speed varies.
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import { GatewayServer, gatewayConfigSchema, gatewayService } from '../../apps/gateway/dist/app.module.js';
import { closeDrivers, openDrivers, startService } from '../../libs/service-kit/dist/index.js';

const ROUNDS = 5;
const REQUESTS = Number(process.env.SEAM_TEST_REQUESTS ?? 200);
const LEVELS = [1, 8, 16];
const THINKS_MS = 20;

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
const upstream = `http://127.0.0.1:${stub.address().port}/v1`;

const proxy = Fastify();
proxy.post('/v1/chat/completions', async (request, reply) => {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${upstream}/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify(request.body),
  });
  return reply
    .code(answer.status)
    .type('application/json')
    .send(await answer.text());
});
const bare = await proxy.listen({ port: 0, host: '127.0.0.1' });

const folder = await mkdtemp(join(tmpdir(), 'gateway-bench-'));
const config = gatewayConfigSchema.parse({
  dataFolder: folder,
  logging: { level: 'silent' },
  // All in the control arm: what is measured is the gateway, and not a generator.
  gateway: { port: 0, controlShare: 1, upstream: { url: upstream, model: 'tiny' } },
});
const drivers = await openDrivers(config);
const service = await startService(gatewayService(), { config, drivers, serveHttp: false });
const through = service.get(GatewayServer).url;

const body = JSON.stringify({ model: 'seam', messages: [{ role: 'user', content: 'How many?' }] });
async function once(url) {
  const started = performance.now();
  const answer = await fetch(`${url}/v1/chat/completions`, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body },
  });
  await answer.text();
  if (answer.status !== 200) throw new Error(`Cannot measure: expected status 200, got ${answer.status}.`);
  return performance.now() - started;
}
async function round(url, clients) {
  const times = [];
  let left = REQUESTS;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (left-- > 0) times.push(await once(url));
    }),
  );
  times.sort((a, b) => a - b);
  return { p50: times[times.length >> 1], p99: times[Math.floor(times.length * 0.99)] };
}
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

await Promise.all([round(bare, 4), round(through, 4)]);
console.log(`medians of ${ROUNDS} rounds of ${REQUESTS} requests; the stub answers after ${THINKS_MS} ms`);
for (const clients of LEVELS) {
  const rounds = { bare: [], through: [] };
  for (let at = 0; at < ROUNDS; at++) {
    rounds.bare.push(await round(bare, clients));
    rounds.through.push(await round(through, clients));
  }
  const of = (which, name) => median(rounds[which].map((each) => each[name]));
  const line = ['p50', 'p99'].map(
    (name) =>
      `${name} ${of('bare', name).toFixed(1)} ms bare, ${of('through', name).toFixed(1)} ms recorded, ratio ${(of('through', name) / of('bare', name)).toFixed(2)}`,
  );
  console.log(`${String(clients).padStart(3)} clients  ${line.join('   ')}`);
}
await service.close();
await closeDrivers(drivers);
await proxy.close();
stub.close();
await rm(folder, { recursive: true });
