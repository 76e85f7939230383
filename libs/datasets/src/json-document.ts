/**
 * A file that is one JSON document instead of lines: a list of rows, a SQuAD file, whose paragraphs are its rows, or a task of ARC over
 * several lines. It is read element by element, so that memory holds one of them: a row, an article of SQuAD, or a task.
 *
 *   [row, row, …]        {"version": …, "data": [{"title": …, "paragraphs": [row, row, …]}, …]}        {"train": …, "test": …}
 */
import { messageOf } from '@seamstream/kernel';
import type { Row } from './dataset.types.js';
import { type FileBytes, piecesOf } from './file-bytes.js';
import { hasKey } from './json-lines.js';
import { shown } from './row-fault.js';

/** Longest element accepted: the longest article of SQuAD's training set has half a megabyte. */
const MAX_ELEMENT_BYTES = 1 << 24;
/** Where a document says what it is. */
const HEAD_BYTES = 1 << 12;
/** Of a list, and of a SQuAD file up to its articles. */
const LIST = /^(?:ï»¿)?\s*\[/;
const ARTICLES = /^(?:ï»¿)?\s*\{\s*(?:"version"\s*:\s*"[^"\\]{0,99}"\s*,\s*)?"data"\s*:\s*\[/;
/** Of a task of ARC; on one line it is a file of lines as well, and read as one. */
const TASK = /^(?:ï»¿)?\s*\{\s*(?:"(?:id|name|domain)"\s*:\s*"[^"\\]{0,99}"\s*,\s*)*"(?:train|test)"\s*:\s*\[/;

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN, CLOSE] = [0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d];
const isBlank = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

/** Whether a file is one JSON document, and no file of lines. */
export async function isJsonDocument(file: FileBytes): Promise<boolean> {
  const head = await headOf(file);
  return LIST.test(head) || ARTICLES.test(head) || isTask(head);
}

/** Whether a task's first line ends before the task does. */
function isTask(head: string): boolean {
  const end = head.trimStart().indexOf('\n');
  return TASK.test(head) && end >= 0 && !head.trimStart().slice(0, end).trimEnd().endsWith('}');
}

/** The rows of a file that is one JSON document; undefined for a file of lines. */
export async function jsonDocumentRows(file: FileBytes): Promise<AsyncGenerator<Row> | undefined> {
  const head = await headOf(file);
  const list = LIST.exec(head);
  if (list !== null) return listRows(file, list[0].length);
  if (isTask(head)) return taskRow(file);
  const articles = ARTICLES.exec(head);
  return articles === null ? undefined : paragraphRows(file, articles[0].length);
}

/** The whole file is the only element of a list without brackets. */
async function* taskRow(file: FileBytes): AsyncGenerator<Row> {
  const scan = new ElementScan();
  for await (const piece of piecesOf(file)) yield* numbered(scan.elementsIn(piece));
  yield* numbered(scan.elementAtEnd());
}

function* numbered(elements: Iterable<Element>): Generator<Row> {
  for (const element of elements)
    yield 'fault' in element
      ? { row: 1, fault: { row: 1, field: 'row', ...element.fault } }
      : { row: 1, value: element.value };
}

/** Its bytes as one character each. */
async function headOf(file: FileBytes): Promise<string> {
  return Buffer.from(await file.slice(0, Math.min(HEAD_BYTES, file.byteLength))).toString('latin1');
}

async function* listRows(file: FileBytes, start: number): AsyncGenerator<Row> {
  let row = 0;
  for await (const element of elementsOf(file, start)) {
    row++;
    yield 'fault' in element ? { row, fault: { row, field: 'row', ...element.fault } } : { row, value: element.value };
  }
}

async function* paragraphRows(file: FileBytes, start: number): AsyncGenerator<Row> {
  let row = 0;
  for await (const element of elementsOf(file, start)) {
    if ('fault' in element) {
      row++;
      yield { row, fault: { row, field: 'data', ...element.fault } };
      continue;
    }
    const { title, paragraphs } = (element.value ?? {}) as Readonly<Record<string, unknown>>;
    if (!Array.isArray(paragraphs)) {
      row++;
      const expected = 'an article: {"title", "paragraphs"}';
      yield { row, fault: { row, field: 'data', expected, came: shown(element.value) } };
      continue;
    }
    for (const paragraph of paragraphs as readonly unknown[]) {
      row++;
      if (answersNothing(paragraph)) continue;
      const isObject = typeof paragraph === 'object' && paragraph !== null && !Array.isArray(paragraph);
      yield { row, value: isObject ? { title, ...paragraph } : paragraph };
    }
  }
}

/** A paragraph of SQuAD 2.0 none of whose questions has an answer is no problem, and no fault either. */
function answersNothing(paragraph: unknown): boolean {
  const { qas } = (paragraph ?? {}) as { readonly qas?: unknown };
  return (
    Array.isArray(qas) &&
    qas.length > 0 &&
    qas.every((each: unknown) => ((each ?? {}) as Readonly<Record<string, unknown>>).is_impossible === true)
  );
}

type Element = { readonly value: unknown } | { readonly fault: { readonly expected: string; readonly came: string } };

/** No reader of the log accepts such a field, and zod passes over it. */
function holdsPrototype(bytes: Buffer, value: unknown): boolean {
  return bytes.includes('"__proto__"') && hasKey(value, '__proto__');
}

/** The elements of a list whose first byte is at `start`. A document that ends within one has that one as a fault. */
async function* elementsOf(file: FileBytes, start: number): AsyncGenerator<Element> {
  const scan = new ElementScan();
  let isFirst = true;
  for await (const piece of piecesOf(file)) {
    yield* scan.elementsIn(isFirst ? piece.subarray(start) : piece);
    isFirst = false;
    if (scan.isEnded) return;
  }
  yield { fault: { expected: 'a list with its end', came: 'the end of the file' } };
}

/** Finds where elements begin and end, by brackets outside of texts; what they hold is for JSON.parse to judge. */
class ElementScan {
  isEnded = false;
  private readonly utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  private begun: Uint8Array[] = [];
  private length = 0;
  private depth = 0;
  private isInText = false;
  private isEscaped = false;

  *elementsIn(piece: Uint8Array): Generator<Element> {
    let from = 0;
    for (let at = 0; at < piece.length && !this.isEnded; at++) {
      const ends = this.endsAt(piece[at]!);
      if (!ends) continue;
      this.keep(piece.subarray(from, at));
      from = at + 1;
      const element = this.element();
      if (element !== undefined) yield element;
    }
    if (!this.isEnded) this.keep(piece.subarray(from));
  }

  /** What began and was not ended by a comma or a bracket. */
  *elementAtEnd(): Generator<Element> {
    this.isEnded = true;
    const element = this.element();
    if (element !== undefined) yield element;
  }

  /** Whether this byte is behind an element: a comma between two, or the list's end. */
  private endsAt(byte: number): boolean {
    if (this.isInText) {
      if (this.isEscaped) this.isEscaped = false;
      else if (byte === BACKSLASH) this.isEscaped = true;
      else if (byte === QUOTE) this.isInText = false;
      return false;
    }
    if (byte === QUOTE) this.isInText = true;
    else if (byte === OPEN || byte === OPEN_LIST) this.depth++;
    else if ((byte === CLOSE || byte === CLOSE_LIST) && this.depth > 0) this.depth--;
    else if (byte === CLOSE_LIST) this.isEnded = true;
    else return byte === COMMA && this.depth === 0;
    return this.isEnded;
  }

  /** Of an element that is too long its length is kept alone. */
  private keep(bytes: Uint8Array): void {
    this.length += bytes.length;
    if (this.length <= MAX_ELEMENT_BYTES) this.begun.push(bytes);
    else this.begun = [];
  }

  /** The element that has ended; undefined for the nothing between the brackets of an empty list. */
  private element(): Element | undefined {
    const [bytes, length] = [Buffer.concat(this.begun), this.length];
    [this.begun, this.length] = [[], 0];
    if (length > MAX_ELEMENT_BYTES)
      return { fault: { expected: `at most ${MAX_ELEMENT_BYTES} bytes`, came: `${length} bytes` } };
    if (this.isEnded && bytes.every(isBlank)) return undefined;
    try {
      const value: unknown = JSON.parse(this.utf8.decode(bytes));
      return holdsPrototype(bytes, value)
        ? { fault: { expected: 'no field with the name __proto__', came: shown(value) } }
        : { value };
    } catch (error) {
      return { fault: { expected: 'JSON', came: `${shown(bytes.toString('utf8').trim())} (${messageOf(error)})` } };
    }
  }
}
