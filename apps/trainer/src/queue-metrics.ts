/** How many planned runs wait, and how long: read from the log whenever the metrics are. */
import { systemClock } from '@seamstream/kernel';
import type { ServiceMetrics } from '@seamstream/service-kit';
import { runsInQueue, type TrainingHistoryReader } from '@seamstream/training-runs';

/** @param queue whose runs are counted */
export function measureQueue(metrics: ServiceMetrics, history: TrainingHistoryReader, queue: string): void {
  metrics.gauge(
    'seam_training_runs_waiting',
    'Planned runs of the queue that have not ended, also those that a worker carries out now; absent while the log does not answer.',
    async () => runsInQueue(await history.read(), queue).length,
  );
  metrics.gauge(
    'seam_training_oldest_run_seconds',
    'Time since the oldest run of the queue that has not ended was planned; 0 where there is none, absent while the log does not answer.',
    async () => {
      const [oldest] = runsInQueue(await history.read(), queue);
      return oldest === undefined ? 0 : Math.max(0, systemClock.now() - oldest.plan.meta.occurredAt) / 1000;
    },
  );
}
