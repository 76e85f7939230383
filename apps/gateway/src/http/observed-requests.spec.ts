/** What is measured of requests is bounded by the routes, and no text of a client is in it. */
import { eventsOf } from '@seamstream/testing';
import { chatChunks } from '@seamstream/testing/model-server';
import { SpanCollector } from '@seamstream/testing/span-collector';
import { startGateway } from '../gateway.fake.js';
import type { ObservedRequests } from './observed-requests.js';

type ToldRequests = Awaited<ReturnType<ObservedRequests['figures']>>;

const HOSTILE = 'hostile-7f3a';

it('a flood of hostile paths, ids and methods makes no more series, and each request is counted', async () => {
  const gateway = await startGateway();
  const read = () => gateway.service.metrics.registry.getSingleMetricAsString('seam_http_request_seconds');
  const flood = async (from: number): Promise<void> => {
    for (let n = from; n < from + 50; n++) {
      await fetch(`${gateway.url}/${HOSTILE}/${n}?q=${HOSTILE}`);
      await fetch(`${gateway.url}/api/problems/${HOSTILE}-${n}`);
      await fetch(`${gateway.url}/v1/${n}`, { method: 'PROPFIND' }).catch(() => undefined);
    }
  };
  await flood(0);
  const before = await read();
  await flood(50);
  const after = await read();
  expect(after.split('\n').length).toBe(before.split('\n').length);
  expect(after).toContain('seam_http_request_seconds_count{route="/api/problems/:id",method="GET",status="4xx"} 100');
  expect(after).not.toContain(HOSTILE);
  await gateway.stop();
}, 60_000);

it('reports what /metrics has: requests by route, errors by their code', async () => {
  const gateway = await startGateway();
  await fetch(`${gateway.url}/api/problems/none`);
  await fetch(`${gateway.url}/api/views/log?limit=none`);
  await fetch(`${gateway.url}/api/me`);
  const told = (await (await fetch(`${gateway.url}/api/views/requests`)).json()) as ToldRequests;
  const text = await gateway.service.metrics.registry.metrics();
  expect(told.routes).toHaveLength(3);
  for (const { route, method, byStatus } of told.routes)
    for (const [status, requests] of Object.entries(byStatus))
      expect(text).toContain(
        `seam_http_request_seconds_count{route="${route}",method="${method}",status="${status}"} ${requests}\n`,
      );
  expect(told.errors.map(({ status, code }) => [status, code])).toEqual([
    ['400', 'invalid_value'],
    ['404', 'not_found'],
  ]);
  for (const { status, code, requests } of told.errors)
    expect(text).toContain(`seam_http_errors_total{status="${status}",code="${code}"} ${requests}\n`);
  await gateway.stop();
}, 60_000);

it('reports where the time of chat answers went, as /metrics and the log have it', async () => {
  const waitMs = 150;
  const data = chatChunks(['4']);
  const gateway = await startGateway({
    behave: () => ({ kind: 'events', data, everyMs: waitMs }),
    entryFor: () => null,
    gateway: { experienceWithinMs: waitMs },
  });
  const body = JSON.stringify({ model: 'seam', stream: true, messages: [{ role: 'user', content: 'How many?' }] });
  const headers = { 'content-type': 'application/json' };
  await (await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body })).text();
  const { parts } = (await (await fetch(`${gateway.url}/api/views/requests`)).json()) as ToldRequests;
  expect(parts.map(({ part, requests }) => [part, requests])).toEqual([
    ['entry', 1],
    ['executor', 1],
    ['own', 1],
  ]);
  const [entry, executor, own] = parts.map(({ sumSeconds }) => sumSeconds * 1000);
  for (const part of [entry!, executor!]) expect(part).toBeGreaterThanOrEqual(waitMs - 5);
  const [answer] = await eventsOf(gateway.log, 'AnswerRecorded');
  expect(answer).toMatchObject({ entryMs: expect.closeTo(entry!, 6), latencyMs: expect.closeTo(executor!, 6) });
  // The record of the answer is in the metric as well.
  expect(answer!.ownMs).toBeLessThanOrEqual(own!);
  const text = await gateway.service.metrics.registry.metrics();
  expect(text).toContain('seam_chat_part_seconds_count{part="own"} 1\n');
  await gateway.stop();
}, 60_000);

it.each([
  ['takes all of its clients where the fraction is 1', 1, '01', 1],
  ['takes none where it is 0, regardless of what a client samples', 0, '01', 0],
  ['heeds a client that does not sample', 1, '00', 0],
] as const)(
  'a gateway that traces %s',
  async (_, sampleRatio, flags, traced) => {
    const collector = await SpanCollector.start();
    const gateway = await startGateway({ tracing: { url: collector.url, sampleRatio } });
    const traceparent = `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-${flags}`;
    await fetch(`${gateway.url}/v1/models/${HOSTILE}?q=${HOSTILE}`, {
      headers: { traceparent, 'user-agent': HOSTILE },
    });
    await gateway.stop();
    expect(collector.spans()).toHaveLength(traced);
    expect(JSON.stringify(collector.spans())).not.toContain(HOSTILE);
    await collector.stop();
  },
  60_000,
);
