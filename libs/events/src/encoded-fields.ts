/**
 * Encoded events, looked at where they lie. Who holds a copy of what a record says need not decode the record to know it: equal bytes of
 * one schema are equal values, and comparing them makes nothing.
 *
 *   meta.messageId │ meta.correlationId │ … │ problem.problemId │ … │ tokenIds │ logProbs │ …      one walk finds where each leaf begins
 */
import type avro from 'avsc';
import {
  areSame,
  type Bytes,
  beginsAt,
  bytesOf,
  described,
  ENUM,
  endOfInt,
  int,
  isText,
  type Step,
  stepsOf,
  TEXT,
  textIn,
  walk,
} from './encoded-walk.js';

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
    const from = this.textAt(leaf);
    return from < 0 || text === null ? from < 0 && text === null : isText(this.bytes.each, from, text);
  }

  /** Whether a leaf, which is a union, has this branch, and the text that the branch is or begins with. */
  saysIn(leaf: number, branch: number, text: string): boolean {
    const bytes = this.bytes.each;
    return int(bytes, this.placeOf(leaf)) === branch && isText(bytes, endOfInt(), text);
  }

  /** What a leaf says, which is a text, a union of one with null, or an enum. */
  textOf(leaf: number): string | null {
    const bytes = this.bytes.each;
    const { kind, symbols } = this.layout.steps[leaf]!;
    if (kind === ENUM) return symbols[int(bytes, this.placeOf(leaf))]!;
    const from = this.textAt(leaf);
    if (from < 0) return null;
    return textIn(bytes, from);
  }

  /** What begins at a leaf: for {@link isSame}, also when the window shows another event. */
  from(leaf: number): EncodedPart {
    return { bytes: this.bytes, at: this.placeOf(leaf) };
  }

  /** Whether what lies between two leaves, the second one exclusive, stands elsewhere as well. */
  isSame(from: number, to: number, { bytes, at }: EncodedPart): boolean {
    return areSame(this.bytes, this.placeOf(from), this.placeOf(to), bytes, at);
  }

  /** As {@link isSame}, of a first leaf that is a union of fewer than 64 types: it has this branch, whose value stands elsewhere without it. */
  isSameIn(branch: number, from: number, to: number, { bytes, at }: EncodedPart): boolean {
    const place = this.placeOf(from);
    // Zigzag, in one byte.
    return this.bytes.each[place] === 2 * branch && areSame(this.bytes, place + 1, this.placeOf(to), bytes, at);
  }

  /** Where a text begins; -1 for null. */
  private textAt(leaf: number): number {
    const { kind, parts } = this.layout.steps[leaf]!;
    const at = this.placeOf(leaf);
    if (kind === TEXT) return at;
    const branch = int(this.bytes.each, at);
    const [first, second] = parts[branch]!;
    return first!.kind === TEXT && second === undefined ? endOfInt() : -1;
  }
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
