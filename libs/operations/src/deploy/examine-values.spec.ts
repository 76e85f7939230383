/** Rules of a deployment: values without a fault, and values that are broken in known ways, one at a time and together. */
import fc from 'fast-check';
import {
  BREAKAGES,
  checkBroken,
  codes,
  gateway,
  modelServer,
  readSettings,
  sameModel,
  service,
  trainingJobs,
} from './broken-values.fake.js';
import { checkDeployment } from './check-deployment.js';

describe('the check of a deployment', () => {
  it('finds nothing in the profile production with a digest and keys of S3', async () => {
    expect(await checkBroken([])).toEqual({ findings: [], looked: null });
  });

  it.each(BREAKAGES.map(([code, breakage]) => ({ code, breakage })))(
    'finds $code in $breakage',
    async ({ code, breakage }) => {
      const { findings } = await checkBroken([breakage]);
      expect(codes({ findings, looked: null })).toEqual([code]);
      expect(findings.every(({ message, remedy }) => message.endsWith('.') && remedy.endsWith('.'))).toBe(true);
    },
  );

  it('finds every fault of values that are broken in several ways, and no other', async () => {
    await fc.assert(
      fc.asyncProperty(fc.subarray([...BREAKAGES], { minLength: 2 }), async (broken) => {
        const expected = [...new Set(broken.map(([code]) => code))].sort();
        expect(codes(await checkBroken(broken.map(([, breakage]) => breakage)))).toEqual(expected);
      }),
      { numRuns: 20 },
    );
  });

  it.each([
    ['unsigned-adapters', { settings: { SEAM_SIGNATURES_UNSIGNED: 'allowed' } }],
    ['no-trusted-keys', { trustedKeysConfigMap: '' }],
    ['models-differ', service('generator', { settings: { SEAM_GENERATOR_MODEL_FOLDER: 'models/other' } })],
    ['models-differ', service('planner', { settings: { SEAM_TRAINER_MODEL_FOLDER: 'models/other' } })],
    ['models-differ', service('worker', { settings: { SEAM_TRAINER_MODEL_FOLDER: 'models/other' } })],
    ['executors-differ', service('worker', { settings: { SEAM_TRAINER_EXECUTOR_FOLDER: 'models/other' } })],
    ['executors-differ', service('worker', { settings: { SEAM_TRAINER_EXECUTOR_DRIVER: 'endpoint' } })],
    ['executors-differ', service('worker', { settings: { SEAM_TRAINER_EXECUTOR_ENVIRONMENT: 'inner-lora-update' } })],
    [
      'executors-differ',
      {
        services: {
          executor: {
            settings: {
              SEAM_EXECUTOR_DRIVER: 'endpoint',
              SEAM_EXECUTOR_ENDPOINT_MODEL: 'a',
              SEAM_EXECUTOR_ENDPOINT_REVISION: 'r',
            },
            terminationGraceSeconds: 300,
          },
          worker: {
            settings: { SEAM_TRAINER_EXECUTOR_DRIVER: 'endpoint', SEAM_TRAINER_EXECUTOR_ENDPOINT_MODEL: 'b' },
          },
        },
      },
    ],
    ['half-of-learning', service('worker', { enabled: false })],
    ['training-incomplete', service('worker', { trainingJobs: { enabled: true } })],
    ['training-incomplete', trainingJobs({}, '/files/own')],
    ['processes-without-their-gpu', trainingJobs({ processes: 4 })],
    ['processes-without-their-gpu', trainingJobs({ processes: 4, resources: { limits: { 'nvidia.com/gpu': null } } })],
    [
      'processes-without-their-gpu',
      trainingJobs({ processes: 4, resources: { limits: { 'nvidia.com/gpu': null, 'amd.com/gpu': 2 } } }),
    ],
    ['no-count-of-processors', trainingJobs({ resources: { limits: { 'nvidia.com/gpu': 'x' } } })],
    ['no-count-of-processors', trainingJobs({ resources: { limits: { 'nvidia.com/gpu': null, 'amd.com/gpu': 0.5 } } })],
    ['image-without-digest', trainingJobs({ image: 'torch:latest' })],
    ['image-without-digest', modelServer({ image: 'vllm:v0.32.0' })],
    ['argument-given', modelServer({ extraArguments: ['--api-key=sk-1'] })],
    ['argument-given', modelServer({ extraArguments: ['--api_key', 'sk-1'] })],
    ['argument-given', modelServer({ extraArguments: ['--api=sk-1'] })],
    ['argument-given', modelServer({ extraArguments: ['--seed=1', '--port', '9000'] })],
    ['doors-open', { networkPolicy: { enabled: false } }],
    [
      'objects-in-the-clear',
      {
        objectStore: { endpoint: 'http://s3:7070', pathStyle: true },
        settings: { SEAM_OBJECT_STORE_S3_ALLOW_PLAINTEXT: true },
      },
    ],
    [
      'key-in-the-clear',
      {
        ...service('executor', {
          settings: { SEAM_EXECUTOR_ENDPOINT_URL: 'http://vllm/v1' },
          endpointKeySecret: { name: 'key' },
        }),
        networkPolicy: { extraPorts: [80] },
      },
    ],
    [
      'key-in-the-clear',
      {
        services: {
          executor: { settings: { SEAM_EXECUTOR_JUDGE_URL: 'http://judge/v1' } },
          worker: {
            settings: { SEAM_TRAINER_EXECUTOR_JUDGE_URL: 'http://judge/v1' },
            judgeKeySecret: { name: 'key' },
          },
        },
        networkPolicy: { extraPorts: [80] },
      },
    ],
    [
      'door-shut',
      {
        services: {
          executor: { settings: { SEAM_EXECUTOR_JUDGE_URL: 'https://judge:8000/v1' } },
          worker: { settings: { SEAM_TRAINER_EXECUTOR_JUDGE_URL: 'https://judge:8000/v1' } },
        },
      },
    ],
    ['executors-differ', service('executor', { settings: { SEAM_EXECUTOR_JUDGE_MODEL: 'j' } })],
    ['executors-differ', service('worker', { settings: { SEAM_TRAINER_EXECUTOR_JUDGE_URL: 'https://judge/v1' } })],
    ['entrance-in-the-clear', gateway({ ingress: { enabled: true, host: 'seam.example.org' } })],
    ['gateway-open', gateway({ settings: { SEAM_GATEWAY_ACCESS: 'open' } })],
    ['gateway-open', gateway({ settings: { SEAM_GATEWAY_ACCESS: undefined } })],
    ['gateway-without-upstream', gateway({ settings: { SEAM_GATEWAY_UPSTREAM_URL: undefined } })],
    ['gateway-without-upstream', gateway({ settings: { SEAM_GATEWAY_UPSTREAM_MODEL: undefined } })],
    ['grace-shorter-than-an-answer', gateway({ terminationGraceSeconds: 614 })],
    [
      'grace-shorter-than-an-answer',
      gateway({ terminationGraceSeconds: 60, settings: { SEAM_GATEWAY_ANSWER_WITHIN_MS: 45_001 } }),
    ],
    [
      'no-figures-to-scale-by',
      {
        ...service('worker', { autoscaling: { enabled: false } }),
        monitoring: { prometheusUrl: '' },
      },
    ],
    [
      'model-without-digest',
      {
        services: {
          executor: { settings: { SEAM_EXECUTOR_MODEL_FOLDER: '/models/e' } },
          worker: { settings: { SEAM_TRAINER_EXECUTOR_FOLDER: '/models/e' } },
        },
        models: { claim: 'm' },
      },
    ],
    [
      'hook-without-credentials',
      {
        hooks: { bucket: true },
        objectStore: { credentialsSecret: '' },
        serviceAccount: { annotations: { role: 'r' } },
      },
    ],
    [
      'shared-model-server',
      service('generator', {
        settings: { SEAM_GENERATOR_DRIVER: 'vllm', SEAM_GENERATOR_VLLM_URL: 'https://vllm/v1' },
        terminationGraceSeconds: 300,
      }),
    ],
    ['model-server-without-image', modelServer({ image: '' })],
    [
      'model-server-without-model',
      service('generator', {
        modelServer: { enabled: true, image: `vllm@sha256:${'0a'.repeat(32)}` },
        terminationGraceSeconds: 310,
      }),
    ],
    [
      'grace-shorter-than-a-batch',
      {
        ...sameModel('/models/own', {
          generator: { modelServer: { enabled: true, image: `vllm@sha256:${'0a'.repeat(32)}` } },
        }),
      },
    ],
    [
      'model-not-fetched',
      {
        ...sameModel(`/models/${'0b'.repeat(32)}`),
        models: { fetch: ['0a'.repeat(32)] },
      },
    ],
    ['value-refused', service('generator', { modelServer: { maxLoras: 1 } })],
    ['value-refused', { kafka: { brokers: [] } }],
    ['value-refused', { kafka: { brokers: ['kafka:65536'] } }],
    ['value-refused', { http: { tlsSecret: 'a'.repeat(254) } }],
    ['value-refused', { settings: { SEAM_BUFER_SHARDS: 2 } }],
  ])('finds %s in %j', async (code, breakage) => {
    expect(codes(await checkBroken([breakage]))).toEqual([code]);
  });

  it.each([
    gateway({}),
    gateway({ terminationGraceSeconds: 60, settings: { SEAM_GATEWAY_ANSWER_WITHIN_MS: 45_000 } }),
    gateway({ ingress: { enabled: true, host: 'seam.example.org', tlsSecret: 'tls' } }),
    modelServer({ extraArguments: ['--seed=1'] }),
    trainingJobs({ processes: 4, resources: { limits: { 'nvidia.com/gpu': null, 'amd.com/gpu': '4' } } }),
    trainingJobs({ resources: { limits: { 'nvidia.com/gpu': null } } }),
    { kafka: { brokers: ['kafka:65535'] }, http: { tlsSecret: 'a'.repeat(253) } },
  ])('finds nothing in %j', async (values) => {
    expect((await checkBroken([values])).findings).toEqual([]);
  });

  it('names the value of a setting that services refuse, once, with those that refuse it', async () => {
    const { findings } = await checkBroken([{ settings: { SEAM_LOGGING_LEVEL: 'loud' } }]);
    expect(findings).toMatchObject([
      {
        value: 'settings.SEAM_LOGGING_LEVEL',
        message: expect.stringContaining('Refused by generator, executor, buffer, planner, worker, which do not start'),
      },
    ]);
  });

  it('warns of what is tolerable in a trial, and calls it an error of production', async () => {
    const unsigned = { settings: { SEAM_SIGNATURES_UNSIGNED: 'allowed' } };
    expect((await checkBroken([unsigned], false)).findings).toMatchObject([{ severity: 'warning' }]);
    expect((await checkBroken([unsigned], true)).findings).toMatchObject([{ severity: 'error' }]);
  });

  it.each([{ kafka: { brokers: null } }, service('worker', { settings: { SEAM_TRAINER_VALIDATION_PROBLEMS: null } })])(
    'refuses %j as Helm does: null takes a value of the chart away, and no value of another file',
    async (values) => {
      expect(codes(await checkBroken([values]))).toEqual(['value-refused']);
    },
  );

  it('refuses a file that is no mapping', async () => {
    const readInput = () => Promise.resolve(Buffer.from('- a list'));
    const asked = checkDeployment({ readInput, readSettings }, ['own.yaml'], { production: false, objects: undefined });
    await expect(asked).rejects.toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining('own.yaml') });
  });
});
