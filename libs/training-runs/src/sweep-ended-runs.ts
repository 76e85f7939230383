import type { ObjectStore } from '@seamstream/object-store';
import { RUNS } from './checkpoints.js';
import type { TrainingHistory } from './training-history.js';
import { hasEnded, initialState } from './training-run.js';

/**
 * Deletes what ended runs have left: of a worker that died between a run's end and its tidying, or that had lost the run. Runs that
 * the history does not know are left alone.
 */
export async function sweepEndedRuns(objects: ObjectStore, { runs }: Pick<TrainingHistory, 'runs'>): Promise<void> {
  for await (const { key } of objects.list(RUNS)) {
    const [runId = ''] = key.slice(RUNS.length).split('/');
    if (hasEnded(runs.get(runId) ?? initialState())) await objects.delete(key);
  }
}
