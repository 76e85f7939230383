/** Runs of engines/torch: the files of its contract (engines/torch/src/seamstream_torch/contract.py), and the process that carries them out. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Python } from '@seamstream/dev-servers';
import type { EngineIdentity } from '@seamstream/events';
import { sha256 } from '@seamstream/kernel';
import {
  initialTensors,
  loadCheckpoint,
  type OptimizerSettings,
  type StepMetrics,
  type TrainableSettings,
  type TrainingObjective,
  type TrainingSequence,
} from '@seamstream/language-model';
import { encodeSafetensors } from '@seamstream/model-files';

/** Where `python -m seamstream_torch` finds its modules without being installed. */
const SOURCES = fileURLToPath(new URL('../../engines/torch/src', import.meta.url));

export interface TorchRun {
  /** Folder of the base model. */
  readonly checkpoint: string;
  readonly trainable: TrainableSettings;
  /** Absent: the targets are scored. */
  readonly objective?: TrainingObjective;
  readonly steps: readonly {
    readonly optimizer?: OptimizerSettings;
    readonly sequences: readonly TrainingSequence[];
  }[];
  readonly compute?: Readonly<Record<string, unknown>>;
}

export interface TorchResult {
  readonly runId: string;
  readonly engine: EngineIdentity;
  readonly steps: number;
  readonly metrics: readonly StepMetrics[];
  readonly files: Readonly<Record<string, string>>;
}

/** Each distinct set of legal tokens once. */
class Masks {
  readonly lines: string[] = [];
  readonly #numbers = new Map<string, number>();

  constructor(private readonly vocabularySize: number) {}

  numberOf(allowed: readonly number[]): number {
    const legal = new Set(allowed);
    const banned = Array.from({ length: this.vocabularySize }, (_, id) => id).filter((id) => !legal.has(id));
    const line = JSON.stringify(
      banned.length < legal.size ? { banned } : { allowed: [...legal].sort((a, b) => a - b) },
    );
    const known = this.#numbers.get(line);
    if (known !== undefined) return known;
    this.#numbers.set(line, this.lines.length);
    return this.lines.push(line) - 1;
  }
}

/** Writes the input of a run; the manifest, which names it, last. The run's id. */
export async function writeTorchRun(folder: string, run: TorchRun): Promise<string> {
  const checkpoint = await loadCheckpoint(run.checkpoint);
  const masks = new Masks(checkpoint.config.vocabularySize);
  const steps = run.steps.map(({ optimizer, sequences }) => ({
    optimizer,
    sequences: sequences.map(({ allowed, ...sequence }) => ({
      ...sequence,
      ...(allowed === undefined ? {} : { masks: allowed.map((ids) => masks.numberOf(ids)) }),
    })),
  }));
  const settings = {
    format: 1,
    operation: run.objective === undefined ? 'score' : 'train',
    baseModel: { digest: checkpoint.digest, files: await modelFiles(run.checkpoint) },
    trainable: run.trainable,
    objective: run.objective ?? null,
    compute: run.compute ?? {},
    checkpointEvery: 5,
  };
  const lines = (each: readonly string[]): string => each.map((line) => `${line}\n`).join('');
  const files: Record<string, string | Uint8Array> = {
    'masks.jsonl': lines(masks.lines),
    'run.json': JSON.stringify(settings),
    'start.safetensors': encodeSafetensors(await initialTensors(checkpoint, run.trainable), { format: 'pt' }),
    'steps.jsonl': lines(steps.map((step) => JSON.stringify(step))),
  };
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const digests = Object.fromEntries(Object.entries(files).map(([name, content]) => [name, sha256(content)]));
  await writeFile(join(folder, 'manifest.json'), JSON.stringify({ format: 1, files: digests }));
  return sha256(lines(Object.entries(digests).map(([name, digest]) => `${digest}  ${name}`)));
}

async function modelFiles(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter((name) => name === 'config.json' || name.includes('.safetensors'));
  const digests = names.map(async (name) => {
    const hash = createHash('sha256').update(await readFile(join(folder, name)));
    return [name, hash.digest('hex')] as const;
  });
  return Object.fromEntries(await Promise.all(digests));
}

/** Carries out the run of a folder, in so many processes. @throws with what the engine said, where it refuses */
export async function carryOut(python: Python, folder: string, model: string, processes = 1): Promise<TorchResult> {
  const engine = ['seamstream_torch', folder, '--model', model];
  const launched = ['torch.distributed.run', '--standalone', '--nproc-per-node', `${processes}`, '-m', ...engine];
  // Threads that wait for each other without spinning: on a busy machine that is several times as fast.
  const env = { OMP_WAIT_POLICY: 'PASSIVE', OMP_NUM_THREADS: '1', PYTHONDONTWRITEBYTECODE: '1' };
  const { status, stderr } = await python.run('-m', processes === 1 ? engine : launched, { cwd: SOURCES, env });
  if (status !== 0) throw new Error(`the engine ended with ${String(status)}: ${stderr}`);
  return JSON.parse(await readFile(join(folder, 'result.json'), 'utf8')) as TorchResult;
}
