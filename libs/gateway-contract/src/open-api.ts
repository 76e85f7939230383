/** The gateway's API as an OpenAPI 3.1 document, made from the schemas that requests are checked by. */
import { z } from 'zod';
import { chatAnswerSchema, chatRequestSchema } from './chat.js';
import { errorBodySchema } from './error-body.js';
import { feedbackReplySchema, feedbackRequestSchema } from './feedback.js';
import { meReplySchema, signedOutReplySchema } from './me.js';
import { modelListSchema, modelSchema } from './models.js';
import { problemsReplySchema, problemsRequestSchema } from './problems.js';
import { responseSchema, responsesRequestSchema } from './responses.js';
import { sessionForgottenSchema, sessionReplySchema } from './sessions.js';

interface Path {
  readonly method: 'get' | 'post' | 'delete';
  readonly path: string;
  readonly summary: string;
  readonly role: string;
  readonly request?: z.ZodType;
  readonly status?: number;
  readonly reply?: z.ZodType;
  /** Answers with server-sent events, always or where the request asks for them. */
  readonly streams?: boolean;
}

const PATHS: readonly Path[] = [
  {
    ...{ method: 'post', path: '/v1/chat/completions', summary: 'Answers a conversation', role: 'publisher' },
    ...{ request: chatRequestSchema, reply: chatAnswerSchema, streams: true },
  },
  {
    ...{ method: 'post', path: '/v1/responses', summary: 'Answers a conversation, without a state', role: 'publisher' },
    ...{ request: responsesRequestSchema, reply: responseSchema, streams: true },
  },
  { method: 'post', path: '/v1/embeddings', summary: 'Passed on to the executor', role: 'publisher' },
  { method: 'get', path: '/v1/models', summary: 'Names of the executor', role: 'viewer', reply: modelListSchema },
  { method: 'get', path: '/v1/models/{id}', summary: 'One of them', role: 'viewer', reply: modelSchema },
  {
    ...{ method: 'get', path: '/v1/sessions/{id}', summary: 'What a session of the client has learned' },
    ...{ role: 'viewer', reply: sessionReplySchema },
  },
  {
    ...{ method: 'delete', path: '/v1/sessions/{id}', summary: 'Forgets a session of the client at once' },
    ...{ role: 'publisher', reply: sessionForgottenSchema },
  },
  {
    ...{ method: 'post', path: '/v1/feedback', summary: 'Says what an answer is worth', role: 'publisher' },
    ...{ request: feedbackRequestSchema, reply: feedbackReplySchema, status: 202 },
  },
  {
    ...{ method: 'post', path: '/api/problems', summary: 'Publishes one problem or several', role: 'publisher' },
    ...{ request: problemsRequestSchema, reply: problemsReplySchema, status: 202 },
  },
  { method: 'get', path: '/api/problems/{id}', summary: 'All that the log holds of a problem', role: 'viewer' },
  { method: 'get', path: '/api/me', summary: 'Who asks', role: 'viewer', reply: meReplySchema },
  { method: 'delete', path: '/api/session', summary: 'Signs out', role: 'viewer', reply: signedOutReplySchema },
  { method: 'get', path: '/api/events', summary: 'Events of the log as they come', role: 'viewer', streams: true },
];

const json = (schema: z.ZodType) => ({ 'application/json': { schema: z.toJSONSchema(schema, { io: 'input' }) } });

/** @param version of the program */
export function openApiDocument(version: string): Readonly<Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { method, path, summary, role, request, status = 200, reply, streams } of PATHS) {
    const content = {
      ...(reply === undefined ? {} : json(reply)),
      ...(streams === true ? { 'text/event-stream': { schema: { type: 'string' } } } : {}),
    };
    paths[path] = {
      ...paths[path],
      [method]: {
        ...{
          summary,
          description: `Needs a key, a token or a session with the role ${role} or a higher one, where keys are needed.`,
        },
        ...(path.includes('{id}')
          ? { parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }] }
          : {}),
        ...(request === undefined ? {} : { requestBody: { required: true, content: json(request) } }),
        responses: {
          [status]: { description: 'Done', ...(Object.keys(content).length === 0 ? {} : { content }) },
          default: { description: 'An error', content: json(errorBodySchema) },
        },
      },
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Seamstream gateway', version },
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: '__Host-seam-session' },
      },
    },
    security: [{ key: [] }, { session: [] }, {}],
    paths,
  };
}
