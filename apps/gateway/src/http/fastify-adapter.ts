/** Fastify with the limits and headers that every answer of the gateway has. */
import { randomUUID } from 'node:crypto';
import helmet from '@fastify/helmet';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../config.js';
import { ApiError } from './api-error.js';
import type { Door } from './door.port.js';
import type { ObservedRequests } from './observed-requests.js';

/** Node's own default: 16 KiB of headers. */
const MAX_HEADER_BYTES = 16 * 1024;
/** Of one parameter in an address. */
const MAX_PARAM_CHARACTERS = 512;
const JSON_TYPE = 'application/json; charset=utf-8';

export async function openAdapter(
  { maxBodyBytes, requestTimeoutMs }: Pick<GatewayConfig['gateway'], 'maxBodyBytes' | 'requestTimeoutMs'>,
  door: Pick<Door, 'admit'>,
  requests: ObservedRequests,
): Promise<FastifyAdapter> {
  const adapter = new FastifyAdapter({
    bodyLimit: maxBodyBytes,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: 0,
    forceCloseConnections: 'idle',
    return503OnClosing: true,
    // A client's own id would be a text of strangers in our log.
    requestIdHeader: false,
    genReqId: () => `req_${randomUUID().replaceAll('-', '')}`,
    http: { maxHeaderSize: MAX_HEADER_BYTES },
    // An address that the router cannot read passes no hook and no filter.
    frameworkErrors: ({ statusCode = 400 }, { id }: FastifyRequest, reply: FastifyReply) => {
      const message = `Cannot read the address: expected at most ${MAX_PARAM_CHARACTERS} characters of UTF-8 in each part, got another.`;
      const { body } = new ApiError({ status: statusCode, message, code: 'invalid_address' });
      void reply.code(statusCode).header('x-request-id', id).type(JSON_TYPE).send(body);
    },
    routerOptions: { maxParamLength: MAX_PARAM_CHARACTERS },
  });
  const fastify = adapter.getInstance();
  requests.observe(fastify);
  fastify.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  await fastify.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'none'"],
        'script-src': ["'self'"],
        'style-src': ["'self'"],
        'img-src': ["'self'", 'data:'],
        'font-src': ["'self'"],
        'connect-src': ["'self'"],
        'manifest-src': ["'self'"],
        'base-uri': ["'none'"],
        'form-action': ["'none'"],
        'frame-ancestors': ["'none'"],
      },
    },
    crossOriginEmbedderPolicy: true,
    referrerPolicy: { policy: 'no-referrer' },
    // Behind https a proxy says it; on loopback it would lock a browser out of plain http.
    strictTransportSecurity: false,
  });
  // Before a body is read, and after the headers that every answer has.
  fastify.addHook('onRequest', ({ raw, routeOptions }) => door.admit(raw, routeOptions.url));
  return adapter;
}
