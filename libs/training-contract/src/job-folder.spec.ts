import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep } from '@seamstream/kernel';
import { type Following, followJob, JobFolder } from './job-folder.js';
import { ChildProcessLauncher } from './job-launcher.child-process.adapter.js';
import { type EndedJob, JobLauncher, type RunningJob } from './job-launcher.port.js';

let folder: JobFolder;
beforeEach(async () => {
  folder = new JobFolder(await mkdtemp(join(tmpdir(), 'job-folder-')));
});
afterEach(() => rm(folder.path, { recursive: true }));

describe('a program that is followed', () => {
  it('has its figures handed on once, in order, and its checkpoints, the oldest first', async () => {
    const steps: number[] = [];
    const saved: number[] = [];
    await follow(`for (let n = 1; n <= 4; n++) { step(n); if (n < 4) checkpoint(n); await pause(n * 60); }`, {
      onStep: ({ step }) => steps.push(step),
      onCheckpoint: async ({ step }) => void saved.push(step),
    });
    expect(steps).toEqual([1, 2, 3, 4]);
    expect(saved).toEqual([1, 2, 3]);
  });

  it('has only what is new since its start handed on', async () => {
    const program = 'step(1); step(2); checkpoint(1); checkpoint(2);';
    await follow(program);
    const steps: number[] = [];
    const saved: number[] = [];
    await follow('checkpoint(2); step(3); checkpoint(3);', {
      onStep: ({ step }) => steps.push(step),
      onCheckpoint: async ({ step }) => void saved.push(step),
    });
    expect(steps).toEqual([3]);
    expect(saved).toEqual([3]);
  });

  it('is refused with the code and the reason that it gives', async () => {
    const failure = { code: 'NON_FINITE', message: 'Cannot take a step: expected a finite loss, got NaN.' };
    await expect(
      follow(`put('output/failure.json', ${JSON.stringify(failure)}); process.exit(65)`),
    ).rejects.toMatchObject(failure);
  });

  it.each([
    ['process.stderr.write("out of memory"); process.exit(9)', /status 9: .*out of memory/],
    ['process.kill(process.pid, "SIGKILL")', /signal SIGKILL/],
  ])('has failed for the engine, to be started again, where it gives none: %s', async (program, message) => {
    await expect(follow(program)).rejects.toMatchObject({
      code: 'ENGINE_FAILED',
      retryable: true,
      message: expect.stringMatching(message) as string,
    });
  });

  it('has failed where it cannot be started', async () => {
    const launcher = new ChildProcessLauncher({ command: [join(folder.path, 'missing')] });
    const { signal } = new AbortController();
    await expect(followJob({ launcher, folder, signal })).rejects.toMatchObject({
      code: 'ENGINE_FAILED',
      message: expect.stringContaining('could not be started') as string,
    });
  });

  it('is ended, with what it started, when it is to be left for later, and its last checkpoint is handed on', async () => {
    const controller = new AbortController();
    const saved: number[] = [];
    const following = follow(`${STUBBORN} step(1); checkpoint(1); await pause(60_000)`, {
      signal: controller.signal,
      onStep: () => controller.abort(),
      onCheckpoint: async ({ step }) => void saved.push(step),
    });
    await expect(following).rejects.toMatchObject({ code: 'ABORTED' });
    expect(saved).toEqual([1]);
    await expectNoneLeft();
  });

  it('is ended, to be started again, where no step and no checkpoint comes for long', async () => {
    const following = follow(`${STUBBORN} step(1); await pause(60_000)`, { progressWithinMs: 1_500 });
    await expect(following).rejects.toMatchObject({
      code: 'ENGINE_FAILED',
      message: expect.stringMatching(/expected a step or a checkpoint within 1.5 s/) as string,
    });
    await expectNoneLeft();
  });

  it('is not ended while each step comes in time, or while it waits for its start', async () => {
    await follow('for (let n = 1; n <= 4; n++) { await pause(500); step(n); }', { progressWithinMs: 1_500 });
    const ended = sleep(600).then(() => ({ hasSucceeded: true, report: '' }));
    const launcher = new WaitingLauncher(ended);
    await followJob({ launcher, folder, signal: new AbortController().signal, progressWithinMs: 100 });
  });

  it('is over when it ends, and what it left running ends with it', async () => {
    await follow(`
      const left = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
      put('pids.json', [process.pid, left.pid]);
      process.exit(0);`);
    await expectNoneLeft();
  });

  it('is ended where a checkpoint cannot be kept, as by a worker that is fenced', async () => {
    const following = follow(`${STUBBORN} checkpoint(1); await pause(60_000)`, {
      onCheckpoint: () => Promise.reject(new Error('fenced')),
    });
    await expect(following).rejects.toThrow('fenced');
    await expectNoneLeft();
  });
});

class WaitingLauncher extends JobLauncher {
  constructor(private readonly ended: Promise<EndedJob>) {
    super();
  }

  override start(): RunningJob {
    return { ended: this.ended, cancel: () => undefined, isWaiting: () => true };
  }
}

/** Deaf to SIGTERM, and with a child that is as deaf. */
const STUBBORN = `
  process.on('SIGTERM', () => {});
  const deaf = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
  const child = spawn(process.execPath, ['-e', deaf]);
  put('pids.json', [process.pid, child.pid]);`;

/** What a program of the tests begins with. */
const PRELUDE = `
  const { mkdirSync, writeFileSync, renameSync } = require('node:fs');
  const { dirname, join } = require('node:path');
  const { spawn } = require('node:child_process');
  const folder = process.argv.at(-1);
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const write = (path, text) => {
    const place = join(folder, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place + '.new', text);
    renameSync(place + '.new', place);
  };
  const put = (path, value) => write(path, JSON.stringify(value));
  const line = (step) => JSON.stringify({ step, learningRate: 1, loss: 1, gradientNorm: 1, tokens: 1 }) + '\\n';
  const step = (n) => write('output/metrics.jsonl', Array.from({ length: n }, (_, at) => line(at + 1)).join(''));
  const engine = { name: 'none', versions: {}, device: 'cpu', precision: 'float32', worldSize: 1, tolerance: null };
  const checkpoint = (step) => {
    const below = 'checkpoints/step-00000' + step + '/';
    const state = [{ path: below + 'state', sha256: '0'.repeat(64), sizeBytes: 0 }];
    put(below + 'checkpoint.json', { runId: 'run', step, engine, state });
  };`;

function follow(program: string, more: Partial<Following> = {}): Promise<void> {
  const script = `${PRELUDE} (async () => { ${program} })();`;
  const launcher = new ChildProcessLauncher({ command: [process.execPath, '-e', script], graceMs: 100 });
  return followJob({ launcher, folder, signal: new AbortController().signal, ...more });
}

async function expectNoneLeft(): Promise<void> {
  const pids = JSON.parse(await readFile(join(folder.path, 'pids.json'), 'utf8')) as number[];
  expect(pids).toHaveLength(2);
  const isAlive = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  // The system takes the child of an ended process away when it comes to it.
  for (let looks = 0; looks < 100 && pids.some(isAlive); looks++) await sleep(50);
  expect(pids.filter(isAlive)).toEqual([]);
}
