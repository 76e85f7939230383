import type { FastifyRequest } from 'fastify';
import { ApiError } from './api-error.js';

/**
 * The name that a client gives a request so that a second one does the same once: ids follow from it, and equal events count once.
 * @throws ApiError for a name that is not valid
 */
export function repeatKeyOf({ headers }: Pick<FastifyRequest, 'headers'>): string | null {
  const key = headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new ApiError({
    status: 400,
    message: 'Cannot use the Idempotency-Key: expected 1 to 255 visible ASCII characters.',
    param: 'Idempotency-Key',
    code: 'invalid_value',
  });
}
