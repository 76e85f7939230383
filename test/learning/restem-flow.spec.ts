/**
 * ReST-EM over the services: passages are explored by the present writer, what did best is imitated, and the log gives the writer again.
 * The generator knows nothing of edits and the executor learns a passage with any edit, so this is about the path and not about gains.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import type { EventLog } from '@seamstream/event-log';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import { TOPICS } from '@seamstream/events';
import { readSelfTrainings } from '@seamstream/operations/restem';
import { ledgerOf } from '../support/recorded-run.js';
import { seamLines } from '../support/seam-command.js';
import { houses, selfTrainingEnvironment } from '../support/self-training-world.js';

// Two services, a training per attempt and kills, on a machine that may be busy.
jest.setTimeout(300_000);

const pathOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** In the folder of the test. */
const START = ['restem', 'start', 'train.jsonl', '--preset', 'test', '--set', 'iterations=2'];

let folder: string;
let environment: NodeJS.ProcessEnv;
/** Read here while others write: a command for every look would take the cores from them. */
let log: EventLog;
const services: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'seam-restem-'));
  environment = { ...process.env, ...selfTrainingEnvironment(folder) };
  await writeFile(join(folder, 'train.jsonl'), houses(0, 8));
  await writeFile(environment.SEAM_TRAINER_VALIDATION_PROBLEMS!, houses(8, 10));
  log = await LmdbEventLog.open({ folder: join(environment.SEAM_DATA_FOLDER!, 'log') });
  await log.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));
  for (const name of ['generator', 'executor'])
    services.push(
      spawn(process.execPath, [pathOf(`apps/${name}/dist/main.js`)], { env: environment, stdio: 'inherit' }),
    );
});

describe('recorded self-edits', () => {
  it('are searched for the best settings of rest-em, of which the log holds nothing', async () => {
    await seam('publish', '--mode', 'explore', 'train.jsonl');
    await settled();
    const options = [
      '--ranks',
      '2,4',
      '--epochs',
      '1',
      '--minimum-gains',
      '0',
      '--learning-rates',
      '1e-3',
      '--trials',
      '2',
    ];
    const [searched] = (await seam('restem', 'search', 'validation.jsonl', '--out', 'trials.jsonl', ...options)) as [
      Searched,
    ];
    expect(searched.trials.map(({ result }) => result.status)).toEqual(['made', 'made', 'made']);
    const [, one, other] = searched.trials;
    expect(one!.result.digest).not.toBe(other!.result.digest);
    expect(searched.winner!.gain.interval95).toHaveLength(2);
    expect(await seam('runs', 'list')).toMatchObject([{ runs: [] }]);
  });

  it('train a writer, and the log gives the same writer again, each time', async () => {
    const [trained] = (await seam('train', 'rest-em')) as [Trained];
    expect(trained).toMatchObject({ status: 'promoted', adapterDigest: expect.stringMatching(/^[0-9a-f]{64}$/) });
    for (let replay = 0; replay < 2; replay++) {
      const [verified] = await seam('replay', '--verify-adapter', trained.adapterDigest);
      expect(verified).toMatchObject({ equal: true, replayedDigest: trained.adapterDigest });
    }
  });
});

describe('seam restem', () => {
  it('explores again with each promoted writer; killed anywhere, the same command continues, and stops where a person says so', async () => {
    // Killed while it waits, and while it trains.
    await killedWhen(({ iterations: [first] }) => first !== undefined && first.settled < first.problems);
    await killedWhen(({ iterations: [first] }) => first !== undefined && first.settled === first.problems);
    await killedWhen(({ iterations }) => iterations[1] !== undefined);
    const [stopped] = await seam('restem', 'stop', '--by', 'ada', '--reason', 'a look first');
    expect(stopped).toMatchObject({ by: 'ada' });
    expect(await report()).toMatchObject({ standing: 'stopped' });

    const [ended] = (await seam(...START)) as [Report];
    expect(ended).toMatchObject({ ended: 'done', standing: 'ended', stopped: null });
    expect(await report()).toEqual({ ...ended, ended: undefined });
    expect(ended.iterations).toHaveLength(2);
    const [first, second] = ended.iterations as [Iteration, Iteration];
    for (const { run, settled, problems, byOthers, attempts, reward } of ended.iterations) {
      expect(run).toMatchObject({ status: 'promoted', adapter: expect.stringMatching(/^[0-9a-f]{64}$/) });
      expect([settled, problems, byOthers]).toEqual([8, 8, 0]);
      expect(reward!.histogram.reduce((sum, each) => sum + each)).toBe(attempts);
    }
    // The second iteration is by what the first one made; nothing of it was trained twice.
    expect(second.writer).toBe(first.run!.adapter);
    const [{ runs }] = (await seam('runs', 'list')) as [{ runs: readonly { readonly parentAdapter: string | null }[] }];
    expect(runs.slice(-2).map(({ parentAdapter }) => parentAdapter)).toEqual([first.writer, second.writer]);
    expect(runs).toHaveLength(3);
    const [ledger] = await seam('ledger', '--check');
    expect(ledger).toMatchObject({ published: 24, inFlight: 0, balanced: true });
  });
});

afterAll(async () => {
  for (const service of services) {
    if (service.exitCode !== null) continue;
    service.kill('SIGTERM');
    await once(service, 'exit');
  }
  await log.close();
  await rm(folder, { recursive: true, force: true });
});

interface Iteration {
  readonly writer: string | null;
  readonly problems: number;
  readonly settled: number;
  readonly attempts: number;
  readonly byOthers: number;
  readonly reward: { readonly histogram: readonly number[] } | null;
  readonly run: { readonly adapter: string | null } | null;
}

interface Report {
  readonly ended?: string;
  readonly iterations: readonly Iteration[];
}

const LOOK_EVERY_MS = 50;

/** What the log says now of the self-training; a report without iterations before there is one. */
async function recorded(): Promise<Report> {
  const reading = {
    signal: new AbortController().signal,
    progress: () => ({ advance: () => undefined, stop: () => undefined }),
  };
  const [selfTraining] = await readSelfTrainings({ log, snapshots: null }, reading);
  return selfTraining ?? { iterations: [] };
}

/** What the command says of it. */
async function report(): Promise<Report> {
  const [{ selfTrainings }] = (await seam('restem', 'status')) as [{ selfTrainings: readonly Report[] }];
  return selfTrainings[0] ?? { iterations: [] };
}

/** Starts a self-training in a separate process and kills it when the log shows that it is time. */
async function killedWhen(isTime: (report: Report) => boolean): Promise<void> {
  const args = [pathOf('apps/cli/bin/seam.js'), ...START];
  const running = spawn(process.execPath, args, { env: environment, cwd: folder, stdio: 'ignore' });
  const ended = once(running, 'exit');
  while (running.exitCode === null && !isTime(await recorded())) await pause(LOOK_EVERY_MS);
  expect(running.exitCode).toBeNull();
  running.kill('SIGKILL');
  await ended;
}

interface Searched {
  readonly trials: readonly { readonly result: { readonly status: string; readonly digest: string } }[];
  readonly winner: { readonly gain: { readonly interval95: readonly number[] } } | null;
}

interface Trained {
  readonly status: string;
  readonly adapterDigest: string;
}

async function settled(): Promise<void> {
  while ((await ledgerOf(log)).inFlight > 0 && services.every(({ exitCode }) => exitCode === null))
    await pause(LOOK_EVERY_MS);
}

const seam = (...args: string[]): Promise<unknown[]> => seamLines(args, environment, folder);
