/** Spans are sent where a collector is configured, never at the cost of the work. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { until } from '@seamstream/testing';
import { SpanCollector } from '@seamstream/testing/span-collector';
import fc from 'fast-check';
import { commonConfigSchema } from '../config/common-config.js';
import { loadConfig, printableConfig } from '../config/load-config.js';
import { ServiceMetrics } from '../service-metrics.js';
import { traceFacts } from './current-trace.js';
import { idAttribute } from './id-attribute.js';
import { openTracing } from './open-tracing.js';
import { isAmong, traceContextOf, traceparentOf } from './trace-context.js';

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const START_MS = 1_700_000_000_000;
const settingsOf = (env: Record<string, string>) => loadConfig(commonConfigSchema, env).tracing;

async function tracingTo(url: string, env: Record<string, string> = {}) {
  const metrics = new ServiceMetrics();
  const tracing = (await openTracing('test', settingsOf({ SEAM_TRACING_URL: url, ...env }), metrics))!;
  const begin = (madeFrom?: string) =>
    tracing.begin({
      ...{
        name: 'n',
        kind: 'consumer',
        parent: PARENT,
        links: [PARENT],
        startMs: START_MS,
        attributes: { 'seam.n': 1 },
      },
      ...(madeFrom === undefined ? {} : { madeFrom }),
    });
  const counted = (name: string) => metrics.registry.getSingleMetricAsString(name);
  return { tracing, begin, counted };
}

describe('tracing', () => {
  it('loads neither SDK nor exporter where it is off, and does where it is on', () => {
    const hook = new URL('../../../../test/support/loaded-packages.mjs', import.meta.url).href;
    const kit = fileURLToPath(new URL('../../dist/index.js', import.meta.url));
    const loadedWith = (url: string): string => {
      const program = `const k = await import(${JSON.stringify(kit)}); const { openTracing } = await import(${JSON.stringify(kit.replace('index.js', 'tracing/open-tracing.js'))}); const t = await openTracing('t', { url: ${url}, sampleRatio: 1, maxQueueSpans: 8, timeoutMs: 100 }, new k.ServiceMetrics()); await t?.close();`;
      const { stderr, status } = spawnSync(
        process.execPath,
        ['--import', hook, '--input-type=module', '--eval', program],
        { encoding: 'utf8' },
      );
      expect([status, stderr]).toEqual([0, expect.stringContaining('loaded: ')]);
      return stderr;
    };
    // prom-client loads the interfaces (@opentelemetry/api) in any case.
    expect(loadedWith('undefined')).not.toMatch(/@opentelemetry\/(?!api )/);
    expect(loadedWith('"http://127.0.0.1:9"')).toContain('@opentelemetry/sdk-trace');
  }, 60_000);

  it('sends a span with its parent, its links and its error, and equal work is the same span', async () => {
    const collector = await SpanCollector.start();
    const { tracing, begin } = await tracingTo(`${collector.url}/`);
    const [first, again, other] = [begin('group/event'), begin('group/event'), begin('group/another')];
    expect(again.traceparent).toBe(first.traceparent);
    expect(other.traceparent).not.toBe(first.traceparent);
    first.end({ endMs: START_MS + 1500, error: 'LOG_FULL' });
    await tracing.close();
    const [span] = collector.spans();
    expect(span).toMatchObject({
      ...{ service: 'seam-test', name: 'n', kind: 5, parentSpanId: 'b7ad6b7169203331', status: { code: 2 } },
      ...{ startTimeUnixNano: '1700000000000000000', endTimeUnixNano: '1700000001500000000' },
      attributes: { 'seam.n': 1, 'error.type': 'LOG_FULL' },
      links: [{ traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }],
    });
    await collector.stop();
  });

  it.each([
    ['hangs', () => SpanCollector.start(() => ({ kind: 'hang' }))],
    ['refuses', () => SpanCollector.start(() => ({ kind: 'answer', status: 400, body: {} }))],
  ])(
    'counts every span that a collector that %s did not take, holds a bounded number, and ends in time',
    async (_, start) => {
      const collector = await start();
      const { tracing, begin, counted } = await tracingTo(collector.url, {
        SEAM_TRACING_MAX_QUEUE_SPANS: '8',
        SEAM_TRACING_TIMEOUT_MS: '200',
      });
      const startedMs = performance.now();
      for (let n = 0; n < 10_000; n++) begin().end({ endMs: START_MS });
      expect(performance.now() - startedMs).toBeLessThan(5_000);
      expect(await counted('seam_spans_dropped_total')).toContain('{reason="queue_full"} 9992');
      await tracing.close();
      await until(async () => (await counted('seam_spans_dropped_total')).includes('{reason="refused"} 8'));
      expect(await counted('seam_spans_sent_total')).toContain('seam_spans_sent_total 0');
      await collector.stop();
    },
  );
});

describe('settings of tracing', () => {
  it('refuse what would send headers in the open, and never print them', () => {
    const headers = { SEAM_TRACING_HEADERS: '{"x-key":"hidden"}' };
    expect(() => settingsOf({ ...headers, SEAM_TRACING_URL: 'http://collector:4318' })).toThrow('expected https');
    expect(() => settingsOf({ SEAM_TRACING_HEADERS: '{"x-key":"hidden\\n"}' })).toThrow(/^(?!.*hidden)/s);
    expect(() => settingsOf({ SEAM_TRACING_SAMPLE_RATIO: '2' })).toThrow('SEAM_TRACING_SAMPLE_RATIO');
    const config = loadConfig(commonConfigSchema, { ...headers, SEAM_TRACING_URL: 'https://collector:4318' });
    expect(printableConfig(commonConfigSchema, config)).not.toContain('hidden');
  });
});

describe('a trace context', () => {
  const hex = (length: number) =>
    fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`)).filter((text) => !/^0+$/.test(text));

  it('is read as it was written', () => {
    fc.assert(
      fc.property(hex(32), hex(16), fc.boolean(), (traceId, spanId, isSampled) => {
        const context = { traceId, spanId, isSampled };
        expect(traceContextOf(traceparentOf(context))).toEqual(context);
      }),
    );
  });

  it('is nothing else, regardless of what a stranger writes', () => {
    const none = ['', '00', `${PARENT}-more`, PARENT.replace('00-', 'ff-'), PARENT.toUpperCase(), `${PARENT}\n`];
    const zeros = [
      `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
      `00-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-01`,
    ];
    for (const text of [...none, ...zeros]) expect(traceContextOf(text)).toBeUndefined();
    expect(traceContextOf(PARENT.replace('00-', '01-').concat('-more'))?.isSampled).toBe(true);
    expect(traceFacts('Ω')).toEqual({});
  });

  it('is among a fraction of all', () => {
    const ids = Array.from({ length: 4000 }, (_, n) => idAttribute(`${n}`).slice(7).padStart(32, '0'));
    const share = ids.filter((id) => isAmong(id, 0.25)).length / ids.length;
    expect(share).toBeGreaterThan(0.2);
    expect(share).toBeLessThan(0.3);
    expect(ids.some((id) => isAmong(id, 0))).toBe(false);
    expect(ids.every((id) => isAmong(id, 1))).toBe(true);
  });
});

it('an id shows itself only where it is a UUID', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 5 }), (text) => {
      expect(idAttribute(text)).toMatch(/^sha256:[0-9a-f]{16}$/);
    }),
  );
  expect(idAttribute('0af76519-16cd-43dd-8448-eb211c80319c')).toBe('0af76519-16cd-43dd-8448-eb211c80319c');
});
