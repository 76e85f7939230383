/** The queue of planned runs, folded from the log. Nothing is taken out of it: a run leaves it when it ends. */
import { runConfigurationOf } from './run-plan.js';
import type { TrainingHistory } from './training-history.js';
import { hasEnded, type TrainingRun } from './training-run.js';

type KnownRun = Exclude<TrainingRun, { status: 'unknown' }>;

/** Runs of a queue that have not ended, also those that a worker carries out now; the one that has waited longest first. */
export function runsInQueue({ runs }: Pick<TrainingHistory, 'runs'>, queue: string): readonly KnownRun[] {
  return [...runs.values()]
    .filter((run): run is KnownRun => run.status !== 'unknown' && isInQueue(run, queue))
    .sort((a, b) => a.plan.meta.occurredAt - b.plan.meta.occurredAt);
}

function isInQueue(run: KnownRun, queue: string): boolean {
  if (hasEnded(run)) return false;
  // Runs of a window that an older release began are in no queue.
  const isOlder = !('queue' in run.plan) && runConfigurationOf(run.plan).window !== null;
  return isOlder || run.queue === queue;
}
