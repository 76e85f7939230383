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

export default [
  gateway(
    'a path of a client is no label',
    /\{ routeOptions \}: FastifyRequest\): string \{\n {2}return routeOptions.url \?\? NO_ROUTE/,
    '{ raw }: FastifyRequest): string {\n  return raw.url ?? NO_ROUTE',
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
