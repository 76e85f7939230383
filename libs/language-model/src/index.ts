export { EXECUTION_PROVIDERS, type ExecutionProvider } from '@seamstream/tensor-graph';
export {
  type Adapter,
  type AdapterContent,
  type AdapterIntake,
  adapterDigest,
  checkAdapter,
  createAdapter,
  decodeAdapter,
  encodeAdapter,
} from './adapter.js';
export {
  type Checkpoint,
  type DigestedCheckpoint,
  loadCheckpoint,
  saveCheckpoint,
} from './checkpoint.js';
export { sameFingerprint } from './fingerprint.js';
export type {
  FinishReason,
  GeneratedSequence,
  GenerationProgress,
  GenerationRequest,
  GenerationResult,
  SamplingSettings,
  TokensWritten,
} from './generation.types.js';
export { type GrammarOf, Grammars } from './grammars.js';
export { type GenerationOptions, LanguageModel, type LoadSettings, type WeightOptions } from './language-model.js';
export { constantRate, warmUpCosineRate } from './learning-rate.js';
export { type MergedCheckpoint, mergeAdapter } from './merge-adapter.js';
export { checkpointShapes, type GenerationDefaults, parseModelConfig } from './model-config.js';
export type { ModelConfig, ModelFamily } from './model-config.types.js';
export { fromNamedFolder } from './named-folder.js';
export { initialTensors, trainableShapes } from './parameters.js';
export { decodePeft, encodePeft, PEFT_FILE, type PeftFiles } from './peft.js';
export { assertSamplingSettings, type SampledToken, sampleToken } from './sampler.js';
export type { ScoredSequence } from './sequence-batch.js';
export type {
  OptimizerSettings,
  StepMetrics,
  TrainableSettings,
  TrainingObjective,
  TrainingSequence,
} from './training.types.js';
export { TrainingSession, type TrainingSessionSettings } from './training-session.js';
