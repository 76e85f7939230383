/** Random values of the chart, each valid, and what has to come of them. */
import { bufferServiceConfigSchema } from '@seamstream/buffer/config';
import { executorConfigSchema } from '@seamstream/executor/config';
import { gatewayConfigSchema } from '@seamstream/gateway/config';
import { generatorConfigSchema } from '@seamstream/generator/config';
import { commonConfigSchema } from '@seamstream/service-kit';
import { trainerConfigSchema } from '@seamstream/trainer/config';
import fc from 'fast-check';

/** Settings by program. */
export const SCHEMAS = {
  common: commonConfigSchema,
  generator: generatorConfigSchema,
  executor: executorConfigSchema,
  buffer: bufferServiceConfigSchema,
  trainer: trainerConfigSchema,
  gateway: gatewayConfigSchema,
};

export type Values = Readonly<Record<string, unknown>>;

const name = fc.constantFrom('a', 'seam-secret', 'my.secret-1', 'x'.repeat(40));
const maybeName = fc.oneof(fc.constant(''), name);
const secretKey = fc.record({ name: maybeName, key: fc.constantFrom('password', 'ca.crt', 'key.pem') });
const DIGEST = `sha256:${'0a'.repeat(32)}`;

type Threshold = 'lagThreshold' | 'runsPerPod';

function service(
  settings: Values,
  threshold: Threshold | undefined,
  asksModel: boolean,
  asksJudge = false,
): fc.Arbitrary<Values> {
  return fc.record(
    {
      enabled: fc.boolean(),
      replicas: fc.integer({ min: 0, max: 9 }),
      settings: fc.constantFrom({}, settings),
      sasl: fc.record({ passwordSecret: secretKey }),
      signingKeySecret: secretKey,
      minAvailable: fc.integer({ min: 0, max: 3 }),
      terminationGraceSeconds: fc.integer({ min: 15, max: 900 }),
      nodeSelector: fc.constantFrom({}, { disk: 'ssd' }),
      tolerations: fc.constantFrom([], [{ key: 'gpu', operator: 'Exists', effect: 'NoSchedule' }]),
      ...(asksModel && { endpointKeySecret: secretKey }),
      ...(asksJudge && { judgeKeySecret: secretKey }),
      ...(threshold !== undefined && {
        autoscaling: fc.record({
          enabled: fc.boolean(),
          min: fc.integer({ min: 0, max: 2 }),
          max: fc.integer({ min: 2, max: 64 }),
          [threshold]: fc.integer({ min: 1, max: 10_000 }),
          ...(threshold === 'runsPerPod' && { jobs: fc.boolean() }),
          ...(threshold === 'lagThreshold' && { lagAgeSeconds: fc.constantFrom(0, 60) }),
        }),
      }),
    },
    { requiredKeys: [] },
  );
}

function gateway(): fc.Arbitrary<Values> {
  return fc
    .record({
      common: service({ SEAM_GATEWAY_MAX_CONCURRENT: 8 }, undefined, true),
      ingress: fc.record({ enabled: fc.boolean(), host: fc.constant('seam.example.org'), tlsSecret: maybeName }),
      httpRoute: fc.record({ enabled: fc.boolean(), parentRefs: fc.constant([{ name: 'entrance' }]) }),
      clients: fc.constantFrom([], [{ ipBlock: { cidr: '10.0.0.0/8' } }]),
    })
    .map(({ common, ...more }) => ({ ...common, ...more }));
}

const TRAINER = { SEAM_TRAINER_VALIDATION_PROBLEMS: '/files/validation.jsonl', SEAM_TRAINER_PROMOTION_RISK: 0.01 };

function telemetry() {
  return {
    monitoring: fc.record({
      serviceMonitor: fc.boolean(),
      rules: fc.boolean(),
      board: fc.boolean(),
      runbooksUrl: fc.constantFrom('', 'https://git.example.org/seamstream'),
      prometheusUrl: fc.constantFrom('http://prometheus:9090', 'https://metrics.example.org/prometheus'),
    }),
    tracing: fc.record({
      url: fc.constantFrom('', 'https://collector.example.org:4318', 'https://collector.example.org/otlp'),
      headersSecret: secretKey,
      sampleRatio: fc.constantFrom(0, 0.25, 1),
    }),
  };
}

/** Everything that a user may choose about the shape of an installation. */
export function arbitraryValues(): fc.Arbitrary<Values> {
  return fc.record(
    {
      image: fc.record({
        repository: fc.constantFrom('seamstream', 'registry.example.org:5000/team/seamstream'),
        tag: fc.constantFrom('', 'v1'),
        digest: fc.constantFrom('', DIGEST),
        pullSecrets: fc.array(name, { maxLength: 2 }),
      }),
      kafka: fc.record({
        brokers: fc.uniqueArray(fc.constantFrom('a:9092', 'b.kafka:9093', '10.0.0.1:19092'), { minLength: 1 }),
        prefix: fc.constantFrom('', 'x.', 'team-1_'),
        // Passwords by plain need TLS: the services refuse anything else.
        tls: fc.record({ enabled: fc.constant(true), authoritySecret: secretKey }),
        sasl: fc.record({ mechanism: fc.constantFrom('plain', 'scram-sha-256', 'scram-sha-512') }),
        operatorPasswordSecret: fc.constant({ name: 'seam-operator', key: 'password' }),
      }),
      objectStore: fc.record({
        bucket: fc.constantFrom('seamstream', 'my-bucket'),
        prefix: fc.constantFrom('', 'a/b'),
        endpoint: fc.constantFrom('', 'https://s3.example.org', 'https://s3:7070'),
        pathStyle: fc.boolean(),
        credentialsSecret: maybeName,
      }),
      settings: fc.constantFrom({}, { SEAM_LOGGING_LEVEL: 'debug', SEAM_CONSUMING_MAX_ATTEMPTS: 3 }),
      trustedKeysConfigMap: maybeName,
      files: fc.record({ configMap: maybeName }),
      models: fc.record({
        claim: maybeName,
        fetch: fc.constantFrom([], ['0a'.repeat(32)], ['0a'.repeat(32), '0b'.repeat(32)]),
      }),
      adapters: fc.record({ claim: maybeName }),
      http: fc.record({ tlsSecret: maybeName, serverName: fc.constant('seam.example.org') }),
      services: fc.record({
        generator: service({ SEAM_GENERATOR_SCOUTS: 2 }, 'lagThreshold', true),
        executor: service({ SEAM_EXECUTOR_MAX_TOKENS: 40 }, 'lagThreshold', true, true),
        buffer: service({ SEAM_BUFFER_SHARDS: 4, SEAM_BUFFER_FORMATS: '["parquet"]' }, 'lagThreshold', false),
        planner: service(TRAINER, undefined, true),
        worker: service(TRAINER, 'runsPerPod', true, true),
        gateway: gateway(),
      }),
      hooks: fc.record({
        topics: fc.boolean(),
        bucket: fc.boolean(),
        schemas: fc.boolean(),
        ledger: fc.boolean(),
      }),
      networkPolicy: fc.record({
        monitoringNamespace: fc.constantFrom('', 'monitoring'),
        egressPeers: fc.constantFrom([], [{ ipBlock: { cidr: '10.0.0.0/8' } }]),
        extraPorts: fc.uniqueArray(fc.constantFrom(8000, 8443), { maxLength: 2 }),
      }),
      topologySpread: fc.boolean(),
      ...telemetry(),
      externalSecrets: fc.record({
        names: fc.constantFrom([], ['seam-operator']),
        store: fc.record({ kind: fc.constantFrom('SecretStore', 'ClusterSecretStore'), name: fc.constant('store') }),
        entryPrefix: fc.constantFrom('', 'kv/seam/'),
        refreshInterval: fc.constantFrom('30s', '1h30m'),
      }),
      strimzi: fc.record({ enabled: fc.boolean(), replicas: fc.integer({ min: 1, max: 5 }) }),
    },
    { requiredKeys: ['image', 'kafka', 'objectStore', 'monitoring', 'tracing'] },
  );
}

interface ChosenValues {
  readonly image: { readonly repository: string; readonly tag: string; readonly digest: string };
  readonly kafka: { readonly brokers: readonly string[] };
  readonly objectStore: { readonly endpoint: string };
  readonly tracing: { readonly url: string };
  readonly networkPolicy?: { readonly extraPorts: readonly number[] };
}

/** The digest where there is one, else the tag. */
export function imageOf(values: Values): string {
  const { repository, tag, digest } = (values as unknown as ChosenValues).image;
  if (digest !== '') return `${repository}@${digest}`;
  return `${repository}:${tag === '' ? '0.1.0' : tag}`;
}

/** Ports of the addresses that the values name. */
export function portsOutOf(values: Values): ReadonlySet<number> {
  const { kafka, objectStore, tracing, networkPolicy } = values as unknown as ChosenValues;
  const portOf = (address: string): number => Number(new URL(address).port || 443);
  return new Set([
    ...kafka.brokers.map((broker) => Number(broker.split(':')[1])),
    portOf(objectStore.endpoint === '' ? 'https://aws' : objectStore.endpoint),
    ...(tracing.url === '' ? [] : [portOf(tracing.url)]),
    ...(networkPolicy?.extraPorts ?? []),
  ]);
}
