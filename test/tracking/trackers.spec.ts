/** Figures of self-trainings on a real server of MLflow, and in Weights & Biases without a server (its offline mode). */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { type ModelServer, packageIndexAnswers, pythonWith, startMlflowServer } from '@seamstream/dev-servers';
import { encodeEvent, type SeamEvent } from '@seamstream/events';
import { FilesTracker, MlflowTracker, type TrackedRun } from '@seamstream/experiment-tracking';
import { isSeamError } from '@seamstream/kernel';
import { endedIteration, selfTrainingLog } from '@seamstream/testing/self-training-log';
import { fakeWorld } from '../../apps/cli/src/command-runtime.fake.js';

// Its packages are fetched the first time.
jest.setTimeout(1_800_000);

const SCRIPT = fileURLToPath(new URL('../../infra/tracking/wandb_from_files.py', import.meta.url));

let folder: string;
let mlflow: ModelServer | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'seam-tracking-'));
  mlflow = await startMlflowServer().catch(skipped);
});
afterAll(async () => {
  await mlflow?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe("MLflow's server", () => {
  it('has each figure once, however often and in whichever parts a run is given', async () => {
    if (mlflow === undefined) return;
    const tracker = new MlflowTracker({ url: mlflow.url, experiment: 'edits' });
    expect(await tracker.track(runOf(1))).toMatchObject({ added: 2 });
    expect(await tracker.track(runOf(1))).toMatchObject({ added: 0 });
    expect(await tracker.track(runOf(3))).toMatchObject({ added: 4 });
    // Another process, another experiment of the same server.
    expect(await new MlflowTracker({ url: mlflow.url, experiment: 'edits' }).track(runOf(3))).toMatchObject({
      added: 0,
    });
    const [run, ...others] = await runsOf(mlflow.url, 'edits');
    expect(others).toEqual([]);
    expect(run).toMatchObject({ info: { run_name: 'restem one', status: 'FINISHED' } });
    expect(run!.data.params).toContainEqual({ key: 'algorithm.keep', value: 'best' });
    expect(await historyOf(mlflow.url, run!, 'reward/mean')).toEqual([
      [1, 0.25],
      [2, 0.375],
      [3, 0.5],
    ]);
  });

  it('takes more figures and longer words than one request may hold', async () => {
    if (mlflow === undefined) return;
    const points = Array.from({ length: 2_300 }, (_, at) => ({
      metric: 'many',
      step: at + 1,
      value: at / 7,
      at: 1e12,
    }));
    const parameters = Object.fromEntries(Array.from({ length: 230 }, (_, at) => [`p${at}`, 'x'.repeat(900)]));
    const tracker = new MlflowTracker({ url: mlflow.url, experiment: 'large' });
    const run = { ...runOf(0), id: 'large', points, parameters };
    expect(await tracker.track(run)).toMatchObject({ added: 2_300 });
    expect(await tracker.track(run)).toMatchObject({ added: 0 });
  });

  it('that is gone is an outage, and the run is complete later', async () => {
    if (mlflow === undefined) return;
    const tracker = new MlflowTracker({ url: mlflow.url, experiment: 'restarted' });
    await tracker.track({ ...runOf(1), id: 'two' });
    await mlflow.kill();
    await expect(tracker.track({ ...runOf(2), id: 'two' })).rejects.toMatchObject({ code: 'ENDPOINT_UNAVAILABLE' });
    await mlflow.restart();
    expect(await tracker.track({ ...runOf(2), id: 'two' })).toMatchObject({ added: 2 });
  });
});

describe('seam restem track', () => {
  it('shows the self-trainings of the log on the server, and later what is new', async () => {
    if (mlflow === undefined) return;
    const world = await fakeWorld();
    const track = async (events: readonly SeamEvent[]) => {
      await world.log.append(events.map(encodeEvent));
      expect(await world.seam('restem', 'track', '--mlflow', mlflow!.url, '--experiment', 'told')).toBe(0);
      return world.takeOutput();
    };
    expect(await track(selfTrainingLog('t-1', [[0.25, 0.75]]))).toMatch(/^t-1: [1-9]\d* new figures, /);
    expect(await track([])).toMatch(/^t-1: 0 new figures, /);
    await track(endedIteration('t-1', 2, [1, 1]));
    const [run, ...others] = await runsOf(mlflow.url, 'told');
    expect(others).toEqual([]);
    expect(run).toMatchObject({ info: { run_name: 'restem t-1', status: 'FINISHED' } });
    expect(await historyOf(mlflow.url, run!, 'reward/mean')).toEqual([
      [1, 0.5],
      [2, 1],
    ]);
  });

  it('ends with an error where no server answers', async () => {
    const world = await fakeWorld();
    await world.log.append(selfTrainingLog('t-1', [[1]]).map(encodeEvent));
    expect(await world.seam('restem', 'track', '--mlflow', 'http://127.0.0.1:1')).not.toBe(0);
    expect(world.takeErrors()).toContain('127.0.0.1:1');
  });
});

describe('Weights & Biases', () => {
  it('takes the runs of a folder without a server, and says which', async () => {
    const python = await pythonWith(['wandb==0.22.3']).catch(skipped);
    if (python === undefined) return;
    await new FilesTracker(join(folder, 'tracked')).track(runOf(3));
    const { status, stdout, stderr } = await python.run(SCRIPT, [join(folder, 'tracked'), '--project', 'edits'], {
      env: { WANDB_MODE: 'offline', WANDB_DIR: folder, WANDB_SILENT: 'true', HOME: folder },
    });
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout.trim().split('\n').at(-1)!)).toEqual({ id: 'one', steps: 3 });
    const [offline] = (await readdir(join(folder, 'wandb'))).filter((name) => name.startsWith('offline-run-'));
    const written = await readFile(join(folder, 'wandb', offline!, 'run-one.wandb'), 'latin1');
    for (const word of ['reward/mean', 'algorithm.keep', 'restem one']) expect(written).toContain(word);
  });
});

function runOf(iterations: number): TrackedRun {
  return {
    ...{ id: 'one', name: 'restem one', startedAt: 1e12, endedAt: iterations === 3 ? 2e12 : null },
    status: iterations === 3 ? 'finished' : 'running',
    parameters: { iterations: '3', 'algorithm.keep': 'best' },
    points: Array.from({ length: iterations }, (_, at) => at + 1).flatMap((step) => [
      { metric: 'reward/mean', step, value: (step + 1) / 8, at: 1e12 + step },
      { metric: 'success_rate', step, value: step / 4, at: 1e12 + step },
    ]),
  };
}

interface ServedRun {
  readonly info: { readonly run_id: string; readonly run_name: string; readonly status: string };
  readonly data: { readonly params: readonly { readonly key: string; readonly value: string }[] };
}

/** Step and value of each point. */
async function historyOf(url: string, { info }: ServedRun, metric: string): Promise<readonly (readonly number[])[]> {
  const history = await ask(url, `metrics/get-history?run_id=${info.run_id}&metric_key=${metric}`);
  const { metrics } = history as { readonly metrics: readonly { readonly step: number; readonly value: number }[] };
  return metrics.map(({ step, value }) => [step, value]);
}

async function runsOf(url: string, name: string): Promise<readonly ServedRun[]> {
  const { experiment } = (await ask(url, `experiments/get-by-name?experiment_name=${name}`)) as {
    readonly experiment: { readonly experiment_id: string };
  };
  const body = { experiment_ids: [experiment.experiment_id], max_results: 100 };
  return ((await ask(url, 'runs/search', body)) as { readonly runs: readonly ServedRun[] }).runs;
}

async function ask(url: string, path: string, body?: object): Promise<unknown> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(`${url}/api/2.0/mlflow/${path}`, body === undefined ? {} : init);
  return response.json();
}

/** For want of the index alone. */
async function skipped(error: unknown): Promise<undefined> {
  if (!isSeamError(error, 'INVALID_CONFIGURATION') || (await packageIndexAnswers())) throw error;
  process.stderr.write('SKIPPED: packages cannot be had, and no index answers.\n');
}
