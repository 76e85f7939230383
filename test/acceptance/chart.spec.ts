/**
 * The chart of infra/helm, without a cluster: rendered by helm for every profile and for random values, checked strictly against the
 * schemas of Kubernetes and of every CRD, against the restricted policy, and against what the services themselves read.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { groupOf } from '@seamstream/buffer';
import type { CheckedManifests, Manifest } from '@seamstream/dev-servers';
import { GROUP, TOPIC, TOPICS } from '@seamstream/events';
import { wantedAcls } from '@seamstream/operations/cluster';
import { loadConfig } from '@seamstream/service-kit';
import { shardsOf, WHOLE_BUFFER } from '@seamstream/success-buffer';
import fc from 'fast-check';
import { parse } from 'yaml';
import { PLANTS } from './chart/plants.js';
import { isService, KINDS, podsOf, policyFaults, restricted } from './chart/policy.js';
import {
  CHART,
  environmentOf,
  handedByCheck,
  openChart,
  PROFILES,
  readByHooks,
  readByServices,
  SETTINGS,
} from './chart/rendering.js';
import { arbitraryValues, imageOf, portsOutOf, SCHEMAS, type Values } from './chart/values.js';

const RANDOM_VALUES = Number(process.env.SEAM_TEST_CHARTS ?? 12);
const MODEL_SERVER = 'registry.example.org/vllm-openai:v0.32.0';
const TRAINING = 'registry.example.org/seamstream-torch:0.1.0';
/** What production renders to. */
const PRODUCTION = {
  image: 'registry.example.org/seamstream:0.1.0',
  modelServer: MODEL_SERVER,
  training: TRAINING,
  settings: SETTINGS,
  portsOut: new Set([9093, 443, 6443, 8000]),
};

/** Values that are planted in the check of a deployment as well (libs/operations/src/deploy/refused-values.spec.ts). */
const REFUSED = parse(readFileSync(join(CHART, '../refused-values.yaml'), 'utf8')) as readonly {
  readonly said: string;
  readonly values: Values;
}[];

const SEAM = fileURLToPath(new URL('../../apps/cli/bin/seam.js', import.meta.url));
const seam = (args: readonly string[]) => promisify(execFile)(process.execPath, [SEAM, ...args]);

const opened = await openChart();
const chart = opened!;
afterAll(() => opened?.close());

(opened === undefined ? describe.skip : describe)('The chart', () => {
  describe.each(Object.entries(PROFILES))('The profile %s', (_name, profile) => {
    let manifests: CheckedManifests;
    beforeAll(async () => {
      manifests = await chart.checked(profile);
    });

    it('passes lint, every schema and every rule of the policy', async () => {
      expect(await chart.lint(profile)).toBe(0);
      expect(manifests.faults).toEqual([]);
      const pods = podsOf(manifests.documents);
      expect(
        policyFaults(manifests.documents, {
          image: pods[0]!.spec.containers[0]!.image,
          modelServer: MODEL_SERVER,
          training: TRAINING,
          settings: SETTINGS,
          portsOut: new Set([9092, 9093, 7070, 443, 6443, 8000]),
        }),
      ).toEqual([]);
    });

    it('gives every service settings that it reads, those that the check of a deployment has it read', async () => {
      readByServices(manifests.documents);
      await handedByCheck(profile, {}, manifests.documents);
      const services = podsOf(manifests.documents).filter(({ owner }) => isService(owner));
      expect(services).toHaveLength(profile === PROFILES.gateway ? 6 : 5);
    });
  });

  it('all profiles together hold every kind of the list', async () => {
    const all = await Promise.all(Object.values(PROFILES).map((profile) => chart.checked(profile)));
    const found = new Set(all.flatMap(({ documents }) => documents.map(({ kind }) => kind)));
    expect([...found].sort()).toEqual([...KINDS].sort());
  });

  it('random valid values pass every schema and every rule, and services read the result', async () => {
    const cases = fc.sample(arbitraryValues(), RANDOM_VALUES);
    const texts: string[] = [];
    for (const values of cases) {
      const { text, said } = await chart.render([], values);
      expect({ values, said }).toEqual({ values, said: '' });
      texts.push(text);
    }
    for (const [index, { documents, faults }] of (await chart.tools.check(texts)).entries()) {
      const values = cases[index]!;
      const expected = { image: imageOf(values), settings: SETTINGS, portsOut: portsOutOf(values) };
      expect({ values, faults: [...faults, ...policyFaults(documents, expected)] }).toEqual({ values, faults: [] });
      readByServices(documents);
      readByHooks(documents);
      await handedByCheck([], values, documents);
    }
  }, 1_800_000);

  describe('A planted mistake', () => {
    let found: readonly (readonly string[])[];
    let texts: readonly string[];
    beforeAll(async () => {
      const { text } = await chart.render(['production', 'gpu', 'external-secrets']);
      texts = [text, ...PLANTS.map(({ from, to }) => text.replace(from, to))];
      // A mistake changes one document: each distinct one is checked once.
      const parts = texts.map((each) => each.split('\n---\n'));
      const distinct = [...new Set(parts.flat())];
      const checked = new Map((await chart.tools.check(distinct)).map((each, index) => [distinct[index]!, each]));
      found = parts.map((all) => {
        const each = all.map((part) => checked.get(part)!);
        const policy = policyFaults(
          each.flatMap(({ documents }) => documents),
          PRODUCTION,
        );
        return [...each.flatMap(({ faults }) => faults), ...policy];
      });
    }, 600_000);

    it('is all that is found', () => {
      expect(found[0]).toEqual([]);
    });

    it.each(PLANTS.map((plant, index) => ({ ...plant, index })))('$title is found', ({ finds, index }) => {
      expect(texts[index + 1]).not.toBe(texts[0]);
      expect(found[index + 1]!.join('\n')).toMatch(finds);
    });
  });

  describe('Values', () => {
    it.each([
      ['a setting that no service knows', { settings: { SEAM_BUFER_SHARDS: 2 } }],
      ['a secret in plain text', { services: { executor: { settings: { SEAM_EXECUTOR_VERIFIER_ENDPOINTS: '{}' } } } }],
      ['a setting that a value of the chart gives', { settings: { SEAM_EVENT_LOG_KAFKA_BROKERS: 'a:1' } }],
      ['a setting of another service', { services: { buffer: { settings: { SEAM_GENERATOR_SCOUTS: 1 } } } }],
      ['a value that the chart does not know', { image: { tags: 'x' } }],
      ['a digest of another form', { image: { digest: 'sha256:12' } }],
      ['a broker without a port', { kafka: { brokers: ['kafka'] } }],
      ['an address with a password', { objectStore: { endpoint: 'https://me:word@s3' } }],
      ['a grace that leaves no time to hand back', { services: { worker: { terminationGraceSeconds: 5 } } }],
    ])('%s is refused before anything is made', async (_what, values) => {
      expect(await chart.render([], values)).toMatchObject({
        text: '',
        said: expect.stringContaining("values don't meet the specifications"),
      });
    });
  });

  it.each(REFUSED)('The templates refuse what the check of a deployment refuses: $said', async ({ said, values }) => {
    expect(await chart.render(['production'], values)).toMatchObject({ text: '', said: expect.stringContaining(said) });
  });

  describe('Hooks', () => {
    it('run commands that seam has, each before what it guards, with settings that it reads', async () => {
      const { documents } = await chart.checked(['kind'], {
        settings: { SEAM_SCHEMA_REGISTRY_URL: 'https://registry', SEAM_SCHEMA_REGISTRY_USERNAME: 'seam' },
        hooks: {
          ledger: true,
          secretSettings: [{ setting: 'SEAM_SCHEMA_REGISTRY_PASSWORD', secret: 'registry', key: 'password' }],
        },
      });
      const hooks = documents.filter(({ kind }) => kind === 'Job');
      const found = hooks.map(({ metadata: { annotations = {} } }, index) => [
        podsOf(hooks)[index]!.spec.containers[0]!.args.join(' '),
        annotations['helm.sh/hook'],
      ]);
      expect(Object.fromEntries(found)).toEqual({
        'seam topics apply': 'pre-install,pre-upgrade',
        'seam bucket apply': 'pre-install,pre-upgrade',
        'seam schemas check': 'pre-upgrade,pre-rollback',
        'seam ledger --check': 'pre-upgrade',
      });
      readByHooks(documents);
      for (const [command] of found) {
        const { stdout } = await seam([...command!.split(' ').slice(1), '--help']);
        expect(stdout).toContain(`Usage: ${command!.replace(' --check', '')} `);
      }
    });
  });

  describe('What the chart says about Kafka', () => {
    it('scales services by the groups that they join and the topics that these read', async () => {
      const { documents } = await chart.checked(['production'], {
        kafka: { prefix: 'x.' },
        services: { buffer: { settings: { SEAM_BUFFER_SHARDS: 2 }, autoscaling: { enabled: true, max: 2 } } },
      });
      const triggers = documents.flatMap(({ kind, spec }) =>
        kind === 'ScaledObject'
          ? (spec?.triggers as { metadata: Record<string, string> }[]).map(({ metadata }) => metadata)
          : [],
      );
      const ofKafka = triggers.filter(({ topic }) => topic !== undefined);
      expect(ofKafka.map(({ consumerGroup, topic }) => [consumerGroup, topic]).sort()).toEqual([
        ...shardsOf(2).map((shard) => [`x.${groupOf(shard)}`, `x.${TOPIC.outcomes}`]),
        [`x.${GROUP.executor}`, `x.${TOPIC.experiences}`],
        [`x.${GROUP.generator}`, `x.${TOPIC.problems}`],
      ]);
    });

    it('scales the whole buffer by the group that it joins', async () => {
      const { text } = await chart.render([], { services: { buffer: { autoscaling: { enabled: true } } } });
      expect([...text.matchAll(/consumerGroup: (.*)/g)].map(([, group]) => group)).toEqual([groupOf(WHOLE_BUFFER)]);
    });

    it('makes the topics of the code, and gives users the rights of infra/kafka and no others', async () => {
      const { documents } = await chart.checked(['production']);
      const topics = documents.flatMap(({ kind, spec }) =>
        kind === 'KafkaTopic' ? [[spec?.topicName, spec?.partitions]] : [],
      );
      expect(topics.sort()).toEqual(TOPICS.map(({ name, partitions }) => [name, partitions]).sort());
      interface Right {
        readonly resource: { readonly type: string; readonly name: string; readonly patternType: string };
        readonly operations: readonly string[];
      }
      const granted = documents.flatMap(({ kind, metadata, spec }) =>
        kind !== 'KafkaUser'
          ? []
          : (spec?.authorization as { acls: Right[] }).acls.flatMap(({ resource, operations }) =>
              operations.map((each) =>
                `${metadata.name} ${resource.type} ${resource.patternType} ${resource.name} ${each}`.toLowerCase(),
              ),
            ),
      );
      const rights = await wantedAcls({ readInput: async (path) => readFileSync(path) });
      const wanted = rights.map(({ principal, resource, pattern, name, operation }) =>
        `${principal.slice(5)} ${resource} ${pattern === 'prefixed' ? 'prefix' : 'literal'} ${name} ${operation}`.toLowerCase(),
      );
      expect(granted.sort()).toEqual([...new Set(wanted)].sort());
    });
  });

  describe('The model server of a generator', () => {
    const own = { enabled: true, image: 'vllm:1' };
    const folder = { SEAM_GENERATOR_MODEL_FOLDER: '/models/generator' };
    const render = (generator: Values) => chart.render(['production'], { services: { generator } });

    it('runs in its pod, with room for the adapter that takes over', async () => {
      const { documents } = await chart.checked(['production', 'gpu']);
      const [pod] = podsOf(documents.filter(({ metadata }) => metadata.name === 'demo-generator'));
      expect(pod?.spec.initContainers?.[0]?.args).toEqual([
        '/models/generator',
        ...['--served-model-name=base', '--port=8000', '--dtype=float32'],
        ...['--enable-lora', '--max-loras=2', '--max-lora-rank=32', '--logprobs-mode=processed_logprobs'],
      ]);
      const environment = Object.fromEntries(pod!.spec.containers[0]!.env.map(({ name, value }) => [name, value]));
      expect(environment).toMatchObject({
        SEAM_GENERATOR_DRIVER: 'vllm',
        SEAM_GENERATOR_VLLM_URL: 'http://127.0.0.1:8000/v1',
        SEAM_GENERATOR_VLLM_MODEL: 'base',
        SEAM_GENERATOR_VLLM_ADAPTERS_FOLDER: '/adapters',
      });
    });

    it('is refused with room for one adapter', async () => {
      const generator = { modelServer: { ...own, maxLoras: 1 }, settings: folder };
      expect(await render(generator)).toMatchObject({ text: '', said: expect.stringContaining('maxLoras') });
    });
  });

  it.each([
    [{}, ['planner', 'releaser']],
    [{ decidesReleases: false }, ['planner']],
  ])('gives the planner of %j the roles %j', async (planner, roles) => {
    const { documents } = await chart.checked([], { services: { planner } });
    await handedByCheck([], { services: { planner } }, documents);
    const [pod] = podsOf(documents).filter(({ owner }) => owner.metadata.name === 'demo-planner');
    expect(loadConfig(SCHEMAS.trainer, environmentOf(pod!.spec.containers[0]!))).toMatchObject({ trainer: { roles } });
  });

  it('fetches models by their digests before a service starts, where its settings name them', async () => {
    const digest = '0a'.repeat(32);
    const models = (claim: string) =>
      chart.checked([], {
        models: { fetch: [digest], claim },
        services: { generator: { settings: { SEAM_GENERATOR_MODEL_FOLDER: `/models/${digest}` } } },
      });
    const { documents } = await models('');
    const pods = podsOf(documents.filter(({ kind }) => kind === 'Deployment'));
    const fetching = pods.filter(({ spec }) => spec.initContainers !== undefined);
    expect(fetching.map(({ owner }) => owner.metadata.name)).toEqual(
      ['executor', 'generator', 'planner', 'worker'].map((name) => `demo-${name}`),
    );
    for (const { spec } of fetching) {
      const [init, service] = [spec.initContainers![0]!, spec.containers[0]!];
      expect(init.args).toEqual(['seam', 'models', 'fetch', digest, '--to', '/models']);
      expect(loadConfig(SCHEMAS.common, environmentOf(init))).toMatchObject({ objectStore: { driver: 's3' } });
      for (const { volumeMounts } of [init, service])
        expect(volumeMounts).toContainEqual(expect.objectContaining({ name: 'models', mountPath: '/models' }));
      expect(spec.volumes).toContainEqual({ name: 'models', emptyDir: { sizeLimit: '20Gi' } });
    }
    const [kept] = podsOf(
      (await models('cache')).documents.filter(({ metadata }) => metadata.name === 'demo-generator'),
    );
    expect(kept?.spec.volumes).toContainEqual({
      name: 'models',
      persistentVolumeClaim: { claimName: 'cache', readOnly: false },
    });
  });

  describe('External Secrets', () => {
    it('makes each Secret with the keys that the values read, before the Jobs that read them', async () => {
      const { documents } = await chart.checked(['production', 'external-secrets'], {
        externalSecrets: { names: ['seam-s3', 'seam-http', 'seam-signing-buffer'] },
      });
      const made = documents.filter(({ kind }) => kind === 'ExternalSecret');
      const data = made.map(({ metadata: { name }, spec }) => [
        name,
        (spec?.data as { secretKey: string; remoteRef: { key: string; property: string } }[]).map(
          ({ secretKey, remoteRef: { key, property } }) => `${secretKey} ${key} ${property}`,
        ),
      ]);
      expect(Object.fromEntries(data)).toEqual({
        'seam-s3': ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'].map((key) => `${key} seamstream/seam-s3 ${key}`),
        'seam-http': ['tls.crt', 'tls.key'].map((key) => `${key} seamstream/seam-http ${key}`),
        'seam-signing-buffer': ['key.pem seamstream/seam-signing-buffer key.pem'],
      });
      const weightOf = ({ metadata }: Manifest): number => Number(metadata.annotations?.['helm.sh/hook-weight']);
      const jobs = documents.filter(({ kind }) => kind === 'Job');
      expect(Math.max(...made.map(weightOf))).toBeLessThan(Math.min(...jobs.map(weightOf)));
    });

    it('makes the certificates of doors, that of the Ingress too', async () => {
      const { documents } = await chart.checked(['production', 'gateway'], {
        externalSecrets: { names: ['seam-http', 'seam-gateway-tls'] },
      });
      const made = documents.filter(({ kind }) => kind === 'ExternalSecret');
      expect(made.map(({ metadata: { name }, spec }) => [name, spec])).toMatchObject(
        ['seam-http', 'seam-gateway-tls'].map((name) => [
          name,
          {
            target: { template: { type: 'kubernetes.io/tls' } },
            data: [{ secretKey: 'tls.crt' }, { secretKey: 'tls.key' }],
          },
        ]),
      );
    });
  });

  it('scalers are about metrics that services have', async () => {
    const { documents } = await chart.checked(['production']);
    const asking = JSON.stringify(documents.filter(({ kind }) => ['ScaledObject', 'ScaledJob'].includes(kind)));
    const named = new Set([...asking.matchAll(/\bseam_[a-z_]+/g)].map(([name]) => name));
    const sources = ['libs/service-kit/src/service-metrics.ts', 'apps/trainer/src/queue-metrics.ts'].map((path) =>
      readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'),
    );
    const known = [...sources.join('\n').matchAll(/'(seam_[a-z_]+)'/g)].map(([, name]) => name);
    expect(named.size).toBeGreaterThan(1);
    expect([...named].filter((name) => !known.includes(name))).toEqual([]);
  });

  it('the servers of a trial are where the profile kind looks for them, in the versions of infra/compose', async () => {
    const textOf = (path: string): string => readFileSync(new URL(`../../infra/${path}`, import.meta.url), 'utf8');
    const [servers] = await chart.tools.check([textOf('kubernetes/trial-servers.yaml')]);
    expect(servers?.faults).toEqual([]);
    const { documents } = await chart.checked(['kind']);
    const environment = environmentOf(podsOf(documents)[0]!.spec.containers[0]!);
    const services = servers!.documents.flatMap(({ kind, metadata, spec }) =>
      kind === 'Service' ? (spec?.ports as { port: number }[]).map(({ port }) => `${metadata.name}:${port}`) : [],
    );
    expect(services).toEqual([
      environment.SEAM_EVENT_LOG_KAFKA_BROKERS,
      new URL(environment.SEAM_OBJECT_STORE_S3_ENDPOINT!).host,
    ]);
    const pods = podsOf(servers!.documents);
    expect(pods).toHaveLength(2);
    // The root of the image of Kafka is written to.
    expect(restricted(pods).filter((fault) => !fault.endsWith('read-only root'))).toEqual([]);
    for (const { spec } of pods)
      expect(textOf('compose/compose.yaml')).toContain(`image: ${spec.containers[0]!.image}\n`);
  });

  it('every profile of the chart is tested', () => {
    const files = readdirSync(join(CHART, 'profiles')).map((name) => name.replace('.yaml', ''));
    expect(files.sort()).toEqual([...new Set(Object.values(PROFILES).flat())].sort());
  });
});
