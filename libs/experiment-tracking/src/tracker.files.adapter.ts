/**
 * Runs as files: a folder per run with `run.json` (name, parameters, status), `metrics.jsonl` (a point a line) and
 * `plots.svg`. Each is replaced as a whole, so that a reader never sees half of one.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId, SeamError } from '@seamstream/kernel';
import { runPlots } from './run-plots.js';
import type { ExperimentTracker, Tracked, TrackedRun } from './tracker.port.js';

export class FilesTracker implements ExperimentTracker {
  constructor(private readonly folder: string) {}

  async track({ points, ...run }: TrackedRun): Promise<Tracked> {
    if (!/^[A-Za-z0-9_-]{1,128}$/.test(run.id))
      throw new SeamError('INVALID_INPUT', `Cannot track a run: expected an id of letters and digits, got ${run.id}.`);
    const where = join(this.folder, run.id);
    await mkdir(where, { recursive: true });
    const metrics = join(where, 'metrics.jsonl');
    const known = await linesOf(metrics);
    await replace(metrics, points.map((point) => `${JSON.stringify(point)}\n`).join(''));
    await replace(join(where, 'plots.svg'), runPlots({ name: run.name, points }));
    await replace(join(where, 'run.json'), `${JSON.stringify({ version: 1, ...run }, null, 2)}\n`);
    return { added: Math.max(0, points.length - known), where };
  }
}

async function linesOf(file: string): Promise<number> {
  try {
    return (await readFile(file, 'utf8')).split('\n').length - 1;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}

async function replace(file: string, text: string): Promise<void> {
  const beside = `${file}.${newId()}.part`;
  await writeFile(beside, text);
  await rename(beside, file);
}
