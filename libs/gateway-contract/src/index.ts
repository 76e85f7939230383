export {
  type ChatAnswer,
  type ChatChunk,
  type ChatMessage,
  type ChatRequest,
  chatAnswerSchema,
  chatChunkSchema,
  chatRequestSchema,
  type SeamOptions,
  seamOptionsSchema,
} from './chat.js';
export { type ErrorBody, errorBodySchema } from './error-body.js';
export { type Model, modelListSchema, modelSchema } from './models.js';
