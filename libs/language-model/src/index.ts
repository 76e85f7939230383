export type { FinishReason, GeneratedSequence, GenerationRequest, GenerationResult, SamplingSettings } from './generation.types.js';
export type { JsonSchema } from './grammar/json-schema.types.js';
export type { OptimizerSettings, StepMetrics, TrainableSettings, TrainingObjective, TrainingSequence } from './training.types.js';
