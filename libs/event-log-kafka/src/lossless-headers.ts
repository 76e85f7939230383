/**
 * Keys and headers that Kafka carries and the port does not: bytes that are not UTF-8, a header that occurs twice, has no value
 * or a name that the port refuses. The port's reader gets them as text as far as possible (of several values the last), and
 * two headers that hold the originals. The writer of such a record to Kafka writes the originals. So nothing is lost on the
 * way through dead letters or a log of another driver. (A header without a value comes back with an empty one: kafkajs
 * cannot write it.)
 *
 *   seam-kafka-key      the key, base64
 *   seam-kafka-headers  [[name, value in base64 or null], …] as JSON: all headers of the names that are not as they were
 */
import { isUtf8 } from 'node:buffer';
import { type Headers, isHeaderName } from '@seamstream/event-log';

const KEY_HEADER = 'seam-kafka-key';
const HEADERS_HEADER = 'seam-kafka-headers';

/** U+FFFD: decoding puts it where bytes are not UTF-8. It may also be part of the text. */
const REPLACEMENT = '\ufffd';
/** Room for what a copy or a redrive adds to the 256 headers that the port takes. */
const MAX_HEADERS = 240;

export type RawHeader = readonly [name: string, value: Buffer | null];

/** Whether text is not certain to be the bytes that it was decoded from. */
export function isDoubtful(text: string): boolean {
  return text.includes(REPLACEMENT);
}

/** Whether the port can hold a header of this name as it is, as long as no other has the same name. */
export function isPlain(name: string): boolean {
  return isHeaderName(name) && name !== KEY_HEADER && name !== HEADERS_HEADER;
}

/** A record's key and headers as the port's reader gets them. */
export function readable(
  key: Buffer | null,
  headers: readonly RawHeader[],
): { readonly key: string | null; readonly headers: Headers } {
  const texts: Record<string, string> = {};
  const originals: [string, string | null][] = [];
  for (const [name, of] of Map.groupBy(headers, ([header]) => header)) {
    const value = of.at(-1)![1];
    const isWhole = of.length === 1 && isPlain(name) && isText(value) && Object.keys(texts).length < MAX_HEADERS;
    if (isPlain(name) && Object.keys(texts).length < MAX_HEADERS) texts[name] = String(value ?? '');
    if (!isWhole) for (const [, bytes] of of) originals.push([name, bytes?.toString('base64') ?? null]);
  }
  if (key !== null && !isText(key)) texts[KEY_HEADER] = key.toString('base64');
  if (originals.length > 0) texts[HEADERS_HEADER] = JSON.stringify(originals);
  return { key: key === null ? null : key.toString(), headers: texts };
}

/** Key and headers to write to Kafka for a record of the port. */
export function original({ key, headers }: { readonly key: string | null; readonly headers: Headers }): {
  readonly key: string | Buffer | null;
  readonly headers: Readonly<Record<string, string | readonly Buffer[]>>;
} {
  const { [KEY_HEADER]: keyBytes, [HEADERS_HEADER]: said } = headers;
  if (keyBytes === undefined && said === undefined) return { key, headers: { ...headers } };
  const originals = said === undefined ? [] : parsed(said);
  if (originals === undefined) return { key, headers: { ...headers } }; // another program's header of that name
  const texts = Object.entries(headers).filter(([name]) => name !== KEY_HEADER && name !== HEADERS_HEADER);
  const bytes = [...Map.groupBy(originals, ([name]) => name)].map(
    ([name, of]) => [name, of.map(([, value]) => Buffer.from(value ?? '', 'base64'))] as const,
  );
  return {
    key: keyBytes === undefined ? key : Buffer.from(keyBytes, 'base64'),
    headers: Object.fromEntries<string | readonly Buffer[]>([...texts, ...bytes]),
  };
}

function isText(bytes: Buffer | null): boolean {
  return bytes !== null && isUtf8(bytes);
}

function parsed(text: string): readonly (readonly [string, string | null])[] | undefined {
  try {
    const found = JSON.parse(text) as unknown;
    const isPair = (each: unknown): each is [string, string | null] =>
      Array.isArray(each) && typeof each[0] === 'string' && (each[1] === null || typeof each[1] === 'string');
    return Array.isArray(found) && found.every(isPair) ? found : undefined;
  } catch {
    return undefined;
  }
}
