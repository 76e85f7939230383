/** Rules of a deployment: values without a fault, and values that are broken in known ways, one at a time and together. */
import fc from 'fast-check';
import { BREAKAGES, checkBroken, codes, service } from './broken-values.fake.js';
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
    ['half-of-learning', service('worker', { enabled: false })],
    ['training-incomplete', service('worker', { trainingJobs: { enabled: true } })],
    [
      'processes-without-their-gpu',
      {
        ...service('worker', {
          settings: { SEAM_TRAINER_MODEL_FOLDER: '/models/own' },
          trainingJobs: { enabled: true, image: 'torch:1', claim: 'jobs', processes: 4 },
        }),
        models: { claim: 'm' },
      },
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
      { ...service('executor', { settings: { SEAM_EXECUTOR_MODEL_FOLDER: '/models/e' } }), models: { claim: 'm' } },
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
    [
      'model-server-without-image',
      {
        ...service('generator', {
          settings: { SEAM_GENERATOR_MODEL_FOLDER: '/models/own' },
          modelServer: { enabled: true },
          terminationGraceSeconds: 300,
        }),
        models: { claim: 'm' },
      },
    ],
    [
      'model-server-without-model',
      service('generator', { modelServer: { enabled: true, image: 'vllm:1' }, terminationGraceSeconds: 300 }),
    ],
    [
      'grace-shorter-than-a-batch',
      {
        ...service('generator', {
          settings: { SEAM_GENERATOR_MODEL_FOLDER: '/models/own' },
          modelServer: { enabled: true, image: 'vllm:1' },
        }),
        models: { claim: 'm' },
      },
    ],
    [
      'model-not-fetched',
      {
        ...service('generator', { settings: { SEAM_GENERATOR_MODEL_FOLDER: `/models/${'0b'.repeat(32)}` } }),
        models: { fetch: ['0a'.repeat(32)] },
      },
    ],
    ['value-refused', service('generator', { modelServer: { maxLoras: 1 } })],
    ['value-refused', { kafka: { brokers: [] } }],
    ['value-refused', { settings: { SEAM_BUFER_SHARDS: 2 } }],
  ])('finds %s in %j', async (code, breakage) => {
    expect(codes(await checkBroken([breakage]))).toEqual([code]);
  });

  it('warns of what is tolerable in a trial, and calls it an error of production', async () => {
    const unsigned = { settings: { SEAM_SIGNATURES_UNSIGNED: 'allowed' } };
    expect((await checkBroken([unsigned], false)).findings).toMatchObject([{ severity: 'warning' }]);
    expect((await checkBroken([unsigned], true)).findings).toMatchObject([{ severity: 'error' }]);
  });

  it('takes a value of the chart away where a file says null, as Helm does', async () => {
    expect(codes(await checkBroken([{ kafka: { brokers: null } }]))).toEqual(['value-refused']);
  });

  it('refuses a file that is no mapping', async () => {
    const readInput = () => Promise.resolve(Buffer.from('- a list'));
    const asked = checkDeployment({ readInput }, ['own.yaml'], { production: false, objects: undefined });
    await expect(asked).rejects.toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining('own.yaml') });
  });
});
