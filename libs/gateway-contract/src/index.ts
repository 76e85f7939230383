export {
  type ChatAnswer,
  type ChatChunk,
  type ChatMessage,
  type ChatRequest,
  chatAnswerSchema,
  chatChunkSchema,
  chatRequestSchema,
} from './chat.js';
export { DASHBOARD_PAGES, type DashboardPage } from './dashboard-pages.js';
export { type ErrorBody, errorBodySchema } from './error-body.js';
export { type FeedbackRequest, feedbackRequestSchema } from './feedback.js';
export type { MeReply, SignedOutReply } from './me.js';
export type { Model } from './models.js';
export { openApiDocument } from './open-api.js';
export { type ProblemsReply, problemsRequestSchema } from './problems.js';
export {
  type ResponsesContent,
  type ResponsesItem,
  type ResponsesRequest,
  responsesRequestSchema,
} from './responses.js';
export { type SessionForgotten, type SessionReply, sessionQuerySchema } from './sessions.js';
export type { StartFacts, ToldStart } from './start-facts.js';
export {
  adapterWordSchema,
  auditQuerySchema,
  costQuerySchema,
  doctorQuerySchema,
  findQuerySchema,
  libraryDiffQuerySchema,
  logQuerySchema,
  momentQuerySchema,
  problemIdSchema,
  problemsQuerySchema,
  slotSchema,
  streamQuerySchema,
} from './views.js';
