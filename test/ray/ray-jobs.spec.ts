/**
 * Training as jobs of a real Ray: the services as processes, their trainer with PyTorch under torchrun on Ray. Killed at any process by
 * SIGKILL, Ray's own among them, the run resumes, ends once, and makes the same within the tolerance that the engine states.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { pythonWithTransformers, type Ray, startRay } from '@seamstream/dev-servers';
import { sleep } from '@seamstream/kernel';
import type { Environment } from '@seamstream/service-kit';
import { ClusterLauncher, RayJobs, type RunningJob } from '@seamstream/training-contract';
import { fetched } from '../real-model/fetched.js';
import type { Scene } from '../support/toy-run.js';
import { createToyWorld } from '../support/toy-world.js';
import { engineProcesses, torchEnvironment } from '../torch/torch-engine.js';
import { expectResumed, expectWhole, expectWithin, killing, play } from '../torch/torch-loop.js';

jest.setTimeout(1_800_000);

const needed = await fetched('Ray, PyTorch or transformers', async () => ({
  python: await pythonWithTransformers(),
  ray: await startRay(),
}));

let jobsFolder: string;
beforeAll(async () => (jobsFolder = await mkdtemp(join(tmpdir(), 'ray-jobs-'))));
afterAll(async () => {
  await rm(jobsFolder, { recursive: true });
  await needed?.ray.close();
});

(needed === undefined ? describe.skip : describe)('a job of Ray', () => {
  const { dashboard } = (needed?.ray ?? {}) as Ray;

  it('succeeds as its program does, which has the folder as its last word', async () => {
    const folder = await folderOf('succeeds');
    const { ended } = started(
      ['sh', '-c', 'test "$1" = "two  words" && test -f "$2/input/job.json"', 'sh', 'two  words'],
      folder,
    );
    await expect(ended).resolves.toMatchObject({ hasSucceeded: true });
  });

  it('fails as its program does, with what it said', async () => {
    const { ended } = started(['sh', '-c', 'echo "out of memory: $0"; exit 9'], await folderOf('fails'));
    const { hasSucceeded, report } = await ended;
    expect(hasSucceeded).toBe(false);
    expect(report).toContain(`out of memory: ${jobsFolder}`);
  });

  it('ends when it is cancelled, and a second start of the same takes its place', async () => {
    const [first, second] = [await folderOf('waits'), await folderOf('waits')];
    const waits = ['sh', '-c', 'echo $$ > "$0/pid"; exec sleep 600'];
    const overtaken = started(waits, first);
    const firstPid = await pidIn(first);
    const running = started(waits, second);
    await expect(overtaken.ended).resolves.toMatchObject({ hasSucceeded: false });
    const secondPid = await pidIn(second);
    expect(isAlive(firstPid)).toBe(false);
    running.cancel();
    await expect(running.ended).resolves.toMatchObject({ hasSucceeded: false });
    expect(isAlive(secondPid)).toBe(false);
  });

  it('trains a planned run of the services, which resumes when any process is killed, and ends once', async () => {
    const world = await createToyWorld();
    try {
      const right = await play(world, {}, 1);
      const engine = () => engineProcesses(world.generatorFolder);
      const killed: string[] = [];
      const victims = {
        // The machine with it: what the job had started is gone, too, and the new head knows of no job.
        'the head of Ray': async () => {
          await needed!.ray.killHead();
          for (const { pid } of await engine()) process.kill(pid, 'SIGKILL');
          await needed!.ray.startHead();
        },
        'a worker of torchrun': async () => {
          process.kill((await engine()).find(({ isWorker }) => isWorker)!.pid, 'SIGKILL');
        },
        'the worker of Ray': async () => {
          process.kill(await rayWorkerAbove((await engine()).find(({ isWorker }) => !isWorker)!.pid), 'SIGKILL');
        },
        'the trainer': ({ services }: Scene) => services.killAndRestart('trainer'),
      };
      const run = await play(world, onRay(2), 1, killing(victims, killed));
      process.stderr.write(`killed ${killed.join(', ')}\n`);
      expect(killed).toHaveLength(Object.keys(victims).length);
      expectResumed(run);
      expectWhole(run, 1, 2);
      await expectWithin(world, run, right);
      expect(await engine()).toEqual([]);
    } finally {
      await rm(world.folder, { recursive: true });
    }
  });

  function onRay(processes: number): Environment {
    // Ray's own processes have other packages: the program's environment is a part of its command.
    const words = Object.entries(torchEnvironment(needed!.python)).map(([name, value]) => `${name}=${value}`);
    return {
      SEAM_TRAINER_ENGINE: 'torch',
      SEAM_TRAINER_TORCH_LAUNCHER: 'ray',
      SEAM_TRAINER_TORCH_RAY_DASHBOARD: dashboard,
      SEAM_TRAINER_TORCH_JOBS_FOLDER: jobsFolder,
      SEAM_TRAINER_TORCH_COMMAND: `env ${words.join(' ')} ${needed!.python.command} -m torch.distributed.run --standalone`,
      SEAM_TRAINER_TORCH_PROCESSES: String(processes),
    };
  }

  function started(command: readonly string[], folder: string): RunningJob {
    return new ClusterLauncher(new RayJobs({ dashboard, command, gpus: 0 }), { lookEveryMs: 200 }).start(folder);
  }
});

/** A folder with a job of this content. */
async function folderOf(content: string): Promise<string> {
  const folder = await mkdtemp(join(jobsFolder, "it's a job "));
  await mkdir(join(folder, 'input'));
  await writeFile(join(folder, 'input/job.json'), content);
  return folder;
}

async function pidIn(folder: string): Promise<number> {
  for (let looks = 0; looks < 600; looks++) {
    const text = await readFile(join(folder, 'pid'), 'utf8').catch(() => '');
    if (text.endsWith('\n')) return Number(text);
    await sleep(100);
  }
  throw new Error(`the program did not start within 60 s in ${folder}`);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The process of Ray that started this one. */
async function rayWorkerAbove(pid: number): Promise<number> {
  for (let above = pid; above > 1; ) {
    const status = await readFile(`/proc/${above}/status`, 'utf8');
    above = Number(/^PPid:\s*(\d+)/m.exec(status)![1]);
    if ((await readFile(`/proc/${above}/cmdline`, 'utf8')).startsWith('ray::')) return above;
  }
  throw new Error(`process ${pid} was not started by Ray`);
}
