import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

const withValues = async (text: string): Promise<FakeWorld> => {
  const world = await fakeWorld();
  world.files.set('own.yaml', Buffer.from(text));
  return world;
};

describe('seam deploy check', () => {
  it('says what production should not have, and fails for it with --production alone', async () => {
    const world = await withValues('settings: { SEAM_SIGNATURES_UNSIGNED: allowed }\n');
    expect(await world.seam('deploy', 'check', 'own.yaml')).toBe(0);
    expect(world.takeOutput()).toMatch(/^warning {2}image-without-digest {2}image\.digest\n/m);
    expect(await world.seam('deploy', 'check', 'own.yaml', '--production')).toBe(1);
    expect(world.takeOutput()).toMatch(/^error {2}unsigned-adapters .*\n.*\n {2}What to do: /m);
  });

  it('says which Secret the namespace lacks, and which key', async () => {
    const world = await withValues(
      'settings: { SEAM_SIGNATURES_UNSIGNED: allowed }\nhttp: { tlsSecret: door }\nobjectStore: { credentialsSecret: keys }\n',
    );
    world.files.set('-', Buffer.from('Secret door tls.crt\nConfigMap keys\n'));
    expect(await world.seam('deploy', 'check', 'own.yaml', '--objects', '-', '--json')).toBe(1);
    expect(world.takeJson()).toMatchObject([
      {
        looked: 2,
        findings: expect.arrayContaining([
          expect.objectContaining({ code: 'object-missing', message: 'The namespace has no Secret keys.' }),
          expect.objectContaining({ code: 'key-missing', message: 'The Secret door has no tls.key; it has tls.crt.' }),
        ]),
      },
    ]);
    world.files.set(
      '-',
      Buffer.from('Secret door tls.crt tls.key\nSecret keys AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY\n'),
    );
    expect(await world.seam('deploy', 'check', 'own.yaml', '--objects', '-')).toBe(0);
    expect(world.takeOutput()).toContain('Looked for 2 objects of the namespace.');
  });

  it('says which file settings name and the ConfigMap of files lacks', async () => {
    const world = await withValues(
      'files: { configMap: seam-files }\nsettings: { SEAM_ENTRY_SCHEMAS: /files/entry-schemas.json }\nservices: { worker: { settings: { SEAM_TRAINER_VALIDATION_PROBLEMS: /files/validation.jsonl } } }\n',
    );
    world.files.set('-', Buffer.from('ConfigMap seam-files validation.jsonl\n'));
    expect(await world.seam('deploy', 'check', 'own.yaml', '--objects', '-')).toBe(1);
    expect(world.takeOutput()).toContain(
      'The ConfigMap seam-files has no entry-schemas.json; it has validation.jsonl.',
    );
  });

  it('says what the services’ own readers refuse, where it was set, and keeps passwords to itself', async () => {
    const world = await withValues(REFUSED);
    expect(await world.seam('deploy', 'check', 'own.yaml', '--json')).toBe(1);
    const output = world.takeOutput();
    expect(output).not.toContain('hunter2');
    const { findings } = JSON.parse(output) as { findings: { code: string; value: string; message: string }[] };
    const refused = findings.filter(({ code }) => code === 'setting-refused');
    expect(refused.map(({ value, message }) => [value, message.replace(/,? which.*/, '')])).toEqual([
      ['services.*', 'Refused by generator, buffer'],
      ['services.generator.settings.SEAM_GENERATOR_GROUP_SIZE', 'Refused by generator'],
      ['settings.SEAM_LOGGING_LEVEL', 'Refused by generator, executor, buffer, planner, worker, gateway'],
      ['services.executor.settings.SEAM_EXECUTOR_ENDPOINT_MODEL', 'Refused by executor'],
      ['services.executor.settings.SEAM_EXECUTOR_ENDPOINT_URL', 'Refused by executor'],
      ['services.worker.settings.SEAM_TRAINER_PROMOTION_RISK', 'Refused by worker'],
      ['services.gateway.settings.SEAM_GATEWAY_ACCESS', 'Refused by gateway'],
    ]);
  });

  it.each([
    ['production'],
    ['production', 'gateway'],
    ['production', 'gpu'],
    ['production', 'external-secrets'],
    ['kind'],
  ])('finds no error in the profile %s', async (...names) => {
    const world = await withValues('image: { digest: "sha256:' + '0a'.repeat(32) + '" }\n');
    for (const name of names) world.files.set(name, await readFile(profile(name)));
    expect(await world.seam('deploy', 'check', ...names, 'own.yaml', '--json')).toBe(0);
  });

  it('finds all that a reviewer of production found', async () => {
    const world = await withValues(IN_THE_CLEAR);
    expect(await world.seam('deploy', 'check', 'own.yaml', '--production', '--json')).toBe(1);
    const [{ findings }] = world.takeJson() as [{ findings: { code: string; value: string; severity: string }[] }];
    expect(findings.every(({ severity }) => severity === 'error')).toBe(true);
    expect(findings.map(({ code, value }) => `${code} ${value}`)).toEqual(
      expect.arrayContaining([
        'setting-refused services.executor.settings.SEAM_EXECUTOR_ENDPOINT_URL',
        'setting-refused services.gateway.settings.SEAM_GATEWAY_ACCESS',
        'objects-in-the-clear objectStore.endpoint',
        'doors-open networkPolicy.enabled',
        'entrance-in-the-clear services.gateway.ingress.tlsSecret',
        'image-without-digest services.worker.trainingJobs.image',
      ]),
    );
  });

  it.each(['NAME  TYPE\nkeys Opaque\n', '{"items":[]}', 'Secret\n'])(
    'refuses objects in another form: %j',
    async (text) => {
      const world = await withValues('objectStore: { credentialsSecret: keys }\n');
      world.files.set('-', Buffer.from(text));
      expect(await world.seam('deploy', 'check', 'own.yaml', '--objects', '-')).toBe(2);
      expect(world.takeErrors()).toContain('Cannot read line 1 of --objects');
    },
  );
});

const profile = (name: string): string =>
  fileURLToPath(new URL(`../../../../infra/helm/seamstream/profiles/${name}.yaml`, import.meta.url));

const REFUSED = `
kafka: { tls: { enabled: false }, sasl: { mechanism: plain } }
settings: { SEAM_LOGGING_LEVEL: loud }
services:
  generator: { sasl: { passwordSecret: { name: a } }, settings: { SEAM_GENERATOR_GROUP_SIZE: many } }
  executor: { settings: { SEAM_EXECUTOR_DRIVER: endpoint, SEAM_EXECUTOR_ENDPOINT_URL: "https://user:hunter2@vllm/v1" } }
  buffer: { sasl: { passwordSecret: { name: a } } }
  worker: { settings: { SEAM_TRAINER_PROMOTION_RISK: 2 } }
  gateway: { enabled: true, settings: { SEAM_GATEWAY_ACCESS: none } }
`;

const IN_THE_CLEAR = `
settings: { SEAM_OBJECT_STORE_S3_ALLOW_PLAINTEXT: true }
objectStore: { endpoint: "http://s3:7070", credentialsSecret: s }
networkPolicy: { enabled: false }
models: { claim: m }
services:
  executor: { settings: { SEAM_EXECUTOR_DRIVER: endpoint, SEAM_EXECUTOR_ENDPOINT_URL: "http://user:hunter2@vllm:8000/v1" } }
  worker: { trainingJobs: { enabled: true, image: "i:latest", claim: c }, settings: { SEAM_TRAINER_MODEL_FOLDER: /models/g } }
  gateway: { enabled: true, ingress: { enabled: true, host: h.example }, settings: { SEAM_GATEWAY_ACCESS: none } }
`;
