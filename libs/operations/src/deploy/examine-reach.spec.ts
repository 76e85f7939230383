/** Rules of what pods reach, who reaches them, and what a model server is given: each mistake, and what is next to it and right. */
import { checkBroken, codes, gateway, modelServer, service, trainingJobs } from './broken-values.fake.js';

const INGRESS = { enabled: true, host: 'seam.example.org', tlsSecret: 'tls' };
/** Of the services in the profile production; their digest is 0a…. */
const REPOSITORY = 'registry.example.org/seamstream';
const digestOf = (byte: string) => `@sha256:${byte.repeat(32)}`;
const pathRewrittenBy = (annotation: string, value: string) =>
  gateway({ ingress: { ...INGRESS, annotations: { [annotation]: value } }, path: '/s' });
const divided = (extraArguments: readonly string[], processors: number) =>
  modelServer({ extraArguments, resources: { limits: { 'nvidia.com/gpu': processors } } });

describe('the check of a deployment', () => {
  it.each([
    ['address-of-the-pod', { kafka: { brokers: ['kafka:9093', 'localhost:9093'] } }],
    ['address-of-the-pod', { objectStore: { endpoint: 'https://127.0.0.1:9000', pathStyle: true } }],
    ['address-of-the-pod', { tracing: { url: 'https://localhost:4318' } }],
    ['address-of-the-pod', { settings: { SEAM_SCHEMA_REGISTRY_URL: 'https://localhost:8081' } }],
    ['bucket-in-the-host', { objectStore: { endpoint: 'https://minio:9000' } }],
    ['bucket-in-the-host', { objectStore: { endpoint: 'https://s3.storage.svc:9000' } }],
    ['bucket-in-the-host', { objectStore: { endpoint: 'https://10.0.0.7:9000' } }],
    ['entrance-shut', gateway({ ingress: INGRESS, clients: [] })],
    ['path-not-answered', gateway({ ingress: INGRESS, path: '/seam' })],
    ['path-not-answered', pathRewrittenBy('konghq.com/strip-path', 'false')],
    ['path-not-answered', pathRewrittenBy('nginx.ingress.kubernetes.io/proxy-read-timeout', '600')],
    ['password-of-another', service('executor', { sasl: { passwordSecret: { name: 'seam-executor', key: 'word' } } })],
    ['password-of-another', { kafka: { operatorPasswordSecret: { name: 'seam-trainer' } } }],
    ['tolerance-below-precision', modelServer({ precision: 'bfloat16' })],
    ['server-without-its-gpu', divided(['--tensor-parallel-size=4'], 1)],
    ['server-without-its-gpu', divided(['-tp', '2', '--pipeline-parallel-size', '2'], 2)],
    ['server-without-its-gpu', divided([], 2)],
    ['server-without-its-gpu', divided(['--tensor_parallel_size=2'], 1)],
    ['server-without-its-gpu', divided(['-dp', '2'], 1)],
    ['torch-not-in-image', trainingJobs({ image: `${REPOSITORY}${digestOf('0a')}` })],
    ['torch-not-in-image', trainingJobs({ image: `${REPOSITORY}:torch-0.1${digestOf('0a')}` })],
    [
      'comparisons-differ',
      service('worker', { settings: { SEAM_TRAINER_VALIDATION_PROBLEMS: '/files/others.jsonl' } }),
    ],
    ['comparisons-differ', service('generator', { settings: { SEAM_GENERATOR_SAMPLING_MAX_TOKENS: 128 } })],
    ['executors-differ', service('executor', { settings: { SEAM_EXECUTOR_MAX_TOKENS: 128 } })],
    ['bucket-not-of-aws', { objectStore: { bucket: 'my_bucket' } }],
    ['bucket-not-of-aws', { objectStore: { bucket: 'Legacy' } }],
    ['bucket-not-of-aws', { objectStore: { bucket: 'a'.repeat(64) } }],
    ['bucket-not-of-aws', { objectStore: { bucket: 'two..dots' } }],
    ['bucket-not-of-aws', { objectStore: { bucket: '10.0.0.7' } }],
    ['value-refused', { objectStore: { bucket: 'ab' } }],
    ['value-refused', { objectStore: { bucket: 'my bucket' } }],
    ['value-refused', { objectStore: { bucket: 'bucket/folder' } }],
    ['value-refused', service('executor', { nodeSelector: { gpu: true } })],
    ['value-refused', gateway({ ingress: { ...INGRESS, annotations: { 'proxy-read-timeout': 600 } } })],
  ])('finds %s in %j', async (code, breakage) => {
    expect(codes(await checkBroken([breakage]))).toEqual([code]);
  });

  it.each([
    { objectStore: { endpoint: 'https://minio:9000', pathStyle: true } },
    { objectStore: { endpoint: 'https://s3.eu-central-1.amazonaws.com' } },
    gateway({ ingress: INGRESS, path: '/v1' }),
    pathRewrittenBy('nginx.ingress.kubernetes.io/rewrite-target', '/'),
    pathRewrittenBy('traefik.ingress.kubernetes.io/router.middlewares', 'ns-strip@kubernetescrd'),
    pathRewrittenBy('konghq.com/strip-path', 'true'),
    pathRewrittenBy('konghq.com/plugins', 'path-rewrite'),
    { objectStore: { bucket: 'my_bucket', endpoint: 'https://minio:9000', pathStyle: true } },
    { objectStore: { bucket: 'arn:aws:s3:eu-central-1:123456789012:accesspoint/seam' } },
    trainingJobs({ image: `${REPOSITORY}${digestOf('0b')}` }),
    trainingJobs({ image: `${REPOSITORY}-torch${digestOf('0a')}` }),
    { ...gateway({ ingress: INGRESS, clients: [{ podSelector: {} }] }) },
    { ...divided(['-tp', '2', '--pipeline-parallel-size', '2'], 4) },
    { ...divided(['--tensor_parallel_size=2', '--data-parallel-size', '2'], 4) },
    { ...divided(['-dp=2'], 2) },
    { strimzi: { enabled: false }, kafka: { sasl: { mechanism: 'scram-sha-256' } } },
    { monitoring: { serviceMonitor: false }, http: { serverName: '' } },
  ])('finds nothing in %j', async (values) => {
    expect((await checkBroken([values])).findings).toEqual([]);
  });

  it.each([
    [true, '', `${REPOSITORY}:0.1.0`],
    [true, 'dev', `${REPOSITORY}:dev`],
    [true, 'latest', REPOSITORY],
    [false, '', `${REPOSITORY}:torch-0.1`],
    [false, 'dev', `${REPOSITORY}:0.1.0`],
    [false, '5000', 'registry.example.org:5000/seamstream'],
  ])(
    'says %s to whether services of the tag "%s" have the image %s, which has no PyTorch',
    async (isSame, tag, image) => {
      const found = await checkBroken([trainingJobs({ image }), { image: { tag } }]);
      expect(codes(found).includes('torch-not-in-image')).toBe(isSame);
    },
  );

  it('asks for the password of a hook that asks Kafka, and Strimzi makes the topics that a hook would make', async () => {
    const anonymous = { kafka: { operatorPasswordSecret: { name: '' } } };
    const alone = (topics: boolean) => ({ hooks: { topics, schemas: false } });
    expect((await checkBroken([anonymous, alone(true)])).findings).toEqual([]);
    expect(codes(await checkBroken([anonymous, alone(true), { strimzi: { enabled: false } }]))).toEqual([
      'some-without-password',
    ]);
  });
});
