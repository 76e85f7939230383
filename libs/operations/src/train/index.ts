export { resolveTraining, trainAdapter, trainableBy } from './train-adapter.js';
export { trainerDoor } from './train-on-demand.js';
export type {
  AdapterVerification,
  TrainerClient,
  TrainingOutcome,
  TrainingStepReport,
  Trial,
} from './training-client.js';
