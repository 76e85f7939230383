/** One filter over everything: every error is JSON as OpenAI's clients read it. */
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import { count, type ErrorCode, excerpt, isSeamError, messageOf, type SeamError } from '@seamstream/kernel';
import type { ServiceLogger } from '@seamstream/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ZodError } from 'zod';
import { ApiError } from './api-error.js';
import type { Door } from './door.port.js';
import type { ObservedRequests } from './observed-requests.js';

const STATUS: Partial<Record<ErrorCode, number>> = {
  INVALID_INPUT: 400,
  PROMPT_TOO_LONG: 400,
  ENDPOINT_REFUSED: 400,
  NOT_FOUND: 404,
  OBJECT_NOT_FOUND: 404,
  CONFLICT: 409,
  RECORD_TOO_LARGE: 413,
  BUDGET_SPENT: 429,
  ENDPOINT_FAILED: 502,
  ENDPOINT_UNAVAILABLE: 503,
  LOG_UNAVAILABLE: 503,
  LOG_FULL: 503,
  OBJECT_STORE_UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
};

@Catch()
export class ErrorsFilter implements ExceptionFilter {
  constructor(
    private readonly logger: ServiceLogger,
    private readonly door: Pick<Door, 'failed'>,
    private readonly requests: Pick<ObservedRequests, 'endsWith'>,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const answer = asApiError(error);
    this.requests.endsWith(request, answer.countedAs);
    this.door.failed(error, request.raw, request.routeOptions.url);
    if (answer.status >= 500) this.logger.error({ requestId: request.id, err: error }, 'a request failed');
    if (reply.sent || reply.raw.headersSent) {
      reply.raw.destroy();
      return;
    }
    void reply
      .code(answer.status)
      .headers({ ...answer.headers })
      .type('application/json; charset=utf-8')
      .send(answer.body);
  }
}

/** What a client learns of an error. A fault of this program shows as such, without its reason. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof ZodError) return ofFields(error);
  if (isSeamError(error)) {
    const status = STATUS[error.code] ?? 500;
    return new ApiError({
      status,
      message: status === 500 ? FAULT : error.message,
      ...paramOf(error),
      code: error.code.toLowerCase(),
    });
  }
  const status = statusOf(error);
  return new ApiError({ status, message: status >= 500 ? FAULT : messageOf(error), code: codeOf(error) });
}

function paramOf({ details }: SeamError): { readonly param?: string } {
  return typeof details.param === 'string' ? { param: details.param } : {};
}

const FAULT = 'The gateway failed. The request id in x-request-id finds the reason in its log.';

/** Faults of fields that an answer names: a body of a hundred thousand would make megabytes of it. */
const MOST_NAMED = 10;
/** Of each: a fault may repeat what a client sent, e.g. all keys that are not known. */
const MOST_CHARACTERS = 1_000;

function ofFields(error: ZodError): ApiError {
  const issues = error.issues.slice(0, MOST_NAMED).map(innermost);
  const more = error.issues.length - issues.length;
  const [first] = issues;
  const param = first === undefined || first.path.length === 0 ? null : first.path.join('.');
  return new ApiError({
    status: 400,
    message: [
      ...issues.map(({ path, message }) =>
        excerpt(`${path.length === 0 ? 'body' : path.join('.')}: ${message}`, MOST_CHARACTERS),
      ),
      ...(more === 0 ? [] : [`and ${count(more)} more`]),
    ].join('; '),
    param,
    code: first?.code === 'unrecognized_keys' ? 'unknown_parameter' : 'invalid_value',
  });
}

type Issue = ZodError['issues'][number];

/** Of alternatives of which none fits, what is wrong with the one that fits furthest. */
function innermost(issue: Issue): Issue {
  if (issue.code !== 'invalid_union') return issue;
  const within = issue.errors.flat().map((each) => innermost({ ...each, path: [...issue.path, ...each.path] }));
  return within.reduce((deepest, each) => (each.path.length > deepest.path.length ? each : deepest), issue);
}

/** Of Nest's errors and Fastify's (bad JSON, a body too large). */
function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' && status >= 400 && status < 600 ? status : 500;
}

function codeOf(error: unknown): string | null {
  const status = statusOf(error);
  if (status === 404) return 'not_found';
  if (status === 413) return 'body_too_large';
  return status === 400 ? 'invalid_body' : null;
}
