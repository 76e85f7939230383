import { createHash } from 'node:crypto';

/** SHA-256 of the concatenated parts as 64 lower-case hexadecimal digits. Strings are taken as UTF-8. */
export function sha256(...parts: (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

/**
 * JSON with the keys of every object sorted by code unit and no white space, so that equal values have equal text
 * (the ordering of RFC 8785; numbers are written as JSON.stringify writes them, which that RFC prescribes too).
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  );
}
