/** The environment that the chart gives a service, with a stand-in for what comes out of a Secret. infra/helm/seamstream/templates/_pod.tpl */
import { readFile } from 'node:fs/promises';
import type { ChartValues, ServiceName } from './chart-values.js';
import { parseAsHelm } from './helm-yaml.js';

const FACTS = new URL('../../../../infra/helm/seamstream/files/facts.json', import.meta.url);
const CHART = new URL('../../../../infra/helm/seamstream/Chart.yaml', import.meta.url);
const STAND_IN = 'a-secret-of-some-length';
/** A batch may end until so many seconds before the kill. */
export const HAND_BACK_SECONDS = 10;
/** Seconds from the end of a gateway's pod to its SIGTERM, in which clients are led to others. */
export const PRE_STOP_SECONDS = 5;

/** What the chart knows of a service. */
interface ServiceFact {
  readonly program: string;
  readonly principal: string;
  readonly keyVariable?: string;
  readonly judgeKeyVariable?: string;
  readonly roles?: readonly string[];
}
export type ServiceFacts = Readonly<Record<ServiceName, ServiceFact>>;

interface ChartFacts {
  readonly services: ServiceFacts;
  /** Users of Kafka that the chart makes where Strimzi runs it. */
  readonly users: Readonly<Record<string, unknown>>;
  /** Who the hooks are to Kafka. */
  readonly operator: string;
  /** The tag of the image where values name none. */
  readonly appVersion: string;
}

export async function readChartFacts(): Promise<ChartFacts> {
  const { appVersion } = parseAsHelm(await readFile(CHART, 'utf8')) as Pick<ChartFacts, 'appVersion'>;
  return { ...(JSON.parse(await readFile(FACTS, 'utf8')) as Omit<ChartFacts, 'appVersion'>), appVersion };
}

type Environment = Readonly<Record<string, string>>;

/** The variables of a service's container. Secret ones have a stand-in of the right form. */
export function serviceEnvironment(values: ChartValues, name: ServiceName, fact: ServiceFact): Environment {
  const service = values.services[name];
  return {
    ...connections(values, name, fact),
    ...doors(values),
    ...texts({
      SEAM_CONSUMING_SHUTDOWN_GRACE_MS: (service.terminationGraceSeconds - HAND_BACK_SECONDS) * 1000,
      ...(name === 'gateway' && {
        SEAM_GATEWAY_HOST: '0.0.0.0',
        SEAM_GATEWAY_PORT: 7080,
        SEAM_GATEWAY_ALLOW_PLAINTEXT: true,
        SEAM_GATEWAY_SHUTDOWN_GRACE_MS: (service.terminationGraceSeconds - HAND_BACK_SECONDS - PRE_STOP_SECONDS) * 1000,
      }),
    }),
    ...training(values, name, fact),
    ...(service.signingKeySecret.name !== '' && {
      SEAM_SIGNATURES_KEY_FILE: `/etc/seam/signing/${service.signingKeySecret.key}`,
    }),
    ...((service.endpointKeySecret?.name ?? '') !== '' && {
      [fact.keyVariable!]: 'MODEL_SERVER_KEY',
      MODEL_SERVER_KEY: STAND_IN,
    }),
    ...((service.judgeKeySecret?.name ?? '') !== '' && {
      [fact.judgeKeyVariable!]: 'JUDGE_KEY',
      JUDGE_KEY: STAND_IN,
    }),
    ...(service.modelServer?.enabled === true && {
      SEAM_GENERATOR_DRIVER: 'vllm',
      SEAM_GENERATOR_VLLM_URL: 'http://127.0.0.1:8000/v1',
      SEAM_GENERATOR_VLLM_MODEL: 'base',
      SEAM_GENERATOR_VLLM_ADAPTERS_FOLDER: '/adapters',
    }),
    ...texts(service.settings),
    ...Object.fromEntries(service.secretSettings.map(({ setting }) => [setting, STAND_IN])),
  };
}

const texts = (settings: Readonly<Record<string, unknown>>): Environment =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]));

/** Where the log and the objects are, and who asks. */
function connections(values: ChartValues, name: ServiceName, { principal }: ServiceFact): Environment {
  const { kafka, objectStore, trustedKeysConfigMap, settings } = values;
  return texts({
    SEAM_DATA_FOLDER: '/tmp/data',
    XDG_CACHE_HOME: '/tmp/cache',
    SEAM_EVENT_LOG_DRIVER: 'kafka',
    SEAM_EVENT_LOG_KAFKA_BROKERS: kafka.brokers.join(','),
    SEAM_EVENT_LOG_KAFKA_CLIENT_ID: principal,
    ...(kafka.prefix !== '' && { SEAM_EVENT_LOG_KAFKA_PREFIX: kafka.prefix }),
    SEAM_EVENT_LOG_KAFKA_TLS_ENABLED: kafka.tls.enabled,
    ...(kafka.tls.enabled &&
      kafka.tls.authoritySecret.name !== '' && {
        SEAM_EVENT_LOG_KAFKA_TLS_AUTHORITY_FILE: `/etc/seam/kafka/${kafka.tls.authoritySecret.key}`,
      }),
    ...(values.services[name].sasl.passwordSecret.name !== '' && {
      SEAM_EVENT_LOG_KAFKA_SASL_MECHANISM: kafka.sasl.mechanism,
      SEAM_EVENT_LOG_KAFKA_SASL_USERNAME: principal,
      SEAM_EVENT_LOG_KAFKA_SASL_PASSWORD: STAND_IN,
    }),
    SEAM_OBJECT_STORE_DRIVER: 's3',
    SEAM_OBJECT_STORE_S3_BUCKET: objectStore.bucket,
    SEAM_OBJECT_STORE_S3_REGION: objectStore.region,
    ...(objectStore.prefix !== '' && { SEAM_OBJECT_STORE_S3_PREFIX: objectStore.prefix }),
    ...(objectStore.endpoint !== '' && { SEAM_OBJECT_STORE_S3_ENDPOINT: objectStore.endpoint }),
    SEAM_OBJECT_STORE_S3_PATH_STYLE: objectStore.pathStyle,
    ...(objectStore.credentialsSecret !== '' && { AWS_ACCESS_KEY_ID: STAND_IN, AWS_SECRET_ACCESS_KEY: STAND_IN }),
    ...(trustedKeysConfigMap !== '' && {
      SEAM_SIGNATURES_TRUSTED_KEYS_FILE: '/etc/seam/trusted/trusted-keys.json',
    }),
    ...settings,
  });
}

/** Health and metrics, and where traces go. */
function doors({ http, tracing }: ChartValues): Environment {
  return texts({
    SEAM_HTTP_HOST: '0.0.0.0',
    SEAM_HTTP_PORT: 8080,
    SEAM_HTTP_ALLOW_UNAUTHENTICATED: true,
    ...(http.tlsSecret === ''
      ? { SEAM_HTTP_ALLOW_PLAINTEXT: true }
      : {
          SEAM_HTTP_TLS_CERTIFICATE_FILE: '/etc/seam/http/tls.crt',
          SEAM_HTTP_TLS_KEY_FILE: '/etc/seam/http/tls.key',
        }),
    ...(tracing.url !== '' && {
      SEAM_TRACING_URL: tracing.url,
      SEAM_TRACING_SAMPLE_RATIO: tracing.sampleRatio,
      // Headers are a JSON object.
      ...(tracing.headersSecret.name !== '' && { SEAM_TRACING_HEADERS: '{"x-api-key":"a-secret"}' }),
    }),
  });
}

function training(values: ChartValues, name: ServiceName, { roles }: ServiceFact): Environment {
  const { trainingJobs, autoscaling, decidesReleases } = values.services[name];
  const own = decidesReleases === false ? roles?.filter((role) => role !== 'releaser') : roles;
  return texts({
    ...(own !== undefined && { SEAM_TRAINER_ROLES: JSON.stringify(own) }),
    ...(autoscaling?.enabled === true && autoscaling.jobs === true && { SEAM_TRAINER_TAKES: 'one-run' }),
    ...(trainingJobs?.enabled === true && {
      SEAM_TRAINER_ENGINE: 'torch',
      SEAM_TRAINER_TORCH_LAUNCHER: 'kubernetes',
      SEAM_TRAINER_TORCH_PROCESSES: trainingJobs.processes,
      SEAM_TRAINER_TORCH_JOBS_FOLDER: '/jobs',
      SEAM_TRAINER_TORCH_KUBERNETES_MANIFEST: '/etc/seam/training/job.json',
    }),
  });
}
