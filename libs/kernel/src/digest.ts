import { createHash, hash } from 'node:crypto';

/** SHA-256 of the concatenated parts as 64 lower-case hexadecimal digits. Strings are taken as UTF-8. */
export function sha256(...parts: (string | Uint8Array)[]): string {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return hash('sha256', only); // without a hash object: half the time
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part);
  return digest.digest('hex');
}

/**
 * JSON with the keys of every object sorted by code unit and no white space, so that equal values have equal text
 * (the ordering of RFC 8785; numbers are written as JSON.stringify writes them, which that RFC prescribes too). Keys that
 * are array indices come first, ascending by number, as they do in every object of the language.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sortedByKey(value));
}

/** The value with every object's keys in order, copied as far as that needs: a replacer would be called for every number. */
function sortedByKey(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { toJSON } = value;
  if (typeof toJSON === 'function') return sortedByKey(Reflect.apply(toJSON, value, ['']));
  if (Array.isArray(value)) return value.some(isObject) ? value.map(sortedByKey) : value;
  const keys = Object.keys(value).sort();
  // Assigning to __proto__ would set the prototype instead.
  if (keys.includes('__proto__')) return Object.fromEntries(keys.map((key) => [key, sortedByKey(value[key])]));
  const sorted: Record<string, unknown> = {};
  for (const key of keys) sorted[key] = sortedByKey(value[key]);
  return sorted;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
