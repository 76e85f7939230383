/** Values of the profile production, and ways to break them. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { checkDeployment, type DeploymentCheck } from './check-deployment.js';
import type { SettingsReader } from './refused-settings.js';

const profile = (name: string): string =>
  fileURLToPath(new URL(`../../../../infra/helm/seamstream/profiles/${name}.yaml`, import.meta.url));
/** What a user gives on top of the profile production. */
const OWN = {
  image: { digest: `sha256:${'0a'.repeat(32)}` },
  objectStore: { credentialsSecret: 'seam-s3' },
};
export type Values = Readonly<Record<string, unknown>>;

/** Stands for the readers of the services (apps/cli/src/deploy has them): it refuses a level of logging alone. */
export const readSettings: SettingsReader = async (_program, { SEAM_LOGGING_LEVEL: level }) =>
  level === undefined || level === 'info' ? [] : [`SEAM_LOGGING_LEVEL: expected info, got "${level}"`];

/** Checks the profile production with a user's values and these on top. */
export async function checkBroken(breakages: readonly Values[], production = true): Promise<DeploymentCheck> {
  const files = new Map([OWN, ...breakages].map((values, index) => [`${index}.yaml`, stringify(values)]));
  const readInput = async (path: string) => Buffer.from(files.get(path) ?? (await readFile(path)));
  return checkDeployment({ readInput, readSettings }, [profile('production'), ...files.keys()], {
    production,
    objects: undefined,
  });
}
/** Codes of what was found, each once. */
export const codes = ({ findings }: DeploymentCheck): readonly string[] =>
  [...new Set(findings.map(({ code }) => code))].sort();
/** Values of one service. */
export const service = (name: string, values: Values): Values => ({ services: { [name]: values } });

/** Ways to break the values, each with its finding. No two touch one value. */
export const BREAKAGES: readonly (readonly [code: string, breakage: Values])[] = [
  ['image-without-digest', { image: { digest: '' } }],
  ['kafka-in-the-clear', { kafka: { tls: { enabled: false } } }],
  ['some-without-password', service('buffer', { sasl: { passwordSecret: { name: '' } } })],
  ['some-without-password', { kafka: { operatorPasswordSecret: { name: '' } } }],
  ['service-without-key', service('planner', { signingKeySecret: { name: '' } })],
  ['more-pods-than-partitions', service('generator', { autoscaling: { max: 9 } })],
  ['fewest-above-most', service('executor', { autoscaling: { min: 3, max: 2 } })],
  ['more-pods-than-shards', service('buffer', { autoscaling: { enabled: true, min: 2, max: 3 } })],
  ['no-figures-to-scale-by', { monitoring: { prometheusUrl: '' } }],
  ['no-pods', service('planner', { replicas: 0, minAvailable: 0 })],
  ['disruptions-forbidden', service('buffer', { replicas: 2, minAvailable: 2 })],
  [
    'grace-shorter-than-a-batch',
    {
      services: {
        executor: { settings: { SEAM_EXECUTOR_DRIVER: 'endpoint', SEAM_EXECUTOR_ENDPOINT_REVISION: 'r' } },
        worker: { settings: { SEAM_TRAINER_EXECUTOR_DRIVER: 'endpoint' } },
      },
    },
  ],
  ['folder-without-volume', service('executor', { settings: { SEAM_EXECUTOR_TEMPLATES_FOLDER: '/models/own' } })],
  ['executors-differ', service('executor', { settings: { SEAM_EXECUTOR_TEMPLATE: 'qwen' } })],
  ['folder-without-volume', { files: { configMap: '' } }],
  ['no-credentials', { objectStore: { credentialsSecret: '' } }],
  ['plaintext-refused', { objectStore: { endpoint: 'http://s3:7070', pathStyle: true } }],
  ['door-shut', { settings: { SEAM_SCHEMA_REGISTRY_URL: 'https://registry:8081' } }],
  ['setting-refused', { settings: { SEAM_LOGGING_LEVEL: 'loud' } }],
  ['jobs-without-scaling', service('worker', { autoscaling: { enabled: false, jobs: true } })],
  ['torch-not-in-image', service('worker', { settings: { SEAM_TRAINER_ENGINE: 'torch' } })],
  ['secret-without-keys', { externalSecrets: { names: ['seam-s4'] } }],
  ['few-copies', { strimzi: { replicas: 1 } }],
  ['mechanism-of-no-user', { kafka: { sasl: { mechanism: 'scram-sha-256' } } }],
  ['password-of-another', service('generator', { sasl: { passwordSecret: { name: 'mine' } } })],
  ['no-name-to-verify', { http: { serverName: '' } }],
];

/** A gateway without a fault, with these values on top. */
export const gateway = ({ settings = {}, ...values }: Values & { readonly settings?: Values }): Values =>
  service('gateway', {
    enabled: true,
    sasl: { passwordSecret: { name: 'seam-gateway' } },
    terminationGraceSeconds: 615,
    clients: [{ podSelector: {} }],
    settings: {
      SEAM_GATEWAY_ACCESS: 'keys',
      SEAM_GATEWAY_UPSTREAM_URL: 'https://vllm/v1',
      SEAM_GATEWAY_UPSTREAM_MODEL: 'executor',
      ...settings,
    },
    ...values,
  });
/** A model in a volume for all that generate and train, with these values of the two on top. */
export const sameModel = (
  folder: string,
  { generator = {}, worker = {} }: { readonly generator?: Values; readonly worker?: Values } = {},
): Values => {
  const trained = { settings: { SEAM_TRAINER_MODEL_FOLDER: folder } };
  return {
    services: {
      generator: { settings: { SEAM_GENERATOR_MODEL_FOLDER: folder }, ...generator },
      planner: trained,
      worker: { ...trained, ...worker },
    },
    models: { claim: 'm' },
  };
};
/** Jobs that train on a model in a volume, with these values on top. */
export const trainingJobs = (values: Values, folder = '/models/own'): Values =>
  sameModel(folder, {
    worker: { trainingJobs: { enabled: true, image: `torch@${OWN.image.digest}`, claim: 'jobs', ...values } },
  });
/** A model server in each pod of the generator, with these values on top. */
export const modelServer = (values: Values): Values =>
  sameModel('/models/own', {
    generator: {
      modelServer: { enabled: true, image: `vllm@${OWN.image.digest}`, ...values },
      terminationGraceSeconds: 310,
    },
  });
