/** The engine of engines/torch as the tests start it, and as it carries out the jobs of any object store. */
import { readdirSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Python } from '@seamstream/dev-servers';
import { sha256 } from '@seamstream/kernel';
import type { ObjectStore } from '@seamstream/object-store';
import { ChildProcessLauncher, followJob, JobFolder, type JobLauncher } from '@seamstream/training-contract';

/** Where `python -m seamstream_torch` finds its modules without being installed. */
const SOURCES = fileURLToPath(new URL('../../engines/torch/src', import.meta.url));

/** With which `python -m seamstream_torch` starts in any folder. More processes than graphics processors compute on the CPU. */
export function torchEnvironment(python: Python, processes = 1): Readonly<Record<string, string>> {
  const packages = [python.environment.PYTHONPATH ?? process.env.PYTHONPATH].filter((path) => path !== undefined);
  return {
    ...python.environment,
    PYTHONPATH: [SOURCES, ...packages].join(delimiter),
    ...(processes > graphicsProcessors() ? { CUDA_VISIBLE_DEVICES: '' } : {}),
    PYTHONDONTWRITEBYTECODE: '1',
    // Threads that wait for each other without spinning: on a busy machine that is several times as fast.
    OMP_WAIT_POLICY: 'PASSIVE',
    OMP_NUM_THREADS: '1',
  };
}

/** Starts the engine on a model folder, in so many processes. */
export function torchLauncher(python: Python, model: string, processes = 1): ChildProcessLauncher {
  const engine = ['seamstream_torch', '--model', model, '--end-with-input'];
  const torchrun = ['torch.distributed.run', '--standalone', '--nproc-per-node', `${processes}`, '-m'];
  return new ChildProcessLauncher({
    command: [python.command, '-m', ...(processes === 1 ? [] : torchrun), ...engine],
    environment: torchEnvironment(python, processes),
  });
}

/** NVIDIA's, as the driver lists them. */
function graphicsProcessors(): number {
  return readdirSync('/dev').filter((name) => /^nvidia\d+$/.test(name)).length;
}

/** Processes that name the model's folder: torchrun, and the workers that it started. */
export async function engineProcesses(model: string): Promise<readonly { pid: number; isWorker: boolean }[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = pids.map(async (pid) => {
    const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
    const isOurs = words.includes(model) && words[0] !== process.execPath;
    return isOurs ? [{ pid: Number(pid), isWorker: !words.includes('torch.distributed.run') }] : [];
  });
  return (await Promise.all(found)).flat();
}

/** Carries out a job of an object store in a new folder, as a machine elsewhere does: what the program writes is put where the job is. */
export async function carryOutElsewhere(
  launcher: JobLauncher,
  { objects, folder }: { readonly objects: ObjectStore; readonly folder: string },
): Promise<void> {
  const place = new JobFolder(await mkdtemp(join(tmpdir(), 'seam-torch-job-')));
  const there = new Map<string, string>();
  const upload = async (path: string): Promise<void> => {
    const bytes = await place.read(path);
    if (bytes === undefined || there.get(path) === sha256(bytes)) return;
    await objects.put(`${folder}${path}`, bytes);
    there.set(path, sha256(bytes));
  };
  try {
    for await (const { key } of objects.list(folder)) {
      const path = key.slice(folder.length);
      const bytes = await objects.get(key);
      await place.put(path, bytes);
      there.set(path, sha256(bytes));
    }
    await followJob({
      launcher,
      folder: place,
      signal: new AbortController().signal,
      onCheckpoint: async ({ path, state }) => {
        for (const file of state) await upload(file.path);
        await upload(path);
      },
    });
    for (const name of ['metrics.jsonl', 'adapter.safetensors', 'scores.jsonl', 'result.json'])
      await upload(`output/${name}`);
  } finally {
    await rm(place.path, { recursive: true });
  }
}
