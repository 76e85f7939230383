/** The chart's alerts, board and traces: off unless values say otherwise, those of infra/monitoring, of this installation alone. */
import { readFileSync } from 'node:fs';
import { ALERTS } from '../../infra/monitoring/alerts.mjs';
import { isService, podsOf } from './chart/policy.js';
import { environmentOf, openChart, readByServices } from './chart/rendering.js';
import type { Values } from './chart/values.js';

const opened = await openChart();
const chart = opened!;
afterAll(() => opened?.close());

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly runbook_url: string };
}

(opened === undefined ? describe.skip : describe)('The telemetry of the chart', () => {
  const board = JSON.parse(
    readFileSync(new URL('../../infra/monitoring/board.json', import.meta.url), 'utf8'),
  ) as object;

  it('is not there by default', async () => {
    const { text } = await chart.render([]);
    expect(text).not.toMatch(/PrometheusRule|PodMonitor|seamstream\.json|SEAM_TRACING/);
  });

  it('has every alert, about the pods of this installation alone, with the address of its runbook', async () => {
    const { documents, faults } = await chart.checked([], {
      monitoring: { rules: true, runbooksUrl: 'https://git.example.org/seamstream' },
    });
    expect(faults).toEqual([]);
    const { spec } = documents.find(({ kind }) => kind === 'PrometheusRule')!;
    const [{ rules }] = spec!.groups as [{ rules: Rule[] }];
    expect(rules.map(({ alert }) => alert)).toEqual(ALERTS.map(({ name }) => name));
    const own = 'namespace="seam", pod=~"demo-.*", ';
    expect(rules.map(({ expr }) => expr.replaceAll(own, ''))).toEqual(ALERTS.map(({ expr }) => expr));
    for (const { expr, alert, annotations } of rules) {
      expect(expr.split(own)).toHaveLength(expr.split('seam_').length);
      expect(annotations.runbook_url).toBe(
        `https://git.example.org/seamstream/docs/how-to/alerts.md#${alert.toLowerCase()}`,
      );
    }
  });

  it('has the board where a sidecar looks for it', async () => {
    const { documents, faults } = await chart.checked([], { monitoring: { board: true } });
    expect(faults).toEqual([]);
    const { data } = documents.find(({ metadata: { labels } }) => labels?.grafana_dashboard === '1')!;
    expect(JSON.parse((data as Record<string, string>)['seamstream.json']!)).toEqual(board);
  });

  it('sends traces with headers out of a Secret, through a door to the collector alone', async () => {
    const { documents } = await chart.checked(['production', 'external-secrets'], {
      tracing: { url: 'https://collector:4318', headersSecret: { name: 'seam-tracing' }, sampleRatio: 0.25 },
      externalSecrets: { names: ['seam-tracing'] },
    });
    readByServices(documents);
    const services = podsOf(documents).filter(({ owner }) => isService(owner));
    for (const { spec } of services) {
      expect(environmentOf(spec.containers[0]!)).toMatchObject({
        SEAM_TRACING_URL: 'https://collector:4318',
        SEAM_TRACING_SAMPLE_RATIO: '0.25',
      });
      expect(spec.containers[0]!.env).toContainEqual({
        name: 'SEAM_TRACING_HEADERS',
        valueFrom: { secretKeyRef: { name: 'seam-tracing', key: 'headers' } },
      });
    }
    expect(services.length).toBeGreaterThan(4);
    const secret = documents.find(({ kind }) => kind === 'ExternalSecret')!;
    expect(JSON.stringify(secret.spec)).toContain('"secretKey":"headers"');
    expect(doors(documents)).toContain(4318);
    expect(doors((await chart.checked(['production'])).documents)).not.toContain(4318);
  });

  it('gives executor and worker the model that judges, with its key from a Secret', async () => {
    const judgeKeySecret = { name: 'seam-judge' };
    const judge = (prefix: string) => ({ [`${prefix}_URL`]: 'https://judge:8443/v1', [`${prefix}_MODEL`]: 'judge' });
    const { documents } = await chart.checked(['production', 'external-secrets'], {
      services: {
        executor: { settings: judge('SEAM_EXECUTOR_JUDGE'), judgeKeySecret },
        worker: { settings: judge('SEAM_TRAINER_EXECUTOR_JUDGE'), judgeKeySecret },
      },
      networkPolicy: { extraPorts: [8443] },
      externalSecrets: { names: ['seam-judge'] },
    });
    readByServices(documents);
    const judging = podsOf(documents).flatMap(({ spec }) => {
      const [container] = spec.containers;
      const named = Object.entries(environmentOf(container!)).filter(([, value]) => value === 'JUDGE_KEY');
      const from = container!.env.find(({ name }) => name === 'JUDGE_KEY');
      return named.map(([name]) => [name, from]);
    });
    const from = { name: 'JUDGE_KEY', valueFrom: { secretKeyRef: { name: 'seam-judge', key: 'key' } } };
    expect(judging.sort()).toEqual([
      ['SEAM_EXECUTOR_JUDGE_KEY_VARIABLE', from],
      ['SEAM_TRAINER_EXECUTOR_JUDGE_KEY_VARIABLE', from],
    ]);
    expect(doors(documents)).toContain(8443);
    const secret = documents.find(({ kind, metadata }) => kind === 'ExternalSecret' && metadata.name === 'seam-judge')!;
    expect(JSON.stringify(secret.spec)).toContain('"secretKey":"key"');
  });

  it.each([
    ['headers in plain text', { settings: { SEAM_TRACING_HEADERS: '{}' } }],
    ['a collector that the settings name', { settings: { SEAM_TRACING_URL: 'https://collector' } }],
    ['an address with a password', { tracing: { url: 'https://me:word@collector' } }],
    ['a fraction above 1', { tracing: { sampleRatio: 2 } }],
  ])('is refused with %s', async (_what, values: Values) => {
    expect(await chart.render([], values)).toMatchObject({
      text: '',
      said: expect.stringContaining("values don't meet the specifications"),
    });
  });
});

function doors(documents: readonly { readonly kind: string; readonly spec?: Readonly<Record<string, unknown>> }[]) {
  const policies = documents.filter(({ kind }) => kind === 'NetworkPolicy');
  return policies.flatMap(({ spec }) =>
    ((spec?.egress ?? []) as { ports?: { port: number }[] }[]).flatMap(({ ports = [] }) =>
      ports.map(({ port }) => port),
    ),
  );
}
