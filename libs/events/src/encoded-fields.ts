/**
 * Encoded events, looked at where they lie. Who holds a copy of what a record says need not decode the record to know it: equal bytes of
 * one schema are equal values, and comparing them makes nothing.
 *
 *   meta.messageId │ meta.correlationId │ … │ problem.problemId │ … │ tokenIds │ logProbs │ …      one walk finds where each leaf begins
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
const TEXT = 0;
const INT = 1;
const LONG = 2;
const FLOAT = 3;
const DOUBLE = 4;
const BOOLEAN = 5;
const NULL = 6;
const ENUM = 7;
const UNION = 8;
const LIST = 9;
const INTS = 10;
const FLOATS = 11;
const BOOLEANS = 12;
const MAP = 13;
/** Nothing of this type passes: such events are decoded. */
const OTHER = 14;

interface Step {
  readonly kind: number;
  /** Of an enum. */
  readonly symbols: readonly string[];
  /** Steps of a union's branches, or of the items of a list or map. */
  readonly parts: readonly (readonly Step[])[];
}

/** Beyond 32 bits: what {@link int} answers for a number that takes more. */
const NONE = 2 ** 32;

/** Where the number that was read last ends: beside its value, so that reading one makes nothing. */
let after = 0;

/** Bytes, and the same ones four at a time: until a loop is compiled, and then too, a quarter of the turns is a quarter of the time. */
interface Bytes {
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
function int(bytes: Uint8Array, at: number): number {
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
function walk(bytes: Bytes, from: number, steps: readonly Step[], places?: Int32Array): number {
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
function areSame(bytes: Bytes, from: number, to: number, others: Bytes, at: number): boolean {
  if (at + to - from > others.each.length) return false;
  const [{ view }, { view: otherView }] = [bytes, others];
  const further = at - from;
  let place = from;
  for (; place + 4 <= to; place += 4) if (view.getInt32(place) !== otherView.getInt32(place + further)) return false;
  for (; place < to; place++) if (bytes.each[place] !== others.each[place + further]) return false;
  return true;
}

function beginsAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let index = 0; index < wanted.length; index++) if (bytes[at + index] !== wanted[index]) return false;
  return true;
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

const described = (type: avro.Type): TypeDescription => type as unknown as TypeDescription;

const KINDS: Readonly<Record<string, number>> = {
  ...{ string: TEXT, int: INT, long: LONG, float: FLOAT, double: DOUBLE, boolean: BOOLEAN, null: NULL },
  ...{ enum: ENUM, 'union:unwrapped': UNION, array: LIST, map: MAP },
};
const KINDS_OF_LISTS: Readonly<Record<string, number>> = { int: INTS, float: FLOATS, boolean: BOOLEANS };

/** The steps of a type, each with the path that leads to it: those of a record are its fields'. */
function stepsOf(type: avro.Type, path: string): readonly (Step & { readonly path: string })[] {
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

/** Fields that lie behind one another in both of two events, by the leaves of the first, the last one exclusive. */
interface Run {
  readonly from: number;
  readonly to: number;
  /** The byte before them in the second one, where its type is a union that has the first one's among others; -1 where it is not. */
  readonly branch: number;
}

/** See {@link Run}; undefined where one's values are not the other's. */
function branchOf(type: avro.Type, other: avro.Type): number | undefined {
  if (type.equals(other)) return -1;
  const { typeName, types } = described(other);
  const index = typeName === 'union:unwrapped' ? types.findIndex((each) => type.equals(each)) : -1;
  return index < 0 ? undefined : 2 * index; // zigzag, in one byte: a union has fewer than 64 types
}

/** How an event's current schema lies in bytes. */
export class EventLayout {
  readonly steps: readonly Step[];
  private readonly paths: readonly string[];
  readonly fields: readonly { readonly name: string; readonly type: avro.Type }[];

  /** @param header the bytes that an event of this schema begins with */
  constructor(
    type: avro.Type,
    readonly header: Uint8Array,
  ) {
    const steps = stepsOf(type, '');
    this.steps = steps;
    this.paths = steps.map(({ path }) => path);
    this.fields = described(type).fields;
  }

  /** The number of a leaf by its path, of a record that of its first. @throws RangeError where there is none */
  leaf(path: string): number {
    const leaf = this.paths.findIndex((each) => each === path || each.startsWith(`${path}.`));
    if (leaf < 0) throw new RangeError(`no field ${path}; there are ${this.paths.join(', ')}`);
    return leaf;
  }

  /** The first leaf behind a field. */
  leafAfter(field: string): number {
    const next = this.fields[this.fields.findIndex(({ name }) => name === field) + 1];
    return next === undefined ? this.steps.length : this.leaf(next.name);
  }

  begins(bytes: Uint8Array): boolean {
    return beginsAt(bytes, 0, this.header);
  }
}

function bytesOf(each: Uint8Array): Bytes {
  return { each, view: new DataView(each.buffer, each.byteOffset, each.length) };
}

const NO_BYTES = bytesOf(new Uint8Array(0));

/** A place in encoded bytes. */
export interface EncodedPart {
  readonly bytes: Bytes;
  readonly at: number;
}

/**
 * A window onto encoded events of one type, one at a time: what it says is of the record that was opened last. It keeps nothing of an
 * event but where its leaves begin, so that a million events are looked at without anything being made for them.
 */
export class EventWindow {
  private bytes = NO_BYTES;
  private readonly places: Int32Array;

  constructor(readonly layout: EventLayout) {
    this.places = new Int32Array(layout.steps.length + 1);
  }

  /**
   * Whether it now shows this value. Not for a value that has to be decoded to know what it says: one of an older or learned schema,
   * one that other writers laid out in another way, and each that decoding refuses.
   */
  open(value: Uint8Array): boolean {
    const { layout, places } = this;
    const { header, steps } = layout;
    const bytes = bytesOf(value);
    const end = layout.begins(value) ? walk(bytes, header.length, steps, places) : -1;
    const isShown = end === value.length;
    this.bytes = isShown ? bytes : NO_BYTES;
    places[steps.length] = end;
    return isShown;
  }

  shows(value: Uint8Array): boolean {
    return this.bytes.each === value;
  }

  /** Where a leaf begins. */
  placeOf(leaf: number): number {
    return this.places[leaf]!;
  }

  /** Whether a leaf, which is a text or a union with null, says this. */
  says(leaf: number, text: string | null): boolean {
    const bytes = this.bytes.each;
    const from = this.textAt(leaf);
    if (from < 0) return text === null;
    const length = int(bytes, from);
    if (text === null || text.length > length) return false;
    const at = after;
    for (let each = 0; each < length; each++) {
      const byte = bytes[at + each]!;
      if (byte >= 0x80) return utf8(bytes, at, at + length) === text;
      if (byte !== text.charCodeAt(each)) return false;
    }
    return true;
  }

  /** What a leaf says, which is a text, a union of one with null, or an enum. */
  textOf(leaf: number): string | null {
    const bytes = this.bytes.each;
    const { kind, symbols } = this.layout.steps[leaf]!;
    if (kind === ENUM) return symbols[int(bytes, this.placeOf(leaf))]!;
    const from = this.textAt(leaf);
    if (from < 0) return null;
    const length = int(bytes, from);
    return utf8(bytes, after, after + length);
  }

  /** What begins at a leaf: for {@link isSame}, also when the window shows another event. */
  from(leaf: number): EncodedPart {
    return { bytes: this.bytes, at: this.placeOf(leaf) };
  }

  /** Whether what lies between two leaves, the second one exclusive, stands elsewhere as well. */
  isSame(from: number, to: number, { bytes, at }: EncodedPart): boolean {
    return areSame(this.bytes, this.placeOf(from), this.placeOf(to), bytes, at);
  }

  /** Where a text begins; -1 for null. */
  private textAt(leaf: number): number {
    const { kind, parts } = this.layout.steps[leaf]!;
    const at = this.placeOf(leaf);
    if (kind === TEXT) return at;
    const branch = int(this.bytes.each, at);
    return parts[branch]![0]!.kind === TEXT ? after : -1;
  }
}

function utf8(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString();
}

/** What an event, which is made from another, copies of it right behind its own meta data. */
export class CopiedFields {
  /** Of the fields that both have, in the copy's order, up to one that is not the same in both. */
  readonly names: ReadonlySet<string>;
  private readonly runs: readonly Run[];
  private readonly before: readonly Step[];

  constructor(
    of: EventLayout,
    private readonly copy: EventLayout,
  ) {
    const runs: Run[] = [];
    const names = new Set<string>();
    for (const { name, type } of copy.fields.slice(1)) {
      const own = of.fields.find((field) => field.name === name);
      const branch = own && branchOf(own.type, type);
      if (own === undefined || branch === undefined) break;
      const [from, to] = [of.leaf(name), of.leafAfter(name)];
      const last = runs.at(-1);
      if (last?.to === from && branch < 0) runs[runs.length - 1] = { ...last, to };
      else runs.push({ from, to, branch });
      names.add(name);
    }
    this.runs = runs;
    this.names = names;
    this.before = copy.steps.slice(0, copy.leafAfter(copy.fields[0]!.name));
  }

  /**
   * Whether a copy holds the bytes of the event that the window shows in all these fields. They are the same values then: the steps
   * that lead through them are the same in both.
   * @param value an encoded copy
   */
  areIn(window: EventWindow, value: Uint8Array): boolean {
    if (!this.copy.begins(value)) return false;
    const bytes = bytesOf(value);
    let at = walk(bytes, this.copy.header.length, this.before);
    if (at < 0) return false;
    for (const { from, to, branch } of this.runs) {
      if (branch >= 0 && value[at++] !== branch) return false;
      if (!window.isSame(from, to, { bytes, at })) return false;
      at += window.placeOf(to) - window.placeOf(from);
    }
    return true;
  }
}
