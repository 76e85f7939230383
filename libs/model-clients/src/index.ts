export type { TokenCount } from '@seamstream/openai-endpoint';
export {
  type DistillationAnswer,
  DistillationClient,
  type DistillationEndpoint,
  type DistillationRequest,
  distillationSchema,
} from './distillation.endpoint.adapter.js';
export { EndpointEditWriter, openTeacher, type TeacherSettings } from './edit-writer.endpoint.adapter.js';
export { LanguageModelEditWriter, type LanguageModelWriterSettings } from './edit-writer.language-model.adapter.js';
export { executorBatches, longestBatchMs } from './executor.batches.js';
export { checkExecutorChoice, connectionShape, type ExecutorChoice, executorChoiceShape } from './executor.config.js';
export { LanguageModelExecutor, type LanguageModelExecutorSettings } from './executor.language-model.adapter.js';
export { checkVllmChoice, vllmGeneratorSchema } from './generator.config.js';
export { type JudgeChoice, judgeSchema } from './judge.endpoint.adapter.js';
export { keyOf, type OpenedExecutor, openExecutor } from './open-executor.js';
export { openVerifiers } from './open-verifiers.js';
export { openVllmGenerator } from './open-vllm-generator.js';
export { openSimilarity, type SimilaritySettings } from './similarity.endpoint.adapter.js';
export { assertGenerates } from './start-checks.js';
export { LanguageModelTraining } from './training-engine.language-model.adapter.js';
