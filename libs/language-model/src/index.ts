export { EXECUTION_PROVIDERS, type ExecutionProvider, runtimeVersion } from '@seamstream/tensor-graph';
export {
  type Adapter,
  type AdapterContent,
  type AdapterIntake,
  adapterDigest,
  checkAdapter,
  createAdapter,
  decodeAdapter,
  encodeAdapter,
} from './adapters/adapter.js';
export { type MergedCheckpoint, mergeAdapter } from './adapters/merge-adapter.js';
export { initialTensors, trainableShapes } from './adapters/parameters.js';
export { decodePeft, encodePeft, PEFT_FILE, type PeftFiles } from './adapters/peft.js';
export {
  type Checkpoint,
  type DigestedCheckpoint,
  loadCheckpoint,
  saveCheckpoint,
} from './checkpoint/checkpoint.js';
export { checkpointFiles } from './checkpoint/checkpoint-files.js';
export { fingerprintFigures, sameFingerprint } from './checkpoint/fingerprint.js';
export { checkpointShapes, type GenerationDefaults, parseModelConfig } from './checkpoint/model-config.js';
export type { ModelConfig, ModelFamily } from './checkpoint/model-config.types.js';
export { fromNamedFolder } from './checkpoint/named-folder.js';
export type {
  FinishReason,
  GeneratedSequence,
  GenerationProgress,
  GenerationRequest,
  GenerationResult,
  SamplingSettings,
  TokensWritten,
} from './generation/generation.types.js';
export { candidatesAtATime } from './generation/generation-queue.js';
export { type GrammarOf, Grammars } from './generation/grammars.js';
export { type SampledToken, sampleToken } from './generation/sampler.js';
export { type SpelledText, spelledText } from './generation/spelled-text.js';
export { type GenerationOptions, LanguageModel, type LoadSettings, type WeightOptions } from './language-model.js';
export { warmUpCosineRate } from './training/learning-rate.js';
export { type ScoredSequence, withLegalTokens } from './training/sequence-batch.js';
export type {
  OptimizerSettings,
  StepMetrics,
  TrainableSettings,
  TrainingObjective,
  TrainingSequence,
} from './training/training.types.js';
export { TrainingSession, type TrainingSessionSettings } from './training/training-session.js';
