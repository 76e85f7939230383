/**
 * One walk over an encoded event finds where each of its leaves begins.
 *
 * The walk accepts what the codec itself writes, and of that nothing that decoding would refuse: valid texts, finite numbers, lists
 * and maps in one block. Every other record, however valid, is left to decoding.
 *
 * It follows a list of steps instead of calling a function per type: compiling those functions into one another, for each place that
 * they are called from, took a fifth of all that was compiled while a service starts (docs/experiments/LOG.md).
 */
import { isUtf8 } from 'node:buffer';
import type avro from 'avsc';

/** What stands at a place: the type of one leaf. */
export const TEXT = 0;
const INT = 1;
const LONG = 2;
const FLOAT = 3;
const DOUBLE = 4;
const BOOLEAN = 5;
const NULL = 6;
export const ENUM = 7;
const UNION = 8;
const LIST = 9;
const INTS = 10;
const FLOATS = 11;
const BOOLEANS = 12;
const MAP = 13;
/** Nothing of this type passes: such events are decoded. */
const OTHER = 14;

export interface Step {
  readonly kind: number;
  /** Of an enum. */
  readonly symbols: readonly string[];
  /** Steps of a union's branches, or of the items of a list or map. */
  readonly parts: readonly (readonly Step[])[];
}

/** Beyond 32 bits: what {@link int} answers for a number that takes more. */
const NONE = 2 ** 32;

/** Where the number that was read last ends: apart from its value, so that reading one makes nothing. */
let after = 0;

/** Where the number that {@link int} read last ends. */
export function endOfInt(): number {
  return after;
}

/** Bytes, and the same ones four at a time: until a loop is compiled, and then too, a quarter of the turns is a quarter of the time. */
export interface Bytes {
  readonly each: Uint8Array;
  readonly view: DataView;
}

const HIGH_BITS = 0x80808080 | 0;
const ALL_BUT_LOWEST_BITS = 0xfefefefe | 0;

/** The first place of [from, to) where a byte has one of these bits, which are the same in each byte of the mask; `to` where none has. */
function firstWith(bits: number, { each, view }: Bytes, from: number, to: number): number {
  let at = from;
  while (at + 4 <= to && (view.getInt32(at) & bits) === 0) at += 4;
  while (at < to && (each[at]! & bits & 0xff) === 0) at++;
  return at;
}

/** The int (zigzag varint of at most 32 bits) at the place. */
export function int(bytes: Uint8Array, at: number): number {
  let bits = 0;
  for (let shift = 0; shift < 28; shift += 7) {
    const byte = bytes[at++];
    if (byte === undefined) return NONE;
    bits |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      after = at;
      return (bits >>> 1) ^ -(bits & 1);
    }
  }
  const last = bytes[at++];
  if (last === undefined || last > 0x0f) return NONE;
  after = at;
  bits |= last << 28;
  return (bits >>> 1) ^ -(bits & 1);
}

/** A length or count, each item of which takes at least `bytesEach`; -1 for none that fits into what is left. */
function size(bytes: Uint8Array, at: number, bytesEach: number): number {
  const count = int(bytes, at);
  return count >= 0 && count !== NONE && count * bytesEach <= bytes.length - after ? count : -1;
}

/** Where a text ends; -1 for one that is not valid. */
function textEnd(bytes: Bytes, from: number): number {
  const length = size(bytes.each, from, 1);
  if (length < 0) return -1;
  const end = after + length;
  const at = firstWith(HIGH_BITS, bytes, after, end);
  return at === end || isUtf8(bytes.each.subarray(at, end)) ? end : -1;
}

/** Of up to 49 bits, which a number holds exactly. */
function longEnd(bytes: Uint8Array, from: number): number {
  for (let at = from; at < from + 7; at++) {
    const byte = bytes[at];
    if (byte === undefined) return -1;
    if (byte < 0x80) return at + 1;
  }
  return -1;
}

/** IEEE 754: a float of 32 bits is not finite where all bits of its exponent are set. */
const EXPONENT = 0x7f800000;

function floatEnd({ view }: Bytes, at: number): number {
  return at + 4 <= view.byteLength && (view.getInt32(at, true) & EXPONENT) !== EXPONENT ? at + 4 : -1;
}

function doubleEnd({ view }: Bytes, at: number): number {
  return at + 8 <= view.byteLength && Number.isFinite(view.getFloat64(at, true)) ? at + 8 : -1;
}

/** Where a list or map of one block ends, whose items end at the place: no other block follows. */
function blockEnd(bytes: Uint8Array, at: number, count: number): number {
  if (count === 0) return at;
  return bytes[at] === 0 ? at + 1 : -1;
}

// Most items of a record are in its lists of token ids, flags and log-probabilities: one loop for each, without calls.

function intsEnd(bytes: Uint8Array, from: number): number {
  const count = size(bytes, from, 1);
  if (count < 0) return -1;
  let at = after;
  for (let index = 0; index < count; index++) {
    if (bytes[at]! < 0x80) at++;
    else if (bytes[at + 1]! < 0x80) at += 2;
    else {
      if (int(bytes, at) === NONE) return -1;
      at = after;
    }
  }
  return blockEnd(bytes, at, count);
}

function floatsEnd(bytes: Bytes, from: number): number {
  const count = size(bytes.each, from, 4);
  if (count < 0) return -1;
  const { each, view } = bytes;
  let at = after;
  for (let index = 0; index < count; index++, at += 4) if ((view.getInt32(at, true) & EXPONENT) === EXPONENT) return -1;
  return blockEnd(each, at, count);
}

function booleansEnd(bytes: Bytes, from: number): number {
  const count = size(bytes.each, from, 1);
  if (count < 0) return -1;
  const end = after + count;
  return firstWith(ALL_BUT_LOWEST_BITS, bytes, after, end) === end ? blockEnd(bytes.each, end, count) : -1;
}

function listEnd(bytes: Bytes, from: number, items: readonly Step[]): number {
  const count = size(bytes.each, from, 1);
  if (count < 0) return -1;
  let at = after;
  for (let index = 0; index < count && at >= 0; index++) at = walk(bytes, at, items);
  return at < 0 ? -1 : blockEnd(bytes.each, at, count);
}

function mapEnd(bytes: Bytes, from: number, items: readonly Step[]): number {
  const count = size(bytes.each, from, 2);
  if (count < 0) return -1;
  let at = after;
  for (let index = 0; index < count; index++) {
    const end = textEnd(bytes, at);
    if (end < 0 || isPrototype(bytes.each, at, end)) return -1;
    at = walk(bytes, end, items);
    if (at < 0) return -1;
  }
  return blockEnd(bytes.each, at, count);
}

const PROTOTYPE = Buffer.from('__proto__');

/** Whether a text may be the key that decoding refuses: it ends as that does, however its length is spelled. */
function isPrototype(bytes: Uint8Array, from: number, end: number): boolean {
  const at = end - PROTOTYPE.length;
  return at > from && beginsAt(bytes, at, PROTOTYPE);
}

/** Where what the steps say ends; -1 for what is left to decoding. Of each step its place, if they are asked for. */
export function walk(bytes: Bytes, from: number, steps: readonly Step[], places?: Int32Array): number {
  const { each } = bytes;
  let at = from;
  for (let index = 0; index < steps.length; index++) {
    const { kind, symbols, parts } = steps[index]!;
    if (places !== undefined) places[index] = at;
    switch (kind) {
      case TEXT:
        at = textEnd(bytes, at);
        break;
      case INT:
        at = int(each, at) === NONE ? -1 : after;
        break;
      case LONG:
        at = longEnd(each, at);
        break;
      case FLOAT:
        at = floatEnd(bytes, at);
        break;
      case DOUBLE:
        at = doubleEnd(bytes, at);
        break;
      case BOOLEAN:
        at = each[at]! <= 1 ? at + 1 : -1;
        break;
      case NULL:
        break;
      case ENUM: {
        const symbol = int(each, at);
        at = symbol >= 0 && symbol < symbols.length ? after : -1;
        break;
      }
      case UNION: {
        const branch = int(each, at);
        at = branch >= 0 && branch < parts.length ? walk(bytes, after, parts[branch]!) : -1;
        break;
      }
      case LIST:
        at = listEnd(bytes, at, parts[0]!);
        break;
      case INTS:
        at = intsEnd(each, at);
        break;
      case FLOATS:
        at = floatsEnd(bytes, at);
        break;
      case BOOLEANS:
        at = booleansEnd(bytes, at);
        break;
      case MAP:
        at = mapEnd(bytes, at, parts[0]!);
        break;
      default:
        return -1;
    }
    if (at < 0) return -1;
  }
  return at;
}

/** Whether what lies in [from, to) stands at a place of other bytes as well. */
export function areSame(bytes: Bytes, from: number, to: number, others: Bytes, at: number): boolean {
  if (at + to - from > others.each.length) return false;
  const [{ view }, { view: otherView }] = [bytes, others];
  const further = at - from;
  let place = from;
  for (; place + 4 <= to; place += 4) if (view.getInt32(place) !== otherView.getInt32(place + further)) return false;
  for (; place < to; place++) if (bytes.each[place] !== others.each[place + further]) return false;
  return true;
}

export function beginsAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let index = 0; index < wanted.length; index++) if (bytes[at + index] !== wanted[index]) return false;
  return true;
}

/** Whether a text that begins at the place is this one. */
export function isText(bytes: Uint8Array, from: number, text: string): boolean {
  const length = int(bytes, from);
  if (text.length > length) return false;
  const at = after;
  for (let each = 0; each < length; each++) {
    const byte = bytes[at + each]!;
    if (byte >= 0x80) return utf8(bytes, at, at + length) === text;
    if (byte !== text.charCodeAt(each)) return false;
  }
  return true;
}

/** The text that begins at the place. */
export function textIn(bytes: Uint8Array, from: number): string {
  const length = int(bytes, from);
  return utf8(bytes, after, after + length);
}

function utf8(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString();
}

export function bytesOf(each: Uint8Array): Bytes {
  return { each, view: new DataView(each.buffer, each.byteOffset, each.length) };
}

/** What avsc 5.7.9 says of a type, as far as its TypeScript types leave it out. */
interface TypeDescription {
  readonly typeName: string;
  readonly fields: readonly { readonly name: string; readonly type: avro.Type }[];
  readonly itemsType: avro.Type;
  readonly valuesType: avro.Type;
  readonly types: readonly avro.Type[];
  readonly symbols: readonly string[] | undefined;
}

export const described = (type: avro.Type): TypeDescription => type as unknown as TypeDescription;

const KINDS: Readonly<Record<string, number>> = {
  ...{ string: TEXT, int: INT, long: LONG, float: FLOAT, double: DOUBLE, boolean: BOOLEAN, null: NULL },
  ...{ enum: ENUM, 'union:unwrapped': UNION, array: LIST, map: MAP },
};
const KINDS_OF_LISTS: Readonly<Record<string, number>> = { int: INTS, float: FLOATS, boolean: BOOLEANS };

/** The steps of a type, each with the path that leads to it: those of a record are its fields'. */
export function stepsOf(type: avro.Type, path: string): readonly (Step & { readonly path: string })[] {
  const { typeName, fields, itemsType, valuesType, types } = described(type);
  const symbols = described(type).symbols ?? [];
  const inner = (each: avro.Type): readonly Step[] => stepsOf(each, '');
  switch (typeName) {
    case 'record':
      return fields.flatMap((field) => stepsOf(field.type, path === '' ? field.name : `${path}.${field.name}`));
    case 'union:unwrapped':
      return [{ kind: UNION, symbols, parts: types.map(inner), path }];
    case 'array': {
      const kind = KINDS_OF_LISTS[itemsType.typeName] ?? LIST;
      return [{ kind, symbols, parts: [inner(itemsType)], path }];
    }
    case 'map':
      return [{ kind: MAP, symbols, parts: [inner(valuesType)], path }];
    default:
      return [{ kind: KINDS[typeName] ?? OTHER, symbols, parts: [], path }];
  }
}
