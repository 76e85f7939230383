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

/**
 * The value with every object's keys in order. Copied is what has to be: a replacer would be called for every number, and
 * who makes many objects can make them in order.
 */
function sortedByKey(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { toJSON } = value;
  if (typeof toJSON === 'function') return sortedByKey(Reflect.apply(toJSON, value, ['']));
  if (Array.isArray(value)) {
    if (!value.some(isObject)) return value;
    const items = value.map(sortedByKey);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const keys = Object.keys(value);
  const isSorted = !keys.some((key, index) => index > 0 && key < keys[index - 1]!);
  if (!isSorted) keys.sort();
  // Assigning to __proto__ would set the prototype instead.
  if (keys.includes('__proto__')) return Object.fromEntries(keys.map((key) => [key, sortedByKey(value[key])]));
  let copy: Record<string, unknown> | undefined = isSorted ? undefined : {};
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index]!;
    const inner = value[key];
    const sorted = sortedByKey(inner);
    if (copy === undefined && sorted !== inner) {
      copy = {};
      for (const before of keys.slice(0, index)) copy[before] = value[before];
    }
    if (copy !== undefined) copy[key] = sorted;
  }
  return copy ?? value;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
