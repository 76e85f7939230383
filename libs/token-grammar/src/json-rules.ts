/**
 * A JSON Schema's shapes as rules over bytes: compact JSON as JSON.stringify writes it. Declared properties come in the order of
 * their declaration, names that are only required after them, others last. A rule is a graph of places; an edge writes fixed text,
 * spells a leaf, or writes a value by another rule and returns. Each place knows the fewest bytes to its rule's end.
 */
import type { Leaf } from './leaf.js';
import { NumberLeaf, NumberProblem } from './number-leaf.js';
import type { Language } from './pattern.js';
import { HIDDEN_CODE_POINTS } from './plain-text.js';
import { unsupported } from './schema-resources.js';
import type { SchemaShapes } from './schema-shape.js';
import type { Alternative, NumberShape, ObjectShape, SchemaNode, TextShape } from './schema-shape.types.js';
import { TextLeaf, TextProblem } from './text-leaf.js';

export interface Place {
  readonly id: number;
  readonly edges: Edge[];
  /** The rule may end here. */
  isEnd: boolean;
  /** Fewest bytes to the rule's end, spelled by single-byte tokens; Infinity where it cannot be reached. */
  length: number;
}

export type Edge = { readonly to: Place } & (
  | { readonly kind: 'text'; readonly bytes: Uint8Array }
  | { readonly kind: 'leaf'; readonly leaf: Leaf }
  | { readonly kind: 'rule'; readonly start: Place }
  | { readonly kind: 'empty' }
);

/** What strings hold besides what their schema says: everything that JSON can write, or text that a reader sees, on one line. */
export type StringContent = 'json' | 'plain';

/** Schemas that unfold to more come from bounds that no author means. */
const MAX_PLACES = 200_000;
/** Items and properties beyond this many are not told apart. */
const MAX_COUNTED = 1_024;
const NO_CHARACTERS: readonly (readonly [number, number])[] = [];
/** Where a pattern speaks for a plain text, it may hold line breaks and tabs. */
const HIDDEN_IN_LINES = HIDDEN_CODE_POINTS.flatMap(([first, last]) =>
  first === 0
    ? ([
        [0, 8],
        [0x0b, last],
      ] as const)
    : ([[first, last]] as const),
);

type FreeLeaf = Leaf & { readonly isEmpty: boolean };

/** Most schemas of a vocabulary share most of their leaves. */
const leaves = new WeakMap<readonly boolean[], Map<string, FreeLeaf>>();
const MAX_LEAVES = 1_000;
const languageIds = new WeakMap<Language, number>();
let nextId = 0;

export class JsonRules {
  readonly start: Place;
  private readonly places: Place[] = [];
  private readonly rules = new Map<string, Place>();
  private readonly pending: (() => void)[] = [];

  /**
   * @param spelled whether a byte is a separate token
   * @throws UNSUPPORTED_JSON_SCHEMA; where nothing can be written, the start's length is Infinity
   */
  constructor(
    private readonly shapes: SchemaShapes,
    private readonly content: StringContent,
    private readonly spelled: readonly boolean[],
  ) {
    this.start = this.rule(shapes.root, true);
    for (let build = this.pending.shift(); build !== undefined; build = this.pending.shift()) build();
    this.measure();
  }

  private place(): Place {
    if (this.places.length === MAX_PLACES)
      throw unsupported('', '#', `it unfolds to more than ${MAX_PLACES} places; lower its bounds`);
    const place = { id: this.places.length, edges: [], isEnd: false, length: Number.POSITIVE_INFINITY };
    this.places.push(place);
    return place;
  }

  /** A number that is the whole text ends with a line feed: nothing else would tell that no digit follows. */
  private rule(node: SchemaNode, isWhole: boolean): Place {
    const key = `${isWhole ? '!' : ''}${node.key}`;
    const known = this.rules.get(key);
    if (known !== undefined) return known;
    const start = this.place();
    this.rules.set(key, start);
    this.pending.push(() => {
      const alternatives = this.shapes.alternatives(node);
      const end = this.place();
      end.isEnd = true;
      let afterNumber = end;
      const isOneText = alternatives.length === 1 && alternatives[0]!.values?.length === 1;
      if (isWhole && !isOneText) {
        afterNumber = this.place();
        this.text(afterNumber, '\n', end);
      }
      for (const alternative of alternatives) this.alternative(alternative, start, end, afterNumber);
    });
    return start;
  }

  private alternative(alternative: Alternative, start: Place, end: Place, afterNumber: Place): void {
    const { values, types, number, string, array, object } = alternative;
    if (values !== undefined) {
      for (const value of values)
        this.text(start, JSON.stringify(value), typeof value === 'number' ? afterNumber : end);
      return;
    }
    if (types.has('null')) this.text(start, 'null', end);
    if (types.has('boolean')) for (const text of ['true', 'false']) this.text(start, text, end);
    if (types.has('number') && number !== undefined) this.leafEdge(start, this.numberLeaf(number), afterNumber);
    if (types.has('string') && string !== undefined) {
      const [inside, close] = [this.place(), this.place()];
      this.text(start, '"', inside);
      this.leafEdge(inside, this.textLeaf(string), close);
      this.text(close, '"', end);
    }
    if (types.has('array') && array !== undefined) {
      const { prefix, items, least } = array;
      const most = Math.min(
        array.most,
        array.most === Number.POSITIVE_INFINITY ? array.most : Math.max(MAX_COUNTED, least),
      );
      if (least > MAX_COUNTED * 8)
        throw unsupported('minItems', '#', `more than ${MAX_COUNTED * 8} items are not counted`);
      // Beyond the last count that matters all places are alike.
      const last = Number.isFinite(most) ? most : Math.max(least, prefix.length) + 1;
      const after: Place[] = Array.from({ length: last + 1 }, () => this.place());
      this.text(start, '[', after[0]!);
      for (const [count, place] of after.entries()) {
        if (count >= least) this.text(place, ']', end);
        const next = count < last ? after[count + 1]! : Number.isFinite(most) ? undefined : place;
        if (next === undefined) continue;
        let item = place;
        if (count > 0) this.text(place, ',', (item = this.place()));
        item.edges.push({ kind: 'rule', start: this.rule(prefix[count] ?? items, false), to: next });
      }
    }
    if (types.has('object') && object !== undefined) this.object(object, start, end);
  }

  private object({ properties, others, least, most, path }: ObjectShape, start: Place, end: Place): void {
    // Names beyond the declared ones might repeat, so all of them together count as one towards minProperties.
    if (Number.isFinite(least) && least > properties.length + (others.length > 0 ? 1 : 0) && others.length > 0)
      throw unsupported('minProperties', path, 'names that are not declared are not counted beyond the first');
    const isBounded = Number.isFinite(most);
    const cap = isBounded ? Math.min(most, MAX_COUNTED) : Math.max(1, Math.min(least, properties.length + 1));
    const known = new Map<string, Place>();
    const closing = this.place();
    this.text(closing, '}', end);
    /** Before property number `index`, with so many declared ones and so many others written. */
    const at = (index: number, declared: number, other: number): Place => {
      const key = `${index}/${declared}/${other}`;
      const existing = known.get(key);
      if (existing !== undefined) return existing;
      const place = this.place();
      known.set(key, place);
      this.pending.push(() => {
        const isFirst = declared + other === 0;
        const hasRoom = !isBounded || declared + other < cap;
        const property = properties[index];
        if (property !== undefined) {
          const { name, node, isRequired } = property;
          if (hasRoom) {
            const value = this.place();
            this.text(place, `${isFirst ? '' : ','}${JSON.stringify(name)}:`, value);
            const next = isBounded ? declared + 1 : Math.min(declared + 1, cap);
            value.edges.push({ kind: 'rule', start: this.rule(node, false), to: at(index + 1, next, other) });
          }
          if (!isRequired) place.edges.push({ kind: 'empty', to: at(index + 1, declared, other) });
          return;
        }
        if (declared + Math.min(other, 1) >= least) place.edges.push({ kind: 'empty', to: closing });
        if (!hasRoom) return;
        for (const { name, node } of others) {
          const [inside, close, value] = [this.place(), this.place(), this.place()];
          this.text(place, isFirst ? '"' : ',"', inside);
          this.leafEdge(inside, this.textLeaf(name), close);
          this.text(close, '":', value);
          const next = isBounded ? other + 1 : 1;
          value.edges.push({ kind: 'rule', start: this.rule(node, false), to: at(index, declared, next) });
        }
      });
      return place;
    };
    this.text(start, '{', at(0, 0, 0));
  }

  private text(from: Place, text: string, to: Place): void {
    from.edges.push({ kind: 'text', bytes: new TextEncoder().encode(text), to });
  }

  private leafEdge(from: Place, leaf: FreeLeaf | undefined, to: Place): void {
    if (leaf !== undefined && !leaf.isEmpty) from.edges.push({ kind: 'leaf', leaf, to });
  }

  private numberLeaf(shape: NumberShape): FreeLeaf | undefined {
    return this.leaf(`number ${Object.values(shape).join()}`, (id) => {
      try {
        return new NumberLeaf(id, shape, this.spelled);
      } catch (error) {
        if (error instanceof NumberProblem) throw unsupported('multipleOf', '#', error.message);
        throw error;
      }
    });
  }

  private textLeaf({ languages, least, most, isPatterned, path }: TextShape): FreeLeaf | undefined {
    if (least > most) return undefined;
    const excluded = this.content === 'json' ? NO_CHARACTERS : isPatterned ? HIDDEN_IN_LINES : HIDDEN_CODE_POINTS;
    const ids = languages.map((language) => {
      let id = languageIds.get(language);
      if (id === undefined) languageIds.set(language, (id = nextId++));
      return id;
    });
    const kind = this.content === 'json' ? 'json' : isPatterned ? 'lines' : 'plain';
    return this.leaf(`text ${ids.join()} ${least} ${most} ${kind}`, (id) => {
      try {
        return new TextLeaf(id, languages, least, most, excluded, this.spelled);
      } catch (error) {
        if (error instanceof TextProblem) throw unsupported('pattern', path, error.message);
        throw error;
      }
    });
  }

  private leaf(key: string, make: (id: number) => FreeLeaf): FreeLeaf {
    let known = leaves.get(this.spelled);
    if (known === undefined) leaves.set(this.spelled, (known = new Map<string, FreeLeaf>()));
    let leaf = known.get(key);
    if (leaf === undefined) {
      if (known.size === MAX_LEAVES) known.delete(known.keys().next().value!);
      known.set(key, (leaf = make(nextId++)));
    }
    return leaf;
  }

  /** Fewest bytes from every place, improved until nothing changes; edges that lead nowhere are taken away. */
  private measure(): void {
    const users = new Map<Place, Set<Place>>();
    const uses = (place: Place, user: Place): void => {
      const set = users.get(place);
      if (set === undefined) users.set(place, new Set([user]));
      else set.add(user);
    };
    for (const place of this.places) {
      for (const edge of place.edges) {
        uses(edge.to, place);
        if (edge.kind === 'rule') uses(edge.start, place);
      }
    }
    const open = new Set<Place>(this.places.filter(({ isEnd }) => isEnd));
    for (const place of open) {
      open.delete(place);
      const length = place.isEnd
        ? 0
        : Math.min(Number.POSITIVE_INFINITY, ...place.edges.map((edge) => this.lengthOf(edge)));
      if (length >= place.length) continue;
      place.length = length;
      for (const user of users.get(place) ?? []) open.add(user);
    }
    for (const place of this.places) {
      const useful = place.edges.filter((edge) => Number.isFinite(this.lengthOf(edge)));
      place.edges.length = 0;
      place.edges.push(...useful);
    }
  }

  private lengthOf(edge: Edge): number {
    switch (edge.kind) {
      case 'empty':
        return edge.to.length;
      case 'rule':
        return edge.start.length + edge.to.length;
      case 'text':
        return edge.bytes.every((byte) => this.spelled[byte])
          ? edge.bytes.length + edge.to.length
          : Number.POSITIVE_INFINITY;
      case 'leaf':
        return (edge.leaf.rest(edge.leaf.start, 0)?.bytes ?? Number.POSITIVE_INFINITY) + edge.to.length;
    }
  }
}
