export {
  AUGMENTATION_FAMILIES,
  type Augmentation,
  type AugmentationFamily,
  augmentationsOf,
  type Bijection,
  type Enlargement,
  randomRecolour,
  recolour,
} from './augmentations.js';
export {
  FAMILY_NAMES,
  type GeneratedTask,
  type GeneratedTaskSettings,
  generateTask,
  ruleOf,
} from './generated-tasks.js';
export { type Grid, isSameGrid, MAX_SIDE, parseGrid, printGrid, readGrid } from './grid.js';
export {
  type GridPair,
  type GridQuery,
  type GridTask,
  gridPairsSchema,
  gridQuerySchema,
  parseGridTask,
} from './grid-task.js';
export {
  type Attempt,
  attemptsOf,
  SYMMETRIES,
  type View,
  type Vote,
  viewPrompt,
  viewsOf,
  voteOf,
} from './prediction.js';
export { cellAccuracy, MAX_ATTEMPTS, type OutputScore, scoreTask, type TaskScore } from './scoring.js';
export {
  type AskedGrid,
  answerText,
  attemptsText,
  promptText,
  readAnswer,
  readAttempts,
  readPrompt,
} from './task-text.js';
export {
  BATCH_SIZE,
  type EditFailure,
  familiesOf,
  MAX_STEPS,
  plannedSteps,
  type Reading,
  readToolConfiguration,
  type ToolConfiguration,
  toolConfigurationJsonSchema,
  toolConfigurationSchema,
} from './tool-configuration.js';
export {
  type GridTrainingExample,
  leaveOut,
  MAX_EXAMPLES,
  MAX_TOKENS,
  type TrainingSet,
  type TrainingSetSettings,
  trainingSet,
} from './training-set.js';
