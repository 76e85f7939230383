/**
 * Fields of an encoded event, compared with values where they stand. Who holds a copy of what a record says need not decode the
 * record to know it: equal values have equal bytes, and comparing them makes nothing.
 *
 *   meta │ problem │ experienceId │ … │ tokenIds │ logProbs │ …      one walk over the bytes finds where each field begins
 *          ▲ spells what the other one has? its value : decoded
 *
 * The walk accepts what the codec itself writes, and of that nothing that decoding would refuse: valid texts, finite numbers, lists
 * and maps in one block. Every other record, however valid, is left to decoding.
 */
import { isUtf8 } from 'node:buffer';
import type avro from 'avsc';

/** A place in bytes. `at` is of no meaning once a form has answered false. */
interface Cursor {
  readonly bytes: Buffer;
  at: number;
}

/** What one Avro type looks like in bytes. Both answer whether, and move behind the value if so. */
interface Form {
  /** A value as the codec writes it stands here. */
  pass(cursor: Cursor): boolean;
  /** This value stands here; asked only where `pass` has answered true. */
  spells(cursor: Cursor, value: unknown): boolean;
}

interface Field {
  readonly name: string;
  readonly type: avro.Type;
  readonly form: Form;
}

/** Beyond 32 bits: what {@link int} answers for a number that takes more. */
const NONE = 2 ** 32;

/** The int (zigzag varint of at most 32 bits) at the cursor. */
function int(cursor: Cursor): number {
  const { bytes } = cursor;
  let bits = 0;
  for (let shift = 0; shift < 28; shift += 7) {
    const byte = bytes[cursor.at++];
    if (byte === undefined) return NONE;
    bits |= (byte & 0x7f) << shift;
    if (byte < 0x80) return (bits >>> 1) ^ -(bits & 1);
  }
  const last = bytes[cursor.at++];
  if (last === undefined || last > 0x0f) return NONE;
  bits |= last << 28;
  return (bits >>> 1) ^ -(bits & 1);
}

/** A length or count; -1 for none that fits into what is left. Each item takes at least `bytesEach`. */
function size(cursor: Cursor, bytesEach: number): number {
  const count = int(cursor);
  return count >= 0 && count * bytesEach <= cursor.bytes.length - cursor.at ? count : -1;
}

const TEXT: Form = {
  pass(cursor) {
    const length = size(cursor, 1);
    if (length < 0) return false;
    const { bytes, at } = cursor;
    const end = at + length;
    cursor.at = end;
    for (let each = at; each < end; each++) if (bytes[each]! >= 0x80) return isUtf8(bytes.subarray(each, end));
    return true;
  },
  spells(cursor, value) {
    if (typeof value !== 'string') return false;
    const length = int(cursor);
    const { bytes, at } = cursor;
    const end = at + length;
    cursor.at = end;
    if (value.length === length) {
      let each = 0;
      while (each < length && bytes[at + each] === value.charCodeAt(each) && bytes[at + each]! < 0x80) each++;
      if (each === length) return true;
    }
    // A text with other characters than ASCII's has more bytes than characters.
    return value.length < length && bytes.toString('utf8', at, end) === value;
  },
};

const INT: Form = {
  pass: (cursor) => int(cursor) !== NONE,
  spells: (cursor, value) => int(cursor) === value,
};

const BOOLEAN: Form = {
  pass: (cursor) => cursor.bytes[cursor.at++]! <= 1,
  spells: (cursor, value) => (cursor.bytes[cursor.at++] === 1) === value && typeof value === 'boolean',
};

const NULL: Form = { pass: () => true, spells: (_cursor, value) => value === null };

/** Of types whose values are passed only, or compared by decoding them. */
function byDecoding(type: avro.Type, pass: Form['pass']): Form {
  return {
    pass,
    spells(cursor, value) {
      const decoded = type.decode(cursor.bytes, cursor.at);
      cursor.at = decoded.offset;
      return Object.is(decoded.value, value);
    },
  };
}

/** Of up to 49 bits, which a number holds exactly. */
function passLong(cursor: Cursor): boolean {
  for (let count = 0; count < 7; count++) {
    const byte = cursor.bytes[cursor.at++];
    if (byte === undefined) return false;
    if (byte < 0x80) return true;
  }
  return false;
}

/** IEEE 754: not finite where all bits of the exponent are set, which lie in the last two bytes under the sign. */
function passFloat(cursor: Cursor): boolean {
  const { bytes, at } = cursor;
  cursor.at = at + 4;
  return cursor.at <= bytes.length && !((bytes[at + 3]! & 0x7f) === 0x7f && bytes[at + 2]! >= 0x80);
}

function passDouble(cursor: Cursor): boolean {
  const { bytes, at } = cursor;
  cursor.at = at + 8;
  return cursor.at <= bytes.length && !((bytes[at + 7]! & 0x7f) === 0x7f && bytes[at + 6]! >= 0xf0);
}

function enumForm(symbols: readonly string[]): Form {
  return {
    pass(cursor) {
      const index = int(cursor);
      return index >= 0 && index < symbols.length;
    },
    spells: (cursor, value) => symbols[int(cursor)] === value,
  };
}

function unionForm(forms: readonly Form[]): Form {
  return {
    pass: (cursor) => forms[int(cursor)]?.pass(cursor) ?? false,
    spells: (cursor, value) => forms[int(cursor)]!.spells(cursor, value),
  };
}

function arrayForm(item: Form, bytesEach: number): Form {
  return {
    pass(cursor) {
      const count = size(cursor, bytesEach);
      for (let index = 0; index < count; index++) if (!item.pass(cursor)) return false;
      return isEnd(cursor, count);
    },
    spells(cursor, value) {
      const count = int(cursor);
      if (!Array.isArray(value) || value.length !== count) return false;
      for (let index = 0; index < count; index++) if (!item.spells(cursor, value[index])) return false;
      if (count > 0) cursor.at++;
      return true;
    },
  };
}

/** Whether a text may be the key that decoding refuses: it ends as that does, however its length is spelled. */
function isPrototype({ bytes, at }: Cursor, from: number): boolean {
  return at - from >= 10 && bytes[at - 1] === 0x5f && bytes.toString('latin1', at - 9, at) === '__proto__';
}

// Most items of a record are in its lists of token ids, flags and log-probabilities: one loop for each, without calls.

const INTS: Form = {
  pass(cursor) {
    const count = size(cursor, 1);
    const { bytes } = cursor;
    for (let index = 0; index < count; index++) {
      if (bytes[cursor.at]! < 0x80) cursor.at++;
      else if (bytes[cursor.at + 1]! < 0x80) cursor.at += 2;
      else if (int(cursor) === NONE) return false;
    }
    return isEnd(cursor, count);
  },
  spells(cursor, value) {
    const count = int(cursor);
    if (!Array.isArray(value) || value.length !== count) return false;
    const { bytes } = cursor;
    const list = value as readonly unknown[];
    for (let index = 0; index < count; index++) {
      const first = bytes[cursor.at]!;
      const second = bytes[cursor.at + 1]!;
      let each: number;
      if (first < 0x80) {
        cursor.at++;
        each = (first >> 1) ^ -(first & 1);
      } else if (second < 0x80) {
        cursor.at += 2;
        const bits = (first & 0x7f) | (second << 7);
        each = (bits >> 1) ^ -(bits & 1);
      } else each = int(cursor);
      if (each !== list[index]) return false;
    }
    if (count > 0) cursor.at++;
    return true;
  },
};

/** Most bytes of an experience are in its two lists of these. */
const FLOATS: Form = {
  pass(cursor) {
    const count = size(cursor, 4);
    const { bytes } = cursor;
    let { at } = cursor;
    for (let index = 0; index < count; index++, at += 4)
      if ((bytes[at + 3]! & 0x7f) === 0x7f && bytes[at + 2]! >= 0x80) return false;
    cursor.at = at;
    return isEnd(cursor, count);
  },
  // Nobody holds a copy of them.
  spells: () => false,
};

const BOOLEANS: Form = {
  pass(cursor) {
    const count = size(cursor, 1);
    const { bytes, at } = cursor;
    for (let index = 0; index < count; index++) if (bytes[at + index]! > 1) return false;
    cursor.at += Math.max(0, count);
    return isEnd(cursor, count);
  },
  spells(cursor, value) {
    const count = int(cursor);
    if (!Array.isArray(value) || value.length !== count) return false;
    const { bytes, at } = cursor;
    const list = value as readonly unknown[];
    for (let index = 0; index < count; index++) if ((bytes[at + index] === 1) !== list[index]) return false;
    cursor.at += count > 0 ? count + 1 : 0;
    return true;
  },
};

/** After the only block of a list or map: none follows. */
function isEnd(cursor: Cursor, count: number): boolean {
  return count === 0 || (count > 0 && cursor.bytes[cursor.at++] === 0);
}

function isEmpty(value: object): boolean {
  for (const _ in value) return false;
  return true;
}

function mapForm(item: Form): Form {
  return {
    pass(cursor) {
      const count = size(cursor, 2);
      for (let index = 0; index < count; index++) {
        const { at } = cursor;
        if (!TEXT.pass(cursor) || isPrototype(cursor, at) || !item.pass(cursor)) return false;
      }
      return isEnd(cursor, count);
    },
    // In the same order: a key that stands there twice cannot pass for two.
    spells(cursor, value) {
      const count = int(cursor);
      if (typeof value !== 'object' || value === null) return false;
      if (count === 0) return isEmpty(value);
      const entries = Object.entries(value);
      if (entries.length !== count) return false;
      for (const [key, each] of entries) if (!TEXT.spells(cursor, key) || !item.spells(cursor, each)) return false;
      if (count > 0) cursor.at++;
      return true;
    },
  };
}

function recordForm(fields: readonly Field[]): Form {
  return {
    pass(cursor) {
      for (const { form } of fields) if (!form.pass(cursor)) return false;
      return true;
    },
    spells(cursor, value) {
      if (typeof value !== 'object' || value === null) return false;
      for (const { name, form } of fields)
        if (!form.spells(cursor, (value as Readonly<Record<string, unknown>>)[name])) return false;
      // A value with more fields than these would be another one.
      return Object.keys(value).length === fields.length;
    },
  };
}

/** What avsc 5.7.9 says of a type, as far as its TypeScript types leave it out. */
interface TypeDescription {
  readonly typeName: string;
  readonly fields: readonly { readonly name: string; readonly type: avro.Type }[];
  readonly itemsType: avro.Type;
  readonly valuesType: avro.Type;
  readonly types: readonly avro.Type[];
  readonly symbols: readonly string[];
  readonly underlyingType: avro.Type;
}

function fieldsOf(type: avro.Type): Field[] {
  return (type as unknown as TypeDescription).fields.map((field) => ({
    name: field.name,
    type: field.type,
    form: formOf(field.type),
  }));
}

function formOf(type: avro.Type): Form {
  const description = type as unknown as TypeDescription;
  const { typeName } = description;
  switch (typeName) {
    case 'string':
      return TEXT;
    case 'int':
      return INT;
    case 'boolean':
      return BOOLEAN;
    case 'null':
      return NULL;
    case 'long':
      return byDecoding(type, passLong);
    case 'float':
      return byDecoding(type, passFloat);
    case 'double':
      return byDecoding(type, passDouble);
    case 'enum':
      return enumForm(description.symbols);
    case 'union:unwrapped':
      return unionForm(description.types.map(formOf));
    case 'array':
      if (description.itemsType.typeName === 'int') return INTS;
      if (description.itemsType.typeName === 'boolean') return BOOLEANS;
      if (description.itemsType.typeName === 'float') return FLOATS;
      return arrayForm(formOf(description.itemsType), LEAST_BYTES[description.itemsType.typeName] ?? 1);
    case 'map':
      return mapForm(formOf(description.valuesType));
    case 'record':
      return recordForm(fieldsOf(type));
    default:
      // Nothing of this type passes: such events are decoded.
      return byDecoding(type, () => false);
  }
}

/** Fields that lie behind one another in both of two events, by their numbers in the first, the last one exclusive. */
interface Run {
  readonly from: number;
  readonly to: number;
  /** The byte before them in the second one, where its type is a union that has the first one's among others. */
  readonly branch: number | undefined;
}

interface Shared {
  readonly runs: readonly Run[];
  readonly names: ReadonlySet<string>;
}

/** See {@link Run}; null where one's values are not the other's. */
function branchOf(type: avro.Type, other: avro.Type): number | undefined | null {
  if (type.equals(other)) return undefined;
  const { typeName, types } = other as unknown as TypeDescription;
  const index = typeName === 'union:unwrapped' ? types.findIndex((each) => type.equals(each)) : -1;
  return index < 0 ? null : 2 * index; // zigzag, in one byte: a union has fewer than 64 types
}

export const NO_NAMES: ReadonlySet<string> = new Set();

const LEAST_BYTES: Readonly<Record<string, number>> = { double: 8 };

/** The fields of one event's current schema. */
export class EventFields {
  private readonly fields: readonly Field[];
  private readonly indexOf: ReadonlyMap<string, number>;
  private readonly shared = new Map<EventFields, Shared>();

  constructor(type: avro.Type) {
    this.fields = fieldsOf(type);
    this.indexOf = new Map(this.fields.map(({ name }, index) => [name, index]));
  }

  /** Where each field begins; undefined for bytes that are left to decoding. */
  placesIn(bytes: Buffer, from: number): readonly number[] | undefined {
    const cursor = { bytes, at: from };
    const places: number[] = [];
    for (const { form } of this.fields) {
      places.push(cursor.at);
      if (!form.pass(cursor)) return undefined;
    }
    return cursor.at === bytes.length ? places : undefined;
  }

  /**
   * The names of the fields that follow another event's first one and are these fields' too, of one name and type, in its order, up
   * to one that is not; all of them if the other event's bytes hold what these hold there, else none.
   * @param from where the other event's first field begins
   */
  copied(
    bytes: Buffer,
    places: readonly number[],
    other: { readonly fields: EventFields; readonly bytes: Buffer; readonly from: number },
  ): ReadonlySet<string> {
    const { runs, names } = this.sharedWith(other.fields);
    const cursor = { bytes: other.bytes, at: other.from };
    if (!other.fields.fields[0]!.form.pass(cursor)) return NO_NAMES;
    let { at } = cursor;
    for (const { from, to, branch } of runs) {
      if (branch !== undefined && other.bytes[at++] !== branch) return NO_NAMES;
      const [start, end] = [places[from]!, places[to] ?? bytes.length];
      const next = at + end - start;
      if (next > other.bytes.length || bytes.compare(other.bytes, at, next, start, end) !== 0) return NO_NAMES;
      at = next;
    }
    return names;
  }

  private sharedWith(other: EventFields): Shared {
    let shared = this.shared.get(other);
    if (shared === undefined) this.shared.set(other, (shared = this.findShared(other)));
    return shared;
  }

  private findShared(other: EventFields): Shared {
    const runs: Run[] = [];
    const names = new Set<string>();
    for (const { name, type } of other.fields.slice(1)) {
      const index = this.indexOf.get(name);
      const branch = index === undefined ? null : branchOf(this.fields[index]!.type, type);
      if (index === undefined || branch === null) break;
      const last = runs.at(-1);
      if (last?.to === index && branch === undefined) runs[runs.length - 1] = { ...last, to: index + 1 };
      else runs.push({ from: index, to: index + 1, branch });
      names.add(name);
    }
    return { runs, names };
  }

  /** A field's value: the given one if it is what the bytes spell, else decoded. */
  read(bytes: Buffer, places: readonly number[], name: string, given: unknown): unknown {
    const index = this.indexOf.get(name)!;
    const { form, type } = this.fields[index]!;
    const at = places[index]!;
    return given !== undefined && form.spells({ bytes, at }, given) ? given : type.decode(bytes, at).value;
  }
}

/** An encoded event that decoding would accept, and where its fields begin. */
export class OpenedEvent {
  constructor(
    readonly type: string,
    private readonly fields: EventFields,
    private readonly bytes: Buffer,
    private readonly places: readonly number[],
  ) {}

  /** As {@link EventFields.copied}. */
  copiedIn(other: {
    readonly fields: EventFields;
    readonly bytes: Buffer;
    readonly from: number;
  }): ReadonlySet<string> {
    return this.fields.copied(this.bytes, this.places, other);
  }

  /**
   * The value of a field of the event's own, as decoding gives it.
   * @param given returned itself where the bytes spell it, so that nothing is made
   */
  read(field: string, given?: unknown): unknown {
    return this.fields.read(this.bytes, this.places, field, given);
  }
}
