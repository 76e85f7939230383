export { findRun, type RecordedRun, readRuns, recordedRunsProjection } from './recorded-runs.js';
export { type Status, StatusReader } from './status.js';
