/**
 * The chart before a real API server: every object of every profile is applied there, every pod passes admission under the restricted
 * standard, mistakes that no schema finds are refused, and a worker's account may do what it has to and nothing else.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import type { Manifest } from '@seamstream/dev-servers';
import { jobTemplate, KubernetesJobs } from '@seamstream/training-contract';
import { type Pod, podsOf, trainingJobs } from '../acceptance/chart/policy.js';
import { type Chart, openChart, PROFILES } from '../acceptance/chart/rendering.js';
import { givenCluster } from './given-cluster.js';
import { endPod } from './puppet.js';

jest.setTimeout(900_000);

const given = await givenCluster();
const cluster = given!;

(given === undefined ? describe.skip : describe)('The chart before an API server', () => {
  let chart: Chart;
  beforeAll(async () => (chart = (await openChart())!));
  afterAll(async () => {
    await chart.close();
    await cluster.close();
  });
  const rendered = async (profile: readonly string[]): Promise<readonly Manifest[]> => {
    const { documents } = await chart.checked(profile);
    const text = JSON.stringify(documents).replaceAll('"namespace":"seam"', `"namespace":"${cluster.namespace}"`);
    return JSON.parse(text) as readonly Manifest[];
  };
  const apply = (documents: readonly object[], ...more: readonly string[]) =>
    cluster.tools.kubectl(
      ['--namespace', cluster.namespace, 'apply', '--server-side', '--filename', '-', ...more],
      documents.map((each) => JSON.stringify(each)).join('\n---\n'),
    );
  const asPod = ({ owner, spec, labels }: Pod, index: number): object => ({
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: { name: `${owner.metadata.name}-${index}`, labels },
    spec,
  });

  it.each(Object.entries(PROFILES))('takes all of the profile %s, without a warning', async (_name, profile) => {
    const documents = await rendered(profile);
    const { status, stdout, stderr } = await apply(documents, '--dry-run=server');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout.trim().split('\n')).toHaveLength(documents.length);
  });

  it.each(Object.entries(PROFILES))(
    'admits the pods of the profile %s where the restricted standard is enforced',
    async (_name, profile) => {
      const documents = await rendered(profile);
      const accounts = documents.filter(({ kind }) => kind === 'ServiceAccount');
      expect((await apply(accounts)).status).toBe(0);
      const pods = podsOf(documents).map(asPod);
      const { status, stderr } = await apply(pods, '--dry-run=server');
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(pods.length).toBeGreaterThan(6);
    },
  );

  it.each([
    ['a folder of the node', { volumes: [{ name: 'tmp', hostPath: { path: '/' } }] }, 'hostPath'],
    ['the network of the node', { hostNetwork: true }, 'host namespaces'],
    ['a user who may be root', { securityContext: { runAsNonRoot: false } }, 'runAsNonRoot'],
    ['no profile of system calls', { securityContext: { runAsNonRoot: true } }, 'seccompProfile'],
  ])('refuses a pod with %s', async (_what, changed, said) => {
    const [pod] = podsOf(await rendered(['kind'])).filter(({ owner }) => owner.kind === 'Job');
    const { status, stderr } = await apply(
      [asPod({ ...pod!, spec: { ...pod!.spec, ...changed } }, 0)],
      '--dry-run=server',
    );
    expect(status).toBe(1);
    expect(stderr).toContain('violates PodSecurity "restricted');
    expect(stderr).toContain(said);
  });

  it.each([
    ['Deployment', ['kind'], 'replicsa'],
    ['ScaledJob', ['production', 'gpu'], 'jobTargetReference'],
    ['KafkaTopic', ['production'], 'partition'],
    ['ExternalSecret', ['production', 'external-secrets'], 'secretStoreReference'],
  ])('refuses a field that %s does not have', async (kind, profile, field) => {
    const found = (await rendered(profile)).find((each) => each.kind === kind)!;
    const { status, stderr } = await apply([{ ...found, spec: { ...found.spec, [field]: 1 } }], '--dry-run=server');
    expect(status).toBe(1);
    expect(stderr).toContain(`.spec.${field}: field not declared in schema`);
  });

  describe('A worker that starts training Jobs', () => {
    let documents: readonly Manifest[];
    let account: string;
    beforeAll(async () => {
      documents = await rendered(['production', 'gpu']);
      const kinds = ['ServiceAccount', 'Role', 'RoleBinding', 'ConfigMap'];
      expect((await apply(documents.filter(({ kind }) => kinds.includes(kind)))).status).toBe(0);
      account = await mkdtemp(join(tmpdir(), 'seam-account-'));
      await writeFile(join(account, 'token'), await cluster.must(['create', 'token', 'demo-training']));
      await writeFile(join(account, 'namespace'), cluster.namespace);
      await writeFile(join(account, 'ca.crt'), cluster.api.authorities);
    });
    afterAll(() => rm(account, { recursive: true }));

    it('may do that, and nothing else', async () => {
      const may = async (verb: string, resource: string): Promise<string> => {
        const as = `system:serviceaccount:${cluster.namespace}:demo-training`;
        const asked = ['--namespace', cluster.namespace, 'auth', 'can-i', verb, resource, '--as', as];
        return (await cluster.tools.kubectl(asked)).stdout.trim();
      };
      for (const verb of ['get', 'list', 'create', 'delete'])
        expect([verb, await may(verb, 'jobs.batch')]).toEqual([verb, 'yes']);
      const forbidden = [
        ['get', 'secrets'],
        ['create', 'pods'],
        ['get', 'pods/log'],
        ['patch', 'jobs.batch'],
        ['create', 'deployments.apps'],
        ['list', 'nodes'],
      ];
      for (const [verb, resource] of forbidden)
        expect([verb, resource, await may(verb!, resource!)]).toEqual([verb, resource, 'no']);
    });

    it('submits, finds, follows and removes them with its own token', async () => {
      const [job] = documents.flatMap(trainingJobs);
      // No node has this label: the test says how the pod ends, not a kubelet.
      const pod = (job!.spec as { template: { spec: object } }).template.spec;
      const nowhere = { ...pod, nodeSelector: { 'seamstream.test/none': 'true' } };
      const manifest = {
        ...job!,
        spec: { ...job!.spec, template: { ...(job!.spec!.template as object), spec: nowhere } },
      };
      const jobs = new KubernetesJobs({
        server: cluster.api.server,
        accountFolder: account,
        template: jobTemplate(JSON.stringify(manifest)),
        command: ['torchrun', '--standalone'],
      });
      const gone = async (name: string): Promise<void> => {
        await jobs.remove(name);
        while ((await jobs.find(name)) !== undefined) await cluster.must(['get', 'job', name, '--ignore-not-found']);
      };
      await jobs.check();
      expect(await jobs.find('seam-1')).toBeUndefined();
      await jobs.submit('seam-1', '/jobs/first');
      expect(await jobs.find('seam-1')).toEqual({ folder: '/jobs/first', state: 'waiting' });
      // A second program for the same content is never started.
      await expect(jobs.submit('seam-1', '/jobs/second')).rejects.toThrow('409');
      await gone('seam-1');
      for (const [name, exitCode, state] of [
        ['seam-2', 0, 'succeeded'],
        ['seam-3', 65, 'failed'],
      ] as const) {
        await jobs.submit(name, '/jobs/2');
        await endPod(cluster, `batch.kubernetes.io/job-name=${name}`, { exitCode, message: 'out of memory' });
        while (['waiting', 'running'].includes((await jobs.find(name))?.state ?? ''))
          await cluster.must(['get', 'job', name]);
        expect(await jobs.find(name)).toEqual({ folder: '/jobs/2', state });
        expect(await jobs.reportOf(name)).toContain(`status ${exitCode}: out of memory`);
        await gone(name);
      }
    });
  });
});
