/** Whether the snapshots of a log's read models answer as its records do. */
import {
  adapterLineageProjection,
  bufferContentsProjection,
  editedPassagesProjection,
  faithfulEntriesProjection,
  learnedFactsProjection,
  ledgerProjection,
  liftProjection,
  recentProblemsProjection,
  releaseProgressProjection,
  successByArmProjection,
  teamEvaluationsProjection,
  teamStagesProjection,
  trainingProgressProjection,
  waitingAnswersProjection,
} from '@seamstream/read-models';
import type { ReadAlongside, SnapshotComparison } from '@seamstream/snapshots';
import { activityProjection } from '../read-models/activity.projection.js';
import { type KeptLog, openReading } from '../read-models/kept-log.js';

/** Reads once more all that the snapshots were folded from, and `alongside` with it. @param mostRecords longer ones are not compared */
export async function compareSnapshots(
  kept: KeptLog,
  options: { readonly mostRecords: number; readonly signal: AbortSignal; readonly alongside: ReadAlongside },
): Promise<readonly SnapshotComparison[]> {
  const reading = await openReading(kept);
  try {
    return await reading.compare(
      [
        ledgerProjection,
        successByArmProjection,
        faithfulEntriesProjection,
        learnedFactsProjection,
        trainingProgressProjection,
        adapterLineageProjection,
        waitingAnswersProjection,
        activityProjection,
        bufferContentsProjection,
        liftProjection,
        recentProblemsProjection,
        releaseProgressProjection,
        teamStagesProjection,
        teamEvaluationsProjection,
        editedPassagesProjection,
      ],
      options,
    );
  } finally {
    reading.close();
  }
}
