/** A job's files in a folder of this machine, and a program that works on them: started, followed, ended. */
import { mkdir, open, readdir, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ERROR_CODES, type ErrorCode, isSeamError, readRange, SeamError, sleep } from '@seamstream/kernel';
import type { z } from 'zod';
import { onDisk } from './job-disk.js';
import {
  getFile,
  JOB_PATHS,
  type JobFiles,
  type JobMetrics,
  jsonFile,
  linesAs,
  parsedAs,
  putFile,
} from './job-files.js';
import { checkpointSchema, type FileRef, failureSchema, metricsSchema } from './job-files.schema.js';
import type { EndedJob, JobLauncher } from './job-launcher.port.js';

/** Files as any program reads them, each whole or not there. */
export class JobFolder implements JobFiles {
  constructor(readonly path: string) {}

  async put(key: string, bytes: Uint8Array): Promise<void> {
    const place = join(this.path, key);
    await onDisk(place, async () => {
      await mkdir(dirname(place), { recursive: true });
      await writeFile(`${place}.partial`, bytes);
      await rename(`${place}.partial`, place);
    });
  }

  async get(key: string): Promise<Uint8Array> {
    const bytes = await this.read(key);
    if (bytes !== undefined) return bytes;
    throw new SeamError('OBJECT_NOT_FOUND', `Cannot read ${join(this.path, key)}: expected a file, got none.`);
  }

  /** Undefined where there is no such file. */
  async read(key: string): Promise<Uint8Array | undefined> {
    const place = join(this.path, key);
    return onDisk(place, () =>
      wholeFile(place).catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }),
    );
  }

  /** Checkpoints that are said to be whole, the oldest first. */
  async checkpoints(): Promise<readonly JobCheckpoint[]> {
    const place = join(this.path, 'checkpoints');
    const names = await onDisk(place, () =>
      readdir(place).catch((error: unknown): string[] => {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
        throw error;
      }),
    );
    const records = names.sort().map(async (name) => {
      const path = `checkpoints/${name}/checkpoint.json`;
      const bytes = await this.read(path);
      if (bytes === undefined) return [];
      return [{ path, ...parsedAs(checkpointSchema, Buffer.from(bytes).toString(), path) }];
    });
    return (await Promise.all(records)).flat();
  }

  async metrics(): Promise<readonly JobMetrics[]> {
    const bytes = await this.read(JOB_PATHS.metrics);
    return bytes === undefined ? [] : (linesAs(metricsSchema, bytes, JOB_PATHS.metrics) as readonly JobMetrics[]);
  }
}

/** Node's `readFile` ends at 2 GiB, and a checkpoint of full training does not: it has three figures for each weight. */
async function wholeFile(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    return await readRange(file, 0, (await file.stat()).size);
  } finally {
    await file.close();
  }
}

export type JobCheckpoint = z.infer<typeof checkpointSchema> & {
  /** Of its record, below the job's folder. */
  readonly path: string;
};

/**
 * A checkpoint as one file: its record on a line, and after it the files that the record names.
 * @returns undefined where the program has replaced it by a newer one
 */
export async function packCheckpoint(
  folder: JobFolder,
  { runId, step, engine, state }: JobCheckpoint,
): Promise<Uint8Array | undefined> {
  try {
    const files = await Promise.all(state.map((file) => getFile(folder, '', file)));
    return Buffer.concat([jsonFile({ runId, step, engine, state }), ...files]);
  } catch (error) {
    if (isSeamError(error, 'OBJECT_NOT_FOUND')) return undefined;
    throw error;
  }
}

/** Puts a packed checkpoint where a program finds it, the record last. @throws CHECKPOINT_INVALID for other bytes */
export async function unpackCheckpoint(folder: JobFolder, bytes: Uint8Array): Promise<void> {
  const end = bytes.indexOf(0x0a) + 1;
  const { step, state, ...rest } = recordOf(Buffer.from(bytes.subarray(0, end)).toString());
  const below = `checkpoints/step-${String(step).padStart(6, '0')}/`;
  let at = end;
  const files: FileRef[] = [];
  for (const { path, sizeBytes } of state) {
    files.push(
      await putFile(folder, '', { path: `${below}${basename(path)}`, bytes: bytes.subarray(at, (at += sizeBytes)) }),
    );
  }
  if (at !== bytes.byteLength) throw notPacked(`${bytes.byteLength} bytes`);
  await folder.put(`${below}checkpoint.json`, jsonFile({ ...rest, step, state: files }));
}

function recordOf(text: string): z.infer<typeof checkpointSchema> {
  try {
    return parsedAs(checkpointSchema, text, 'the checkpoint');
  } catch {
    throw notPacked(text.slice(0, 100));
  }
}

function notPacked(got: string): SeamError {
  return new SeamError(
    'CHECKPOINT_INVALID',
    `Cannot resume from a checkpoint: expected one that a training program wrote, got ${got}. Begin with an older one, or with the first step.`,
  );
}

export interface Following {
  readonly launcher: JobLauncher;
  readonly folder: JobFolder;
  /** Aborts when the program is to be ended. */
  readonly signal: AbortSignal;
  /** The figures of a step that this start took, once and in order. */
  readonly onStep?: (figures: JobMetrics) => void;
  /** A checkpoint that was not there at the start, the oldest first. The program is ended where this fails. */
  readonly onCheckpoint?: (checkpoint: JobCheckpoint) => Promise<void>;
  /** How long the program may run without a further step or checkpoint before it is ended. */
  readonly progressWithinMs?: number;
}

/** Between two looks at what the program has written. Steps take longer where it matters. */
const LOOK_EVERY_MS = 200;
/** Scores are one piece: this has to be enough for all of a job. */
export const PROGRESS_WITHIN_MS = 21_600_000;

/**
 * Starts the program on the job in the folder and follows it to its end.
 * @throws ABORTED where the signal aborted; what the program says it was refused for; ENGINE_FAILED where it ended otherwise
 */
export async function followJob(following: Following): Promise<void> {
  const { launcher, folder, signal, progressWithinMs = PROGRESS_WITHIN_MS } = following;
  const progress = await Progress.from(following);
  const running = launcher.start(folder.path);
  let isStalled = false;
  try {
    let ended: EndedJob | undefined;
    while (ended === undefined && !signal.aborted && !isStalled) {
      ended = await Promise.race([running.ended, sleep(LOOK_EVERY_MS, signal).then(() => undefined)]);
      await progress.look();
      if (running.isWaiting?.()) progress.sinceMs = performance.now();
      isStalled = performance.now() - progress.sinceMs >= progressWithinMs;
    }
  } finally {
    running.cancel();
    await running.ended;
  }
  await progress.look();
  const { hasSucceeded, report } = await running.ended;
  if (hasSucceeded) return;
  if (signal.aborted) throw new SeamError('ABORTED', 'Cannot finish the training program: it was asked to end.');
  if (isStalled)
    throw new SeamError(
      'ENGINE_FAILED',
      `Cannot carry out the job: expected a step or a checkpoint within ${progressWithinMs / 1000} s, got none. ${report}. It resumes from its newest checkpoint when it is started again.`,
    );
  throw await failureOf(folder, report);
}

/** What a program has written since its start, handed on once. */
class Progress {
  /** The last sign of it. */
  sinceMs = performance.now();

  private constructor(
    private readonly following: Following,
    private readonly known: Set<string>,
    private steps: number,
  ) {}

  static async from(following: Following): Promise<Progress> {
    const present = await following.folder.checkpoints();
    return new Progress(following, new Set(present.map(nameOf)), Math.max(0, ...present.map(({ step }) => step)));
  }

  async look(): Promise<void> {
    const { folder, onStep, onCheckpoint } = this.following;
    for (const figures of (await folder.metrics()).slice(this.steps)) {
      this.steps = figures.step;
      onStep?.(figures);
      this.sinceMs = performance.now();
    }
    for (const checkpoint of await folder.checkpoints()) {
      if (this.known.has(nameOf(checkpoint))) continue;
      await onCheckpoint?.(checkpoint);
      this.known.add(nameOf(checkpoint));
      this.sinceMs = performance.now();
    }
  }
}

/** By content too: an engine replaces what another one left. */
function nameOf({ path, engine, runId, state }: JobCheckpoint): string {
  return JSON.stringify([path, runId, engine, state]);
}

async function failureOf(folder: JobFolder, report: string): Promise<SeamError> {
  const bytes = await folder.read(JOB_PATHS.failure);
  if (bytes === undefined)
    return new SeamError(
      'ENGINE_FAILED',
      `Cannot carry out the job: expected a result, got none. ${report}. It resumes from its newest checkpoint when it is started again.`,
    );
  const { code, message } = parsedAs(failureSchema, Buffer.from(bytes).toString(), JOB_PATHS.failure);
  return new SeamError(code in ERROR_CODES ? (code as ErrorCode) : 'ENGINE_FAILED', message);
}
