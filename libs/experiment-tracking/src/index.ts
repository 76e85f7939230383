export { histogramPlots, runPlots } from './run-plots.js';
export { FilesTracker } from './tracker.files.adapter.js';
export { type MlflowSettings, MlflowTracker } from './tracker.mlflow.adapter.js';
export type { ExperimentTracker, Tracked, TrackedPoint, TrackedRun } from './tracker.port.js';
