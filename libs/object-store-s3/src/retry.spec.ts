import { SeamError } from '@seamstream/kernel';
import { isWorthRetry, waitBeforeRetry } from './retry.js';
import { Contended, DamagedTransfer, translated } from './s3-error.js';

const settings = { maxAttempts: 6, firstRetryMs: 100, maxRetryMs: 1_000 };
const answered = (status: number, name: string, attempts = 1): Error =>
  Object.assign(new Error('planted'), { name, $metadata: { httpStatusCode: status, attempts } });

describe('the wait before another try', () => {
  it('is drawn from a span that doubles up to its bound', () => {
    const bounds = [1, 2, 3, 4, 5, 50].map((tries) => waitBeforeRetry(tries, 1, settings));
    expect(bounds).toEqual([100, 200, 400, 800, 1_000, 1_000]);
    expect(waitBeforeRetry(3, 0, settings)).toBe(0);
    expect(waitBeforeRetry(3, 0.25, settings)).toBe(100);
  });
});

describe('another try', () => {
  it.each([
    answered(500, 'InternalError'),
    answered(503, 'SlowDown'),
    answered(429, 'TooManyRequests'),
    answered(400, 'RequestTimeout'),
    answered(400, 'IncompleteBody'),
    answered(403, 'RequestTimeTooSkewed'),
    answered(400, 'BadDigest'),
    Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
    Object.assign(new Error('no answer'), { name: 'TimeoutError' }),
    new Contended('refused'),
  ])('is worth it after $name: $message, up to six', (error) => {
    expect([1, 5, 6].map((tries) => isWorthRetry(error, tries, settings))).toEqual([true, true, false]);
  });

  it.each([
    answered(403, 'AccessDenied'),
    answered(404, 'NoSuchKey'),
    answered(412, 'PreconditionFailed'),
    answered(400, 'InvalidArgument'),
    answered(503, 'SlowDown', 6),
    new SeamError('PRECONDITION_FAILED', 'lost'),
    new TypeError('a mistake of ours'),
    Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }),
  ])('is not worth it after $name: $message', (error) => {
    expect(isWorthRetry(error, 1, settings)).toBe(false);
  });

  it('is tried three times where the bytes are damaged', () => {
    const damaged = new DamagedTransfer('expected 3 bytes, got 2');
    expect([1, 2, 3].map((tries) => isWorthRetry(damaged, tries, settings))).toEqual([true, true, false]);
  });
});

it.each([
  [answered(507, 'InsufficientStorage'), 'OBJECT_STORE_FULL'],
  [answered(409, 'ObjectParentIsFile'), 'INVALID_INPUT'],
  [answered(400, 'KeyTooLongError'), 'INVALID_INPUT'],
  [answered(400, 'BadDigest'), 'OBJECT_CORRUPT'],
  [answered(403, 'AccessDenied'), 'OBJECT_STORE_UNAVAILABLE'],
  [new Error('anything'), 'OBJECT_STORE_UNAVAILABLE'],
])('$0.name becomes %s', (error, code) => {
  expect(translated(error, 'put a', 'bucket', 2)).toMatchObject({ code, details: { bucket: 'bucket', tries: 2 } });
});
