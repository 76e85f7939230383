/** A client's request is one trace over all services, on both logs, also where services are killed in the middle. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventsOf, until } from '@seamstream/testing';
import { chatCompletion, ModelServer } from '@seamstream/testing/model-server';
import { type CollectedSpan, SpanCollector } from '@seamstream/testing/span-collector';
import { deploy } from '../support/deployment.js';
import { startGateway } from '../support/gateway-process.js';
import { ServiceProcesses } from '../support/service-processes.js';
import { createToyWorld, type ToyWorld, toyEnvironment } from '../support/toy-world.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CLIENT_SPAN = 'b7ad6b7169203331';
const TRACEPARENT = `00-${TRACE}-${CLIENT_SPAN}-01`;
/** In prompts, ids, headers, queries and secrets: no span may hold it. */
const HOSTILE = 'hostile-7f3a';
const WAIT = { withinMs: 180_000 };
let world: ToyWorld;
let upstream: ModelServer;
beforeAll(async () => {
  world = await createToyWorld();
  upstream = await ModelServer.start(() => ({ kind: 'answer', body: chatCompletion(`Answer: ${HOSTILE}`) }));
}, 120_000);
afterAll(() => upstream.stop());

describe.each(['lmdb', 'kafka'] as const)('on %s a request', (driver) => {
  it('is one trace from the client to the outcome, though every service behind is killed on the way', async () => {
    const folder = mkdtempSync(join(tmpdir(), `traces-${driver}-`));
    const collector = await SpanCollector.start();
    const deployment = await deploy({ folder, log: driver });
    const environment = {
      ...toyEnvironment(world, folder),
      ...deployment.environment,
      SEAM_TRACING_URL: collector.url,
      SEAM_TRACING_HEADERS: JSON.stringify({ 'x-collector-key': 'collector-secret' }),
      SEAM_LOGGING_LEVEL: 'debug',
    };
    const services = new ServiceProcesses(environment, { instances: ['generator', 'executor', 'buffer'] });
    services.startAll();
    const gateway = await startGateway({
      ...environment,
      ...{ SEAM_GATEWAY_UPSTREAM_URL: upstream.url, SEAM_GATEWAY_UPSTREAM_MODEL: 'tiny' },
      ...{ SEAM_GATEWAY_CONTROL_SHARE: '0', SEAM_GATEWAY_EXPERIENCE_WITHIN_MS: '120000' },
    });
    const log = await deployment.openLog();
    const post = (path: string, body: unknown) =>
      fetch(`${gateway.url}${path}?q=${HOSTILE}`, {
        method: 'POST',
        headers: {
          ...{ 'content-type': 'application/json', traceparent: TRACEPARENT, tracestate: `v=${HOSTILE}` },
          'user-agent': HOSTILE,
        },
        body: JSON.stringify(body),
      });
    try {
      await until(() => services.isAtWork('generator') && services.isAtWork('executor'), 'services', WAIT);
      await services.kill('generator');
      const asking = post('/v1/chat/completions', {
        model: 'seam',
        seam: { domain: 'toys' },
        messages: [{ role: 'user', content: `${HOSTILE}: please carry.` }],
      });
      await until(async () => (await eventsOf(log, 'ProblemPublished')).length === 1, 'the problem', WAIT);
      services.start('generator');
      const answer = await asking;
      expect([answer.status, answer.headers.get('x-seam-experience-id')]).toEqual([200, expect.any(String)]);
      await services.killAndRestart('executor');
      await services.killAndRestart('buffer');
      const { id } = (await answer.json()) as { readonly id: string };
      expect((await post('/v1/feedback', { completionId: id, value: true, comment: HOSTILE })).status).toBe(202);
      await until(async () => (await eventsOf(log, 'OutcomeRecorded')).length === 1, 'the outcome', WAIT);
      const own = { problemId: HOSTILE, prompt: `${HOSTILE}: please halve.`, domain: 'toys' };
      expect((await post('/api/problems', own)).status).toBe(202);
      await until(() => SPANS.every((each) => said(collector).has(each)), 'every span', WAIT);
      await until(() => lost(collector.spans()).length === 0, 'the parents of all spans', WAIT);

      const spans = collector.spans();
      expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
      expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
      expect([...said(collector)].sort()).toEqual([...SPANS].sort());
      const [outcome] = await eventsOf(log, 'OutcomeRecorded');
      const settling = spans.find(({ name }) => name === 'create seam.outcomes')!;
      expect(outcome!.meta.traceparent).toBe(`00-${TRACE}-${settling.spanId}-01`);
      expect(JSON.stringify(collector.requests.map(({ body }) => body))).not.toMatch(
        new RegExp(`${HOSTILE}|please|collector-secret`),
      );
      expect(new Set(collector.requests.map(({ headers }) => headers['x-collector-key']))).toEqual(
        new Set(['collector-secret']),
      );
      expect(services.said('collector-secret')).toEqual([]);
      const committed = services.said('"msg":"batch committed"').filter((line) => line.includes(TRACE));
      expect(committed.length).toBeGreaterThan(0);
    } finally {
      await gateway.kill();
      await services.end();
      await log.close();
      await deployment.close();
      await collector.stop();
    }
  }, 600_000);
});

/** Names of all spans with their services. */
const said = (collector: SpanCollector): ReadonlySet<string> =>
  new Set(collector.spans().map(({ service, name }) => `${service}: ${name}`));

/** Spans that follow neither the client's span nor another one, and links that lead nowhere. */
function lost(spans: readonly CollectedSpan[]): readonly unknown[] {
  const ids = new Set([CLIENT_SPAN, ...spans.map(({ spanId }) => spanId)]);
  return [
    ...spans.filter(({ parentSpanId }) => !ids.has(parentSpanId ?? '')),
    ...spans.flatMap(({ links }) => links).filter(({ spanId }) => !ids.has(spanId)),
  ];
}

/** Of one chat with its feedback, and of one problem that is published over HTTP. */
const SPANS = [
  'seam-gateway: POST /v1/chat/completions',
  'seam-gateway: send seam.problems',
  'seam-generator: process seam.problems',
  'seam-generator: create seam.experiences',
  'seam-gateway: chat',
  'seam-gateway: send seam.answers',
  'seam-gateway: POST /v1/feedback',
  'seam-gateway: send seam.feedback',
  'seam-executor: process seam.feedback',
  'seam-executor: create seam.outcomes',
  'seam-executor: create seam.answers',
  'seam-executor: process seam.experiences',
  'seam-executor: process seam.answers',
  'seam-buffer: process seam.outcomes',
  'seam-gateway: POST /api/problems',
];
