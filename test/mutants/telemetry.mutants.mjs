// Traces: nothing is begun for a record, nothing hostile is shown, nothing waits without bound (docs/adr/0106).
const tracing = (file, control, from, to = '') => ({
  control,
  file: `libs/service-kit/src/tracing/${file}.ts`,
  ...{ from, to, suite: 'quick', spec: 'libs/service-kit/src/tracing/tracing.spec.ts' },
});

const gateway = (control, from, to = '') => ({
  control,
  file: 'apps/gateway/src/http/observed-requests.ts',
  ...{ from, to, suite: 'quick', spec: 'apps/gateway/src/http/observed-requests.spec.ts' },
});

const loop = (control, from, to = '') => ({
  control,
  file: 'libs/operations/src/views/loop-metrics.ts',
  ...{ from, to, suite: 'quick', spec: 'libs/operations/src/views/loop-metrics.spec.ts' },
});

const metrics = (control, from, to = '') => ({
  control,
  file: 'libs/service-kit/src/service-metrics.ts',
  ...{ from, to, suite: 'quick', spec: 'libs/service-kit/src/service-metrics.spec.ts' },
});

const named = (file, control, from, to) => ({
  control,
  file,
  ...{ from, to, suite: 'quick', spec: 'test/quick/alerts.spec.ts' },
});

const chart = (file, control, from, to) => ({
  control,
  file: `infra/helm/seamstream/templates/${file}`,
  ...{ from, to, suite: 'slow', spec: 'test/acceptance/chart-telemetry.spec.ts' },
});

export default [
  loop('series of domains are bounded', '.slice(0, MOST_DOMAINS)'),
  loop('a name of a stranger is cut', 'line.length <= LONGEST_LABEL ? line :', 'line.length > 0 ? line :'),
  loop('a name of a stranger is on one line', 'const line = onOneLine(name);', 'const line = name;'),
  loop('both ends of a lift are shown', 'interval95: [, high] }', 'interval95: [high] }'),
  loop('evidence is a fraction of what is needed', 'evidence / needed[claim]', 'evidence'),
  loop('an unbalanced ledger is 0', 'Number(ledger(facts).balanced)', '1'),
  metrics('one question answers all gauges', 'asked ??= read()', 'asked = read()'),
  metrics('what cannot be read is not shown as it was', /this\.reset\(\);\n(?= {8}\/\/ A gauge without labels)/),
  named(
    'infra/monitoring/board.mjs',
    'the board names metrics that there are',
    'seam_orphaned_problems{',
    'seam_orphans{',
  ),
  named(
    'infra/monitoring/alerts.mjs',
    'alerts name labels that there are',
    'max by (group, topic) (seam_consumer_lag_seconds',
    'max by (consumer, topic) (seam_consumer_lag_seconds',
  ),
  named(
    'docs/how-to/alerts.md',
    'a runbook names options that there are',
    'seam doctor --snapshots',
    'seam doctor --cache',
  ),
  named('docs/how-to/alerts.md', 'each alert has a runbook', '### SeamCostBurn', '### SeamCost'),
  named(
    'apps/gateway/src/quotas/use-metrics.ts',
    'cost is in the currency',
    'cost.inc(money / MILLION)',
    'cost.inc(money)',
  ),
  {
    ...loop(
      'the fullest of all clients is shown',
      '>= (fullest.get(kind)?.fraction ?? 0)',
      '< (fullest.get(kind)?.fraction ?? 2)',
    ),
    ...{ file: 'libs/operations/src/quotas/usage-ledger.ts', spec: 'libs/operations/src/quotas/usage-ledger.spec.ts' },
  },
  {
    ...loop('records that are not believed are counted', 'told.add(place);'),
    ...{ file: 'libs/signatures/src/signed-event-log.ts', spec: 'libs/signatures/src/signed-event-log.spec.ts' },
  },
  chart('monitoring.yaml', 'alerts are about this installation alone', '"${1}{%s" $of', '"${1}{%s" ""'),
  chart(
    '_pod.tpl',
    'headers of the collector come out of a Secret',
    '{{- if .headersSecret.name }}',
    '{{- if false }}',
  ),
  chart('network-policies.yaml', 'there is a door to the collector', '{{- with $v.tracing.url }}', '{{- with "" }}'),
  gateway(
    'a path of a client is no label',
    /\{ routeOptions \}: FastifyRequest\): string \{\n {2}return routeOptions.url \?\? NONE/,
    '{ raw }: FastifyRequest): string {\n  return raw.url ?? NONE',
  ),
  gateway('a client that does not sample is not traced', 'return context.isSampled && isAmong', 'return isAmong'),
  gateway(
    'a client has no more than the fraction traced',
    'context.isSampled && isAmong(context.traceId, ratio)',
    'context.isSampled',
  ),
  tracing('open-tracing', 'without a collector nothing is loaded', 'if (url === undefined) return undefined;'),
  tracing('span-queue', 'the queue of spans is bounded', 'this.waiting >= this.options.maxSpans', 'false'),
  tracing('span-queue', 'spans that were not taken are counted', "this.options.onDropped(spans, 'refused')", 'return'),
  tracing('id-attribute', 'an id that is no UUID is not shown', 'UUID.test(id) ? id :', 'true ? id :'),
  tracing('trace-context', 'all zeros are no trace', '(?!0{32})'),
  tracing(
    'tracing.config',
    'headers are secret',
    'headers: secret(z.record(headerName, headerValue))',
    'headers: z.record(headerName, headerValue)',
  ),
];
