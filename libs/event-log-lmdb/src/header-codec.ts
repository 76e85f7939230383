/**
 * Headers in a record's body. Records of one kind carry the same names, so names are one text that is looked up, not built:
 *
 *   | namesBytes u16 | count u16 | valueBytes u32 × count | names, each followed by LF, ASCII | values, UTF-8 |
 *
 * No headers are 0 bytes. Little-endian.
 */
import type { Headers } from '@seamstream/event-log';

const PREFIX_BYTES = 4;

/** Most sets of names that are remembered; a log has about one per event type. */
const MAX_REMEMBERED = 1000;
const remembered = new Map<string, readonly string[]>();

/** The names written last, and their bytes: the next record mostly has the same. */
let lastNames: readonly string[] = [];
let lastNamesBytes = new Uint8Array(0);

/** Writes headers at `at` of memory that `view` shows as well, and answers where they end. */
export function writeHeaders(headers: Headers | undefined, into: Buffer, view: DataView, at: number): number {
  if (headers === undefined) return at;
  const end = writeNamed(headers, into, view, at);
  if (end !== undefined) return end;
  const names = Object.keys(headers);
  if (names.length === 0) return at;
  lastNames = names;
  lastNamesBytes = new Uint8Array(Buffer.from(`${names.join('\n')}\n`, 'latin1'));
  return writeNamed(headers, into, view, at)!;
}

/** The same for headers with the names written last; undefined when their names are others, and what was written is void. */
function writeNamed(headers: Headers, into: Buffer, view: DataView, at: number): number | undefined {
  const count = lastNames.length;
  const namesAt = at + PREFIX_BYTES + 4 * count;
  let end = namesAt + lastNamesBytes.length;
  let index = 0;
  for (const name in headers) {
    if (name !== lastNames[index]) return undefined;
    const from = end;
    end = writeText(headers[name]!, into, from);
    view.setUint32(at + PREFIX_BYTES + 4 * index, end - from, true);
    index++;
  }
  if (index !== count) return undefined;
  if (count === 0) return at;
  view.setUint16(at, lastNamesBytes.length, true);
  view.setUint16(at + 2, count, true);
  into.set(lastNamesBytes, namesAt);
  return end;
}

/** What write of a Buffer calls after checking its arguments; the types of Node do not list it. */
type Utf8Buffer = Buffer & { utf8Write(text: string, at: number): number };

/** Up to here writing byte by byte is faster than a call out of JavaScript: characters, measured with ids and event types. */
const SHORT_TEXT = 16;

/** Writes text as UTF-8 and answers where it ends. */
export function writeText(text: string, into: Buffer, at: number): number {
  const { length } = text;
  if (length > SHORT_TEXT) return at + (into as Utf8Buffer).utf8Write(text, at);
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) return at + (into as Utf8Buffer).utf8Write(text, at);
    into[at + index] = code;
  }
  return at + length;
}

/** Reads the headers in [at, end). */
export function readHeaders(bytes: Buffer, at: number, end: number): Headers {
  if (at === end) return {};
  const namesBytes = bytes.readUInt16LE(at);
  const count = bytes.readUInt16LE(at + 2);
  const namesAt = at + PREFIX_BYTES + 4 * count;
  const valuesAt = namesAt + namesBytes;
  const names = namesOf(bytes.toString('latin1', namesAt, valuesAt));
  const values = bytes.toString('utf8', valuesAt, end);
  const isAscii = values.length === end - valuesAt; // then a byte is a character
  const headers: Record<string, string> = {};
  let from = 0;
  for (let index = 0; index < count; index++) {
    const to = from + bytes.readUInt32LE(at + PREFIX_BYTES + 4 * index);
    headers[names[index]!] = isAscii ? values.slice(from, to) : bytes.toString('utf8', valuesAt + from, valuesAt + to);
    from = to;
  }
  return headers;
}

function namesOf(text: string): readonly string[] {
  const known = remembered.get(text);
  if (known) return known;
  const names = text.slice(0, -1).split('\n');
  if (remembered.size < MAX_REMEMBERED) remembered.set(text, names);
  return names;
}
