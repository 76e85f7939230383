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
export { trainByteLevelBpe } from './byte-level-bpe.js';
export type { ChatMessage, ChatOptions } from './chat-template.js';
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
export { AT_MOST } from './grammar/finite-schema.js';
export type { JsonSchema } from './grammar/json-schema.types.js';
export { HIDDEN_CODE_POINTS, isPlainCodePoint } from './grammar/plain-text.js';
export { checkJsonSchema, compileGrammar, type GrammarOptions, isWritten } from './grammar/token-grammar.js';
export type { AllowedTokens, GrammarState, TokenGrammar } from './grammar/token-grammar.types.js';
export { type GrammarOf, Grammars } from './grammars.js';
export { type GenerationOptions, LanguageModel, type LoadSettings, type WeightOptions } from './language-model.js';
export { constantRate, warmUpCosineRate } from './learning-rate.js';
export { type MergedCheckpoint, mergeAdapter } from './merge-adapter.js';
export { checkpointShapes, type GenerationDefaults, parseModelConfig } from './model-config.js';
export type { ModelConfig, ModelFamily } from './model-config.types.js';
export { fromNamedFolder } from './named-folder.js';
export { initialTensors, trainableShapes } from './parameters.js';
export { decodePeft, encodePeft, PEFT_FILE, type PeftFiles } from './peft.js';
export {
  decodeSafetensors,
  encodeSafetensors,
  readSafetensorsHeader,
  type SafetensorsFile,
  type SafetensorsHeader,
  type StoredTensor,
  type TensorLocation,
} from './safetensors.js';
export { assertSamplingSettings, type SampledToken, sampleToken } from './sampler.js';
export type { ScoredSequence } from './sequence-batch.js';
export { type EncodeOptions, Tokenizer, type TokenizerSettings } from './tokenizer.js';
export type { TokenizerJson } from './tokenizer-json.js';
export type {
  OptimizerSettings,
  StepMetrics,
  TrainableSettings,
  TrainingObjective,
  TrainingSequence,
} from './training.types.js';
export { TrainingSession, type TrainingSessionSettings } from './training-session.js';
