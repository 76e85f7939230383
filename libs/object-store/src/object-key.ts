import { SeamError } from '@seamstream/kernel';

/** S3's longest key, in bytes; our alphabet is ASCII, so also in characters. */
const MAX_KEY = 1024;
const ALPHABET = /^[A-Za-z0-9!\-_.*'()/=%]+$/;

/**
 * INVALID_INPUT unless every driver can store the key: 1 to 1024 of `A-Z a-z 0-9 ! - _ . * ' ( ) / = %`, segments of 1 to
 * 200 characters between slashes, none of them `.` or `..`, no slash at the ends.
 */
export function checkKey(operation: string, key: string): void {
  const fault = faultOf(key);
  if (fault) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot ${operation}: expected a key like "buffers/v1/part-0.parquet", got ${JSON.stringify(key)}, which ${fault}.`,
      {
        details: { key },
      },
    );
  }
}

/** INVALID_INPUT unless the prefix could begin a key; the empty prefix lists everything. */
export function checkPrefix(prefix: string): void {
  if (prefix !== '' && (!ALPHABET.test(prefix) || prefix.startsWith('/') || prefix.split('/').some(isDots))) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot list objects: expected the beginning of a key, got ${JSON.stringify(prefix)}.`,
      {
        details: { prefix },
      },
    );
  }
}

/** INVALID_INPUT unless `0 <= from <= to <= size`; units are bytes, `to` is exclusive. */
export function checkRange(
  key: string,
  range: { readonly from: number; readonly to: number },
  sizeBytes: number,
): void {
  const { from, to } = range;
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || from < 0 || to < from || to > sizeBytes) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot get bytes ${from} to ${to} (exclusive) of ${key}: expected a range within its ${sizeBytes} bytes.`,
      { details: { key, from, to, sizeBytes } },
    );
  }
}

/** The error of a key that holds nothing. */
export function objectNotFound(key: string): SeamError {
  return new SeamError(
    'OBJECT_NOT_FOUND',
    `Cannot get ${key}: there is no object under this key. list() shows what there is.`,
    {
      details: { key },
    },
  );
}

/** The error of a conditional write that another writer was faster than. */
export function preconditionFailed(
  key: string,
  expected: 'absent' | { readonly etag: string },
  actual: string | undefined,
): SeamError {
  const wanted = expected === 'absent' ? 'no object there' : `etag ${expected.etag}`;
  const found = actual === undefined ? 'there is none' : `it has etag ${actual}`;
  return new SeamError(
    'PRECONDITION_FAILED',
    `Cannot put ${key}: expected ${wanted}, but ${found}. Read it again, merge, and try again.`,
    {
      details: { key, ...(actual === undefined ? {} : { etag: actual }) },
    },
  );
}

function isDots(segment: string): boolean {
  return segment === '.' || segment === '..';
}

function faultOf(key: string): string | undefined {
  if (key === '') return 'is empty';
  if (key.length > MAX_KEY) return `is longer than ${MAX_KEY} characters`;
  if (!ALPHABET.test(key)) return "has characters outside A-Z a-z 0-9 ! - _ . * ' ( ) / = %";
  const segments = key.split('/');
  if (segments.includes('')) return 'starts or ends with a slash or has two in a row';
  if (segments.some(isDots)) return 'has a . or .. segment';
  if (segments.some((segment) => segment.length > 200)) return 'has a segment of more than 200 characters';
  return undefined;
}
