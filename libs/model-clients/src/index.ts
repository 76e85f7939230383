export type { TokenCount } from '@seamstream/openai-endpoint';
export { executorBatches, longestBatchMs } from './executor.batches.js';
export { checkExecutorChoice, type ExecutorChoice, executorChoiceShape } from './executor.config.js';
export { LanguageModelExecutor, type LanguageModelExecutorSettings } from './executor.language-model.adapter.js';
export { checkVllmChoice, vllmGeneratorSchema } from './generator.config.js';
export { type OpenedExecutor, openExecutor } from './open-executor.js';
export { openVllmGenerator } from './open-vllm-generator.js';
export { assertGenerates } from './start-checks.js';
export { LanguageModelTraining } from './training-engine.language-model.adapter.js';
