export { Budget, type Spending } from './budget.js';
export {
  type ChatCompletion,
  type ChatDecoding,
  chatCompletionSchema,
  chatRequest,
  chatUsage,
  RESERVED_FIELDS,
  worstCase,
} from './chat-completion.js';
export { type CalledTool, type ChatMessage, callingMessage } from './chat-message.js';
export { cosine, type Embeddings, embeddingsTask } from './embeddings.js';
export {
  EndpointClient,
  type EndpointFailure,
  type EndpointResult,
  type EndpointTask,
  type EndpointWorld,
  type ServerTime,
} from './endpoint-client.js';
export { EndpointRelay, eventData, type RelayedAnswer } from './endpoint-relay.js';
export {
  type BudgetSettings,
  DEFAULT_LIMITS,
  type EndpointLimits,
  type EndpointSettings,
  type TokenCount,
} from './endpoint-settings.js';
export {
  listedFacts,
  type ModelList,
  modelListSchema,
  reportedRevision,
  type ToldByAnswer,
} from './reported-revision.js';
export {
  type ActingCompletion,
  actingCompletionSchema,
  type ChatTool,
  offeredTools,
} from './tool-calls.js';
