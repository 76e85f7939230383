export type { IterationFigures } from './iteration-figures.js';
export { readSelfTrainings, SelfTrainingReader, stopSelfTraining } from './read-restem.js';
export { RESTEM_PRESETS, type RestEmRunConfig, resolveRestEm, settingsIn } from './restem.config.js';
export { type RestEmEnding, runRestEm } from './run-restem.js';
export { type RecordedTrial, type SearchResult, searchRestEm, settingsOf } from './search-restem.js';
export type { NextStep } from './self-training.decide.js';
export { reportOf, type SelfTrainingReport } from './self-training-report.js';
export { type TrackedSelfTraining, trackedRun, trackSelfTrainings } from './track-restem.js';
export { dynamicsOf, type TrainingDynamics } from './training-dynamics.js';
