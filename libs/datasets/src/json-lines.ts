import { messageOf } from '@seamstream/kernel';
import type { Row } from './dataset.types.js';
import { type FileBytes, piecesOf } from './file-bytes.js';
import { shown } from './row-fault.js';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;

/**
 * Longest line accepted. A problem travels inside its experiences and outcomes, which together with it must stay below
 * the log's limit for a record (1 MB); longer texts belong into the object store.
 */
const MAX_LINE_BYTES = 1 << 18;

/** A line as bytes without its break, with the number of the blank lines before it; of one that is too long only its length is known. */
type Line = { readonly blank: number } & ({ readonly bytes: Uint8Array } | { readonly tooLong: number });

/**
 * The rows of a JSON Lines file (https://jsonlines.org): one JSON value per line, UTF-8, blank lines passed over but counted,
 * LF or CRLF, the last line with or without a break, a byte order mark passed over. Memory: one piece of the file and one line.
 */
export async function* jsonLineRows(file: FileBytes): AsyncGenerator<Row> {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  let row = 0;
  for await (const line of linesOf(file)) {
    row += line.blank + 1;
    const refused = (expected: string, came: string): Row => ({ row, fault: { row, field: 'row', expected, came } });
    if ('tooLong' in line) {
      yield refused(`at most ${MAX_LINE_BYTES} bytes`, `${line.tooLong} bytes`);
      continue;
    }
    let text: string;
    try {
      text = utf8.decode(line.bytes);
    } catch {
      yield refused('UTF-8', 'other bytes');
      continue;
    }
    if (text.trim() === '') continue;
    try {
      const value: unknown = JSON.parse(text);
      // zod passes over a key of this name, and no reader of the log accepts one.
      yield text.includes('"__proto__"') && hasKey(value, '__proto__')
        ? refused('no field with the name __proto__', shown(text))
        : { row, value };
    } catch (error) {
      yield refused('one JSON object', `${shown(text)} (${messageOf(error)})`);
    }
  }
}

async function* linesOf(file: FileBytes): AsyncGenerator<Line> {
  /** Pieces of the line that has begun, and their length; of a line that is too long nothing is kept. */
  let begun: Uint8Array[] = [];
  let length = 0;
  let blank = 0;
  const keep = (bytes: Uint8Array): void => {
    length += bytes.length;
    // One byte more may be its carriage return.
    if (length <= MAX_LINE_BYTES + 1) begun.push(bytes);
    else begun = [];
  };
  const finish = (): Line | null => {
    const whole = begun.length === 1 ? begun[0]! : Buffer.concat(begun);
    const bytes = whole.at(-1) === CARRIAGE_RETURN ? whole.subarray(0, -1) : whole;
    const isTooLong = length > bytes.length + 1 || bytes.length > MAX_LINE_BYTES;
    const line: Line = isTooLong ? { blank, tooLong: length } : { blank, bytes };
    begun = [];
    length = 0;
    // Counted here: a file can be nothing but such lines, four million of them.
    blank = !isTooLong && bytes.every(isBlank) ? blank + 1 : 0;
    return blank > 0 ? null : line;
  };
  let isStart = true;
  for await (const piece of piecesOf(file)) {
    const hasMark = isStart && BYTE_ORDER_MARK.every((byte, index) => piece[index] === byte);
    isStart = false;
    let start = hasMark ? BYTE_ORDER_MARK.length : 0;
    for (;;) {
      const end = piece.indexOf(LINE_FEED, start);
      if (end === -1) break;
      keep(piece.subarray(start, end));
      const line = finish();
      if (line !== null) yield line;
      start = end + 1;
    }
    if (start < piece.length) keep(piece.subarray(start));
  }
  const last = length > 0 ? finish() : null;
  if (last !== null) yield last;
}

const isBlank = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

/** Whether an object has a field of this name, at any depth. */
export function hasKey(value: unknown, key: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, key) || Object.values(value).some((inner) => hasKey(inner, key));
}
