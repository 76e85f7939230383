/**
 * avsc's types made strict. avsc trusts what it reads: an array that claims 2^40 items is allocated, broken UTF-8 becomes
 * U+FFFD, a NaN passes. Records come from anybody who can write to the log, so each of these is refused here, at no cost
 * that shows (the classes below replace avsc's one for one; `_read`, `_skip`, `_write` and `_check` are the methods that its
 * generated record code calls, avsc 5.7.9).
 *
 * A read past the end of the buffer yields nonsense and moves the position on: avsc checks the position at the end.
 */
import { isUtf8 } from 'node:buffer';
import avro from 'avsc';
import type { AvroDefinition, AvroSchema } from './schema/avro-schema.js';

/** What toString and write of a Buffer call after checking their arguments; the types of Node do not list them. */
type Utf8Buffer = Buffer & {
  utf8Slice(start: number, end: number): string;
  utf8Write(text: string, start: number, maxBytes: number): number;
};

/** The part of avsc's cursor over a buffer that is used here. */
interface Tap {
  readonly buf: Utf8Buffer;
  pos: number;
  readLong(): number;
  readFloat(): number;
  readDouble(): number;
  writeLong(value: number): void;
  writeFloat(value: number): void;
  writeDouble(value: number): void;
}

interface Reader {
  _read(tap: Tap): unknown;
}

interface Writer {
  _write(tap: Tap, value: unknown): void;
}

interface Skipper {
  /** Moves over a value that the writer's schema has and the reader's has not. */
  _skip(tap: Tap): void;
}

type Hook = ((value: unknown, type: unknown) => void) | undefined;

/** What a type's checker answers, telling the hook (which knows the path) about a refusal. */
function refuseUnless(valid: boolean, value: unknown, type: unknown, hook: Hook): boolean {
  if (!valid) hook?.(value, type);
  return valid;
}

/** Reads the length of a text or of bytes and moves behind them; a negative one would lead back, and in circles. */
function passOver(tap: Tap, what: string): number {
  const length = tap.readLong();
  const start = tap.pos;
  if (length < 0) throw new RangeError(`${what} of length ${length} at byte ${start}`);
  tap.pos = start + length;
  return start;
}

function readText(tap: Tap): string {
  const start = passOver(tap, 'a text');
  if (tap.pos > tap.buf.length) return '';
  const text = tap.buf.utf8Slice(start, tap.pos);
  // Broken UTF-8 always shows as U+FFFD, which a valid text may hold too.
  if (text.includes('\ufffd') && !isUtf8(tap.buf.subarray(start, tap.pos))) {
    throw new RangeError(`a text that is not valid UTF-8 at byte ${start}`);
  }
  return text;
}

/** Most texts are ASCII, as long in bytes as in characters: written in one go, and again in the rare other case. */
function writeText(tap: Tap, text: string): void {
  const { buf, pos } = tap;
  const { length } = text;
  const head = length < 64 ? 1 : 2; // bytes of the length as a zigzag varint
  if (
    length < 8192 &&
    pos + head + 3 * length <= buf.length &&
    buf.utf8Write(text, pos + head, 3 * length) === length
  ) {
    if (head === 1) buf[pos] = length << 1;
    else {
      buf[pos] = ((length << 1) & 0x7f) | 0x80;
      buf[pos + 1] = length >> 6;
    }
    tap.pos = pos + head + length;
    return;
  }
  const bytes = Buffer.byteLength(text);
  tap.writeLong(bytes);
  const start = tap.pos;
  tap.pos += bytes;
  if (tap.pos <= buf.length) buf.utf8Write(text, start, bytes);
}

class StrictString extends avro.types.StringType {
  _read(tap: Tap): string {
    return readText(tap);
  }

  _skip(tap: Tap): void {
    passOver(tap, 'a text');
  }

  // avsc's own writes half a surrogate pair as three bytes that are no UTF-8; here it becomes U+FFFD.
  _write(tap: Tap, value: unknown): void {
    if (typeof value !== 'string') throw new TypeError('a text that is no string');
    writeText(tap, value);
  }
}

class StrictBytes extends avro.types.BytesType {
  _read(tap: Tap): Buffer {
    const start = passOver(tap, 'bytes');
    return tap.buf.subarray(start, tap.pos);
  }

  _skip(tap: Tap): void {
    passOver(tap, 'bytes');
  }
}

class StrictInt extends avro.types.IntType {
  _read(tap: Tap): number {
    const value = tap.readLong();
    if (value !== (value | 0)) throw new RangeError(`an int of ${value} before byte ${tap.pos}`);
    return value;
  }

  _write(tap: Tap, value: unknown): void {
    if (value !== ((value as number) | 0)) throw new TypeError('an int beyond 32 bits or with a fraction');
    tap.writeLong(value);
  }
}

class StrictBoolean extends avro.types.BooleanType {
  _read(tap: Tap): boolean {
    const byte = tap.buf[tap.pos++];
    if (byte !== undefined && byte > 1) throw new RangeError(`a boolean of ${byte} at byte ${tap.pos - 1}`);
    return byte === 1;
  }

  _write(tap: Tap, value: unknown): void {
    if (typeof value !== 'boolean') throw new TypeError('a boolean that is another type');
    tap.buf[tap.pos++] = value ? 1 : 0;
  }
}

class FiniteDouble extends avro.types.DoubleType {
  _check(value: unknown, _flags: unknown, hook: Hook): boolean {
    return refuseUnless(Number.isFinite(value), value, this, hook);
  }

  _read(tap: Tap): number {
    const value = tap.readDouble();
    // Past the end avsc yields undefined, which is no number of the record.
    if (!Number.isFinite(value) && tap.pos <= tap.buf.length)
      throw new RangeError(`a double of ${value} at byte ${tap.pos - 8}`);
    return value;
  }

  _write(tap: Tap, value: unknown): void {
    if (!Number.isFinite(value)) throw new RangeError('a double that is not finite');
    tap.writeDouble(value as number);
  }
}

class FiniteFloat extends avro.types.FloatType {
  _check(value: unknown, _flags: unknown, hook: Hook): boolean {
    return refuseUnless(typeof value === 'number' && Number.isFinite(Math.fround(value)), value, this, hook);
  }

  _read(tap: Tap): number {
    const value = tap.readFloat();
    if (!Number.isFinite(value) && tap.pos <= tap.buf.length)
      throw new RangeError(`a float of ${value} at byte ${tap.pos - 4}`);
    return value;
  }

  _write(tap: Tap, value: unknown): void {
    if (typeof value !== 'number' || !Number.isFinite(Math.fround(value)))
      throw new RangeError('a float that is not finite');
    tap.writeFloat(value);
  }
}

/** Reads the head of a block of items (specification, "Arrays"): each item takes at least one byte. */
function readCount(tap: Tap): number {
  let count = tap.readLong();
  if (count < 0) {
    count = -count;
    tap.readLong(); // the block's size in bytes
  }
  if (!(count <= Math.max(0, tap.buf.length - tap.pos))) {
    throw new RangeError(
      `a list of ${count} items before byte ${tap.pos}, but ${tap.buf.length - tap.pos} bytes are left`,
    );
  }
  return count;
}

// In a resolver (old version → new) avsc calls `_read` with a `this` that has nothing but the item's or value's reader.
class BoundedArray extends avro.types.ArrayType {
  _read(this: { readonly itemsType: Reader }, tap: Tap): unknown[] {
    const items = this.itemsType;
    let list: unknown[] | undefined;
    for (let count = readCount(tap); count > 0; count = readCount(tap)) {
      // Nearly every list is one block.
      const block = readBlock(items, tap, count);
      list = list === undefined ? block : list.concat(block);
    }
    return list ?? [];
  }

  _skip(this: { readonly itemsType: Skipper }, tap: Tap): void {
    for (let count = readCount(tap); count > 0; count = readCount(tap)) {
      for (let i = 0; i < count; i++) this.itemsType._skip(tap);
    }
  }

  _write(this: { readonly itemsType: Writer }, tap: Tap, list: unknown): void {
    if (!Array.isArray(list)) throw new TypeError('a list that is no array');
    const items = this.itemsType;
    if (list.length > 0) {
      tap.writeLong(list.length);
      if (items === STRICT_INT) writeInts(tap, list);
      else if (items === STRICT_BOOLEAN) writeBooleans(tap, list);
      else if (items === FINITE_FLOAT) writeFloats(tap, list);
      else for (const item of list) items._write(tap, item);
    }
    tap.writeLong(0);
  }
}

// Most items of a record are in its lists of token ids, flags and log-probabilities. Each of these loops meets one type, so
// that the engine keeps numbers unboxed and makes the list of the right kind and length at once.

function readBlock(items: Reader, tap: Tap, count: number): unknown[] {
  if (items === STRICT_INT) return readInts(tap, count);
  if (items === STRICT_BOOLEAN) return readBooleans(tap, count);
  if (items === FINITE_FLOAT) return readFloats(tap, count);
  const list = new Array<unknown>(count);
  for (let i = 0; i < count; i++) list[i] = items._read(tap);
  return list;
}

/** Ids of one or two bytes are read in place. */
function readInts(tap: Tap, count: number): number[] {
  const list = new Array<number>(count);
  const { buf } = tap;
  for (let i = 0; i < count; i++) {
    const first = buf[tap.pos] ?? 0;
    const second = buf[tap.pos + 1] ?? 0x80;
    if (first < 0x80) {
      tap.pos++;
      list[i] = (first >> 1) ^ -(first & 1); // zigzag
    } else if (second < 0x80) {
      tap.pos += 2;
      const bits = (first & 0x7f) | (second << 7);
      list[i] = (bits >> 1) ^ -(bits & 1);
    } else list[i] = STRICT_INT._read(tap);
  }
  return list;
}

function writeInts(tap: Tap, list: readonly unknown[]): void {
  const { buf } = tap;
  for (const item of list) {
    const value = item as number;
    if ((value & 0x3f) === value) buf[tap.pos++] = value << 1;
    else if ((value & 0x1fff) === value) {
      buf[tap.pos++] = ((value << 1) & 0x7f) | 0x80;
      buf[tap.pos++] = value >> 6;
    } else STRICT_INT._write(tap, item);
  }
}

function readBooleans(tap: Tap, count: number): boolean[] {
  const list = new Array<boolean>(count);
  for (let i = 0; i < count; i++) list[i] = STRICT_BOOLEAN._read(tap);
  return list;
}

function writeBooleans(tap: Tap, list: readonly unknown[]): void {
  for (const item of list) STRICT_BOOLEAN._write(tap, item);
}

function readFloats(tap: Tap, count: number): number[] {
  const list = new Array<number>(count);
  const { buf } = tap;
  for (let i = 0; i < count; i++, tap.pos += 4) {
    const value = tap.pos + 4 <= buf.length ? buf.readFloatLE(tap.pos) : 0;
    if (!Number.isFinite(value)) throw new RangeError(`a float of ${value} at byte ${tap.pos}`);
    list[i] = value;
  }
  return list;
}

function writeFloats(tap: Tap, list: readonly unknown[]): void {
  const { buf } = tap;
  for (let i = 0; i < list.length; i++) {
    const value = list[i];
    if (typeof value !== 'number' || !Number.isFinite(Math.fround(value)))
      throw new RangeError('a float that is not finite');
    if (tap.pos + 4 <= buf.length) buf.writeFloatLE(value, tap.pos);
    tap.pos += 4;
  }
}

class BoundedMap extends avro.types.MapType {
  _read(this: { readonly valuesType: Reader }, tap: Tap): Record<string, unknown> {
    const values = this.valuesType;
    const map: Record<string, unknown> = {};
    for (let count = readCount(tap); count > 0; count = readCount(tap)) {
      for (let i = 0; i < count; i++) {
        const key = readText(tap);
        if (key === '__proto__') throw new RangeError('a map with the key __proto__');
        map[key] = values._read(tap);
      }
    }
    return map;
  }

  _skip(this: { readonly valuesType: Skipper }, tap: Tap): void {
    for (let count = readCount(tap); count > 0; count = readCount(tap)) {
      for (let i = 0; i < count; i++) {
        passOver(tap, 'a text');
        this.valuesType._skip(tap);
      }
    }
  }
}

const STRICT_INT = new StrictInt();
const STRICT_BOOLEAN = new StrictBoolean();
const FINITE_FLOAT = new FiniteFloat();

const STRICT_PRIMITIVES: Readonly<Record<string, avro.Type>> = {
  string: new StrictString(),
  bytes: new StrictBytes(),
  int: STRICT_INT,
  boolean: STRICT_BOOLEAN,
  double: new FiniteDouble(),
  float: FINITE_FLOAT,
};

type ForSchemaOptions = NonNullable<Parameters<typeof avro.Type.forSchema>[1]>;

/** The strict type of a self-contained schema. Throws avsc's own errors for what is not a schema, or has an ambiguous union. */
export function strictType(schema: AvroSchema): avro.Type {
  const hook =
    (finite: boolean) =>
    (inner: unknown, options: ForSchemaOptions): avro.Type | undefined => {
      const definition = inner as AvroSchema;
      const name = typeof definition === 'string' ? definition : (definition as AvroDefinition).type;
      if (typeof name !== 'string') return undefined;
      const { nonFinite = false } = definition as AvroDefinition;
      if (name === 'array' || name === 'map') {
        const Strict = name === 'array' ? BoundedArray : BoundedMap;
        return new Strict(inner as avro.Schema, { ...options, typeHook: hook(finite && !nonFinite) });
      }
      return !finite && (name === 'double' || name === 'float') ? undefined : STRICT_PRIMITIVES[name];
    };
  return avro.Type.forSchema(schema as avro.Schema, {
    typeHook: hook(true),
    wrapUnions: 'never',
    omitRecordMethods: true,
    registry: {},
  });
}

/** The same bytes as a Buffer, not copied. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
