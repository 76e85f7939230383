/** Jobs of Kubernetes against a server that answers as the API's documentation says: names, tokens, deletion in the foreground. */

import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@seamstream/testing';
import { ClusterLauncher } from './cluster-jobs.js';
import { type JobTemplate, jobTemplate, KubernetesJobs } from './cluster-jobs.kubernetes.adapter.js';

const EXAMPLE = new URL('../../../engines/torch/kubernetes-job.json', import.meta.url);

let root: string;
let api: Api;
let template: JobTemplate;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'kubernetes-jobs-'));
  api = await Api.open();
  template = jobTemplate(await readFile(EXAMPLE, 'utf8'));
  await mkdir(join(root, 'account'));
  for (const [name, text] of [
    ['token', 'first\n'],
    ['namespace', 'learning'],
    ['ca.crt', ''],
  ] as const)
    await writeFile(join(root, 'account', name), text);
});
afterEach(async () => {
  await api.close();
  await rm(root, { recursive: true });
});

describe('a Job of Kubernetes', () => {
  it('is the manifest of the operator with the command, and is never tried again by Kubernetes', () => {
    const { metadata, spec } = jobs().manifestOf('seam-1', '/shared/jobs/1');
    expect(metadata).toMatchObject({ name: 'seam-1', annotations: { 'seamstream/job-folder': '/shared/jobs/1' } });
    const pod = spec.template.spec;
    expect([spec.backoffLimit, pod.restartPolicy]).toEqual([0, 'Never']);
    const [ours, other] = pod.containers;
    expect(ours).toMatchObject({ command: ['torchrun', '-m', 'x', '/shared/jobs/1'], image: expect.anything() });
    expect(other).toBeUndefined();
  });

  it('leaves the other containers of the manifest as they are', () => {
    const pod = template.spec.template.spec;
    const other = { name: 'proxy', image: 'proxy', command: ['proxy'] };
    template = { ...template, spec: { template: { spec: { ...pod, containers: [other, ...pod.containers] } } } };
    expect(jobs().manifestOf('seam-1', '/shared').spec.template.spec.containers[0]).toEqual(other);
  });

  it.each([
    ['no JSON', 'no JSON'],
    ['{"apiVersion":"v1","kind":"Pod"}', 'batch/v1'],
    [
      '{"apiVersion":"batch/v1","kind":"Job","spec":{"template":{"spec":{"containers":[{"name":"a"}]}}}}',
      'a container named torch',
    ],
  ])('is refused where the manifest is not one of a Job for the program: %s', (text, message) => {
    let thrown: unknown;
    try {
      jobTemplate(text);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining(message) as string,
    });
  });

  it('succeeds when it is complete', async () => {
    const { ended } = launcher().start(await folderOf('a job'));
    await until(() => api.jobs.size === 1);
    api.end('Complete');
    await expect(ended).resolves.toMatchObject({ hasSucceeded: true });
    expect(api.posted).toHaveLength(1);
  });

  it('fails with what its container said last', async () => {
    const { ended } = launcher().start(await folderOf('a job'));
    await until(() => api.jobs.size === 1);
    api.end('Failed');
    await expect(ended).resolves.toMatchObject({
      hasSucceeded: false,
      report: expect.stringMatching(
        /status 9: out of memory\n.*Job has reached the specified backoff limit/s,
      ) as string,
    });
  });

  it.each([
    [
      { containerStatuses: [{ state: { waiting: { reason: 'ImagePullBackOff', message: 'no torch:none' } } }] },
      /ImagePullBackOff: no torch:none/,
    ],
    [
      { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' }] },
      /Unschedulable: 0\/3 nodes/,
    ],
    [undefined, /no pod/],
  ])('that does not start is deleted, and says why: %j', async (status, said) => {
    api.pods = status === undefined ? [] : [{ status: { phase: 'Pending', ...status } }];
    const { report } = await launcher(50).start(await folderOf('a job')).ended;
    expect(report).toMatch(/did not start within 0.05 s/);
    expect(report).toMatch(said);
    await until(() => api.jobs.size === 0);
  });

  it.each([
    [{ ready: 1 }, 'Pending', 'running'],
    [{ ready: 0 }, 'Running', 'running'],
    [{ ready: 0 }, 'Pending', 'waiting'],
  ])('with status %j and a pod that is %s is %s', async (status, phase, state) => {
    api.pods = [{ status: { phase } }];
    await jobs().submit('seam-1', '/jobs/1');
    api.jobs.get('seam-1')!.status = status;
    await expect(jobs().find('seam-1')).resolves.toEqual({ folder: '/jobs/1', state });
  });

  it('is deleted when it is cancelled, and has ended when its pods have', async () => {
    const running = launcher().start(await folderOf('a job'));
    await until(() => api.jobs.size === 1);
    running.cancel();
    await expect(running.ended).resolves.toMatchObject({ hasSucceeded: false });
    expect(api.jobs.size).toBe(0);
  });

  it('is deleted where a newer start takes its place', async () => {
    const [first, second] = [await folderOf('a job'), await folderOf('a job')];
    const overtaken = launcher().start(first);
    await until(() => api.jobs.size === 1);
    const { ended } = launcher().start(second);
    await expect(overtaken.ended).resolves.toMatchObject({ hasSucceeded: false });
    await until(() => api.posted.length === 2);
    await until(() => api.jobs.size === 1);
    api.end('Complete');
    await expect(ended).resolves.toMatchObject({ hasSucceeded: true });
    expect(api.mostAtOnce).toBe(1);
  });

  it('is asked for with the token as it is now, and is given up where that is refused', async () => {
    await jobs().check();
    api.token = 'second';
    await expect(jobs().check()).rejects.toThrow('401');
    await writeFile(join(root, 'account/token'), 'second');
    await jobs().check();
    api.token = 'third';
    await expect(launcher().start(await folderOf('a job')).ended).resolves.toMatchObject({
      hasSucceeded: false,
      report: expect.stringContaining('401') as string,
    });
  });
});

function jobs(): KubernetesJobs {
  const command = ['torchrun', '-m', 'x'];
  return new KubernetesJobs({ server: api.url, accountFolder: join(root, 'account'), template, command });
}

function launcher(startWithinMs = 60_000): ClusterLauncher {
  return new ClusterLauncher(jobs(), { lookEveryMs: 5, silenceMs: 500, startWithinMs });
}

/** A folder with this job. */
async function folderOf(content: string): Promise<string> {
  const folder = await mkdtemp(join(root, 'job-'));
  await mkdir(join(folder, 'input'));
  await writeFile(join(folder, 'input/job.json'), content);
  return folder;
}

interface StoredJob {
  metadata: { name: string; deletionTimestamp?: string };
  status?: object;
}

/** The part of Kubernetes' API that jobs need. */
class Api {
  readonly jobs = new Map<string, StoredJob>();
  readonly posted: string[] = [];
  mostAtOnce = 0;
  pods: unknown[] = [
    {
      status: {
        phase: 'Running',
        containerStatuses: [{ state: { terminated: { exitCode: 9, message: 'out of memory' } } }],
      },
    },
  ];
  token = 'first';
  url = '';

  private constructor(private readonly server: Server) {}

  static async open(): Promise<Api> {
    const server = createServer();
    const opened = new Api(server);
    server.on('request', (request, response) => void opened.reply(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    opened.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return opened;
  }

  async close(): Promise<void> {
    await new Promise((resolve) => this.server.close(resolve));
  }

  end(type: 'Complete' | 'Failed'): void {
    const message = type === 'Failed' ? 'Job has reached the specified backoff limit' : '';
    for (const job of this.jobs.values()) job.status = { conditions: [{ type, status: 'True', message }] };
  }

  private async reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [status, body] = this.answer(request, Buffer.concat(chunks).toString());
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  private answer({ headers, method, url }: IncomingMessage, text: string): readonly [number, unknown] {
    if (headers.authorization !== `Bearer ${this.token}`) return [401, { reason: 'Unauthorized' }];
    const { pathname, searchParams } = new URL(url!, this.url);
    if (pathname === '/api/v1/namespaces/learning/pods') {
      const isOurs = /^batch\.kubernetes\.io\/job-name=seam-[0-9a-f]+$/.test(searchParams.get('labelSelector') ?? '');
      return [200, { items: isOurs ? this.pods : [] }];
    }
    const [, name] = /^\/apis\/batch\/v1\/namespaces\/learning\/jobs(?:\/([^/]+))?$/.exec(pathname)!;
    if (method === 'POST') return this.create(JSON.parse(text) as StoredJob);
    if (name === undefined) return [200, { items: [...this.jobs.values()] }];
    const job = this.jobs.get(name);
    if (job === undefined) return [404, { reason: 'NotFound' }];
    const isFirst = job.metadata.deletionTimestamp === undefined;
    if (method === 'DELETE' && searchParams.get('propagationPolicy') === 'Foreground' && isFirst) {
      job.metadata.deletionTimestamp = new Date().toISOString();
      // Its pods end, and then it is gone.
      setTimeout(() => this.jobs.delete(name), 20);
    }
    return [200, job];
  }

  private create(job: StoredJob): readonly [number, unknown] {
    if (this.jobs.has(job.metadata.name)) return [409, { reason: 'AlreadyExists' }];
    this.posted.push(job.metadata.name);
    this.jobs.set(job.metadata.name, job);
    this.mostAtOnce = Math.max(this.mostAtOnce, this.jobs.size);
    return [201, job];
  }
}
