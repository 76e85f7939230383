/** A run's checkpoints in the object store, under training/<runId>/. */
import { isSeamError, sha256 } from '@seamstream/kernel';
import type { ObjectStore } from '@seamstream/object-store';
import type { Resumable } from './job-runner.js';
import type { Checkpoint } from './training-run.js';

/** Where everything is that a run needs no longer once it has ended. */
export function runFolder(runId: string): string {
  return `${RUNS}${runId}/`;
}

/** Where the folders of runs are. */
export const RUNS = 'training/';

export class Checkpoints {
  constructor(
    private readonly objects: ObjectStore,
    private readonly runId: string,
  ) {}

  async save(work: Resumable): Promise<Checkpoint> {
    const step = work.steps;
    const state = await work.saveState();
    const key = `${runFolder(this.runId)}step-${String(step).padStart(6, '0')}.safetensors`;
    await this.objects.put(key, state);
    return { step, key, digest: sha256(state) };
  }

  /**
   * Restores the first of them that is there and whole; the run is the same from any.
   * @returns it; undefined where none is, and the work is as it was
   */
  async restoreInto(work: Resumable, checkpoints: readonly Checkpoint[]): Promise<Checkpoint | undefined> {
    for (const checkpoint of checkpoints) {
      try {
        const state = await this.objects.get(checkpoint.key);
        if (sha256(state) !== checkpoint.digest) continue;
        await work.restoreState(state);
        return checkpoint;
      } catch (error) {
        if (!isSeamError(error) || !UNUSABLE.includes(error.code)) throw error;
      }
    }
    return undefined;
  }

  /** Of a run whose end is on record. */
  async deleteAll(): Promise<void> {
    for await (const { key } of this.objects.list(runFolder(this.runId))) await this.objects.delete(key);
  }
}

const UNUSABLE: readonly string[] = ['OBJECT_NOT_FOUND', 'OBJECT_CORRUPT', 'CHECKPOINT_INVALID'];
