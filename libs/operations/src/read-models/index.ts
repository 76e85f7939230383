export { type Activity, activityProjection } from './activity.projection.js';
export { type KeptLog, openReading, type ReadingOptions } from './kept-log.js';
export {
  type Answered,
  readLedger,
  readLineage,
  readRuns,
  readServing,
  readSuccess,
  readTraining,
  type Serving,
} from './read-models.js';
export { faithfulBy, findRun, type RecordedRun, recordedRuns } from './recorded-runs.js';
