import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep } from '@seamstream/kernel';
import { until } from '@seamstream/testing';
import { type ClusterJob, ClusterJobs, ClusterLauncher } from './cluster-jobs.js';
import type { RunningJob } from './job-launcher.port.js';
import { RequestRefused } from './json-request.js';

let root: string;
let cluster: Cluster;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'cluster-jobs-'));
  cluster = new Cluster();
});
afterEach(async () => {
  // No job is followed after its test, also where that fails.
  for (const running of started.splice(0)) running.cancel();
  cluster.losesAnswers = 0;
  cluster.endAll('failed');
  await rm(root, { recursive: true });
});

describe('a job on a cluster', () => {
  it('is submitted once under a name of its content, and ends as its program does, with what it said', async () => {
    const { ended } = start(await folderOf('a job'));
    await until(() => cluster.jobs.size === 1);
    const [name] = cluster.jobs.keys();
    expect(name).toMatch(/^seam-[0-9a-f]{32}$/);
    cluster.jobs.get(name!)!.state = 'succeeded';
    await expect(ended).resolves.toEqual({ hasSucceeded: true, report: `job ${name!} succeeded: said` });
    expect(cluster.submitted).toEqual([name]);
  });

  it('has failed where its program has', async () => {
    const { ended } = start(await folderOf('a job'));
    await until(() => cluster.jobs.size === 1);
    for (const job of cluster.jobs.values()) job.state = 'failed';
    await expect(ended).resolves.toMatchObject({
      hasSucceeded: false,
      report: expect.stringContaining('failed: said') as string,
    });
  });

  it('has another name than another job', async () => {
    const both = [start(await folderOf('a job')), start(await folderOf('another'))];
    await until(() => cluster.jobs.size === 2);
    cluster.endAll('succeeded');
    await Promise.all(both.map(({ ended }) => ended));
  });

  it('takes the place of the same job of another start, which is ended first and hears of it', async () => {
    const [first, second] = [await folderOf('a job'), await folderOf('a job')];
    const overtaken = start(first);
    await until(() => cluster.jobs.size === 1);
    const { ended } = start(second);
    await expect(overtaken.ended).resolves.toMatchObject({ hasSucceeded: false });
    await until(() => [...cluster.jobs.values()].some(({ folder }) => folder === second));
    // The one that was overtaken leaves the other alone.
    overtaken.cancel();
    await sleep(30);
    cluster.endAll('succeeded');
    await expect(ended).resolves.toMatchObject({ hasSucceeded: true });
    expect(cluster.mostAtOnce).toBe(1);
  });

  it('is started again where the same job has failed before', async () => {
    const first = start(await folderOf('a job'));
    await until(() => cluster.jobs.size === 1);
    cluster.endAll('failed');
    await first.ended;
    const { ended } = start(await folderOf('a job'));
    await until(() => cluster.submitted.length === 2);
    cluster.endAll('succeeded');
    await expect(ended).resolves.toMatchObject({ hasSucceeded: true });
  });

  it('is stopped when it is cancelled, and has ended only when its program has', async () => {
    const running = start(await folderOf('a job'));
    await until(() => cluster.jobs.size === 1);
    cluster.stopsAfterMs = 50;
    running.cancel();
    const winner = await Promise.race([running.ended.then(() => 'ended'), sleep(25).then(() => 'still running')]);
    expect(winner).toBe('still running');
    await expect(running.ended).resolves.toMatchObject({ hasSucceeded: false });
    expect([...cluster.jobs.values()].map(({ state }) => state)).toEqual(['failed']);
  });

  it('is followed through requests that fail, and submitted once where the answer was lost', async () => {
    cluster.losesAnswers = 3;
    const { ended } = start(await folderOf('a job'));
    await until(() => cluster.jobs.size === 1 && cluster.losesAnswers === 0);
    cluster.endAll('succeeded');
    await expect(ended).resolves.toMatchObject({ hasSucceeded: true });
    expect(cluster.submitted).toHaveLength(1);
  });

  it('is given up where the cluster is silent for long, and at once where it refuses', async () => {
    cluster.losesAnswers = Number.POSITIVE_INFINITY;
    await expect(start(await folderOf('a job')).ended).resolves.toMatchObject({
      hasSucceeded: false,
      report: expect.stringContaining('cannot be followed: no answer') as string,
    });
    cluster.losesAnswers = 0;
    cluster.refuses = true;
    await expect(start(await folderOf('another')).ended).resolves.toMatchObject({
      hasSucceeded: false,
      report: expect.stringContaining('422') as string,
    });
  });

  it('has failed where another client takes it away', async () => {
    const { ended } = start(await folderOf('a job'));
    await until(() => cluster.jobs.size === 1);
    cluster.jobs.clear();
    await expect(ended).resolves.toMatchObject({
      hasSucceeded: false,
      report: expect.stringContaining('taken away') as string,
    });
    expect(cluster.submitted).toHaveLength(1);
  });

  it('is given up where it does not start in time, is taken away, and says what it waits for', async () => {
    cluster.begins = 'waiting';
    cluster.says = 'ImagePullBackOff: Back-off pulling image "torch:none"\n';
    const running = start(await folderOf('a job'), 50);
    await until(() => running.isWaiting!());
    const { hasSucceeded, report } = await running.ended;
    expect(hasSucceeded).toBe(false);
    expect(report).toMatch(/did not start within 0.05 s: ImagePullBackOff/);
    expect([...cluster.jobs.values()].map(({ state }) => state)).toEqual(['failed']);
  });

  it('is given up where it does not start, also by a cluster that does not come to taking it away', async () => {
    cluster.begins = 'waiting';
    cluster.stopsAfterMs = 60_000;
    await expect(start(await folderOf('a job'), 20).ended).resolves.toMatchObject({ hasSucceeded: false });
    cluster.jobs.clear();
  });

  it.each([
    ['cancelled', false],
    ['overtaken', true],
  ])('whose machine is lost is given up once it was %s and does not end', async (_how, isOvertaken) => {
    const first = start(await folderOf('a job'));
    await until(() => cluster.jobs.size === 1);
    cluster.stopsAfterMs = 60_000;
    if (!isOvertaken) first.cancel();
    const waiting = isOvertaken ? start(await folderOf('a job')) : first;
    await expect(waiting.ended).resolves.toMatchObject({
      hasSucceeded: false,
      report: expect.stringMatching(/did not end within 0.1 s: look at its machine/) as string,
    });
    cluster.jobs.clear();
  });

  it('runs for as long as it takes once it has started', async () => {
    cluster.begins = 'waiting';
    const running = start(await folderOf('a job'), 80);
    await until(() => cluster.jobs.size === 1);
    for (const job of cluster.jobs.values()) job.state = 'running';
    await until(() => !running.isWaiting!());
    await sleep(150);
    cluster.endAll('succeeded');
    await expect(running.ended).resolves.toMatchObject({ hasSucceeded: true });
  });

  it('is ended where the cluster refuses a look at it: no worker would follow it', async () => {
    const { ended } = start(await folderOf('a job'));
    await until(() => cluster.jobs.size === 1);
    cluster.refusesLooks = true;
    await expect(ended).resolves.toMatchObject({
      hasSucceeded: false,
      report: expect.stringMatching(/403. It was asked to end/) as string,
    });
    await until(() => [...cluster.jobs.values()].every((job) => !isOpen(job)));
  });
});

/** Jobs in memory that run until they are ended. */
class Cluster extends ClusterJobs {
  readonly jobs = new Map<string, { -readonly [K in keyof ClusterJob]: ClusterJob[K] }>();
  readonly submitted: string[] = [];
  mostAtOnce = 0;
  stopsAfterMs = 0;
  /** So many requests are carried out, and their answers lost. */
  losesAnswers = 0;
  refuses = false;
  refusesLooks = false;
  begins: ClusterJob['state'] = 'running';
  says = 'said\n';

  override async find(name: string): Promise<ClusterJob | undefined> {
    if (this.refusesLooks) throw new RequestRefused('GET was answered with 403');
    const job = this.jobs.get(name);
    return this.answer(job === undefined ? undefined : { ...job });
  }

  override async submit(name: string, folder: string): Promise<void> {
    if (this.refuses) throw new RequestRefused('POST was answered with 422');
    if (this.jobs.has(name)) throw new Error(`there is a job ${name}`);
    this.submitted.push(name);
    this.jobs.set(name, { folder, state: this.begins });
    const running = [...this.jobs.values()].filter(isOpen);
    this.mostAtOnce = Math.max(this.mostAtOnce, running.length);
    return this.answer(undefined);
  }

  override async stop(name: string): Promise<void> {
    const job = this.jobs.get(name)!;
    setTimeout(() => (job.state = 'failed'), this.stopsAfterMs).unref();
    return this.answer(undefined);
  }

  override async remove(name: string): Promise<void> {
    if (isOpen(this.jobs.get(name))) throw new Error(`${name} is running`);
    this.jobs.delete(name);
    return this.answer(undefined);
  }

  override async reportOf(): Promise<string> {
    return this.answer(this.says);
  }

  endAll(state: 'succeeded' | 'failed'): void {
    for (const job of this.jobs.values()) if (isOpen(job)) job.state = state;
  }

  private async answer<T>(value: T): Promise<T> {
    if (this.losesAnswers === 0) return value;
    this.losesAnswers--;
    throw new Error('no answer');
  }
}

function isOpen(job: ClusterJob | undefined): boolean {
  return job?.state === 'waiting' || job?.state === 'running';
}

/** A folder with this job. */
async function folderOf(content: string): Promise<string> {
  const folder = await mkdtemp(join(root, 'job-'));
  await mkdir(join(folder, 'input'));
  await writeFile(join(folder, 'input/job.json'), content);
  return folder;
}

const started: RunningJob[] = [];

function start(folder: string, startWithinMs = 60_000): RunningJob {
  const running = new ClusterLauncher(cluster, {
    ...{ lookEveryMs: 5, silenceMs: 200, endsWithinMs: 100, startWithinMs },
  }).start(folder);
  started.push(running);
  return running;
}
