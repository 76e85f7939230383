/**
 * What an error of the SDK means. Codes: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html.
 *
 * The SDK's errors carry more than is fit for a log: a refused signature comes with access key, signature and what was
 * signed. What leaves this package has name and message only.
 */
import { isSeamError, messageOf, SeamError } from '@seamstream/kernel';

/** A body that is not what was stored: cut off, too long, or with another digest. */
export class DamagedTransfer extends Error {
  override readonly name = 'DamagedTransfer';
}

/** A write was refused, yet its condition holds: another writer is, or was, under way. */
export class Contended extends Error {
  override readonly name = 'Contended';
}

interface Facts {
  readonly name: string;
  /** Of the answer; undefined when there was none. */
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly isClockCorrected: boolean;
  /** Tries that the SDK made. */
  readonly attempts: number;
}

/** The service asks to come back, or an answer did not come through. */
const TRANSIENT = new Set([
  'IncompleteBody',
  'InternalError',
  'RequestTimeTooSkewed', // the SDK has taken the server's time from the answer
  'RequestTimeout',
  'ServiceUnavailable',
  'SlowDown',
  'Throttling',
  'ThrottlingException',
  'TimeoutError',
  'TooManyRequests',
]);
/** No answer, or not all of it. Looked for in the message too: the SDK wraps what it does not take for an error. */
const NETWORK =
  /\b(ECONNRESET|ECONNREFUSED|ECONNABORTED|EPIPE|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|ENETDOWN|TimeoutError|socket hang up|aborted)\b/;
/** The server saw other bytes than the client sent. */
const DAMAGED_ON_ARRIVAL = new Set([
  'BadDigest',
  'InvalidDigest',
  'XAmzContentChecksumMismatch',
  'XAmzContentSHA256Mismatch',
]);
const FULL = new Set(['EntityTooLarge', 'InsufficientStorage', 'QuotaExceeded', 'XMinioStorageFull']);
/** The prefix makes the key too long; or the server keeps keys as files in folders, and has no place for one below another. */
const UNFIT_KEY = new Set([
  'KeyTooLongError',
  'ExistingObjectIsDirectory',
  'ObjectParentIsFile',
  'XMinioParentIsObject',
]);

export function factsOf(error: unknown): Facts {
  const { name, $metadata } = error as {
    name?: string;
    $metadata?: { httpStatusCode?: number; requestId?: string; attempts?: number; clockSkewCorrected?: boolean };
  };
  return {
    name: name ?? 'Error',
    status: $metadata?.httpStatusCode,
    requestId: $metadata?.requestId,
    isClockCorrected: $metadata?.clockSkewCorrected === true,
    attempts: $metadata?.attempts ?? 1,
  };
}

/** Whether the same request may succeed a moment later. */
export function isTransient(error: unknown): boolean {
  if (isSeamError(error)) return false;
  if (error instanceof DamagedTransfer || isDamagedOnArrival(error)) return true;
  const { name, status, isClockCorrected } = factsOf(error);
  if (TRANSIENT.has(name) || isClockCorrected) return true;
  if (status !== undefined) return status >= 500 || status === 429 || status === 408;
  return NETWORK.test(`${name} ${String((error as NodeJS.ErrnoException).code)} ${messageOf(error)}`);
}

/** Whether a conditional write was refused, or its upload is gone: by another writer, or by a try of our own that won. */
export function isRefusal(error: unknown): boolean {
  return factsOf(error).status === 412 || isMissing(error) || isConflict(error) || isUploadGone(error);
}

/** Another conditional write was under way; which of them won is not known yet. */
function isConflict(error: unknown): boolean {
  return ['ConditionalRequestConflict', 'OperationAborted'].includes(factsOf(error).name);
}

/** The object is not there. HEAD has no body, so that its error has no code. */
export function isMissing(error: unknown): boolean {
  return ['NoSuchKey', 'NotFound'].includes(factsOf(error).name);
}

export function isUnsatisfiableRange(error: unknown): boolean {
  return factsOf(error).status === 416;
}

/** An upload in parts that was completed, aborted or swept. */
function isUploadGone(error: unknown): boolean {
  return factsOf(error).name === 'NoSuchUpload';
}

function isDamagedOnArrival(error: unknown): boolean {
  return DAMAGED_ON_ARRIVAL.has(factsOf(error).name);
}

/** One of our errors for any error of the SDK. */
export function translated(error: unknown, operation: string, bucket: string, tries: number): SeamError {
  if (isSeamError(error)) return error;
  const { name, status, requestId } = factsOf(error);
  const answer = [name, ...(status === undefined ? [] : [`status ${status}`])].join(', ');
  const reason = `${messageOf(error)} (${answer}, ${tries} ${tries === 1 ? 'try' : 'tries'})`;
  const options = { cause: plainError(error), details: { bucket, code: name, status, requestId, tries } };
  if (error instanceof DamagedTransfer || isDamagedOnArrival(error)) {
    return new SeamError(
      'OBJECT_CORRUPT',
      `Cannot ${operation}: ${reason}. The object or the way to it is damaged; restore it from a copy.`,
      options,
    );
  }
  if (FULL.has(name) || status === 507) {
    return new SeamError(
      'OBJECT_STORE_FULL',
      `Cannot ${operation}: ${reason}. Free some space and try again.`,
      options,
    );
  }
  if (UNFIT_KEY.has(name)) {
    return new SeamError(
      'INVALID_INPUT',
      `Cannot ${operation}: ${reason}. This server cannot hold such a key, or not together with the others: choose another.`,
      options,
    );
  }
  if (status === 401 || status === 403 || name === 'CredentialsProviderError') {
    return new SeamError(
      'OBJECT_STORE_UNAVAILABLE',
      `Cannot ${operation}: ${reason}. Check the credentials (the AWS SDK's default chain: AWS_ACCESS_KEY_ID, a profile, a role) and what they permit on bucket ${bucket}.`,
      options,
    );
  }
  return new SeamError('OBJECT_STORE_UNAVAILABLE', `Cannot ${operation}: ${reason}`, options);
}

function plainError(error: unknown): Error {
  const plain = new Error(messageOf(error));
  plain.name = factsOf(error).name;
  return plain;
}
