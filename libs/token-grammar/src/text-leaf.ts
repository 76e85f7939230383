/**
 * The inside of a JSON string, byte by byte: well-formed UTF-8, escaped as JSON.stringify does it, held to a number of languages at
 * once (patterns, formats, names that are taken) and to bounds on its length in code points. States between two characters are those
 * of the languages' product; inside a character they remember which code points it can still become.
 */
import type { Leaf, Rest } from './leaf.js';
import type { Language } from './pattern.js';
import type { CodePointRange } from './plain-text.js';

const DEAD = -1;
/** Products that grow larger than this come from patterns that no author means. */
const MAX_STATES = 4_000;
/** A pattern of so many states with a least length of so many characters: entries of a table. */
const MAX_TABLE = 2_000_000;

/** Why a string's languages cannot be followed. */
export class TextProblem extends Error {}

interface Way {
  readonly to: number;
  /** Code units of the character as JSON writes it. */
  readonly bytes: Uint8Array;
}

type Inside =
  | {
      readonly kind: 'partial';
      readonly from: number;
      readonly first: number;
      readonly remaining: number;
      readonly shortest: number;
    }
  | { readonly kind: 'uniform'; readonly to: number; readonly remaining: number }
  | { readonly kind: 'escape'; readonly from: number; readonly written: string };

interface Ending {
  readonly to: number;
  readonly bytes: number;
  readonly next: number;
}

export class TextLeaf implements Leaf {
  readonly start: number;
  readonly farthest: number;
  /** No text is of all languages, of a legal length, and spelled by single-byte tokens. */
  readonly isEmpty: boolean;
  private readonly bounds: readonly number[];
  private readonly classes: readonly boolean[];
  private readonly tuples: (readonly number[])[] = [];
  private readonly tupleIndex = new Map<string, number>();
  private readonly successors: Int32Array[] = [];
  private readonly accepting: boolean[] = [];
  private readonly ways: (readonly Way[])[] = [];
  private readonly inside: Inside[] = [];
  private readonly insideIndex = new Map<string, number>();
  private readonly rows: (Int32Array | undefined)[] = [];
  private readonly endings = new Map<number, readonly Ending[]>();
  /** [characters still needed][product state]: fewest characters, and bytes, to an end with at least that many. */
  private readonly characters: Float64Array[] = [];
  private readonly lengths: Float64Array[] = [];
  private readonly choices: Int32Array[] = [];

  /**
   * @param excluded code points that no text holds, ascending and disjoint
   * @param spelled whether a byte is a separate token
   * @throws TextProblem where the languages' product is too large
   */
  constructor(
    readonly id: number,
    private readonly languages: readonly Language[],
    readonly least: number,
    readonly most: number,
    excluded: readonly CodePointRange[],
    private readonly spelled: readonly boolean[],
  ) {
    // The borders of UTF-8's and JSON's own ranges, so that one code point of a class stands for all.
    const bounds = new Set([
      0, 8, 11, 12, 14, 0x20, 0x22, 0x23, 0x5c, 0x5d, 0x7f, 0x80, 0x800, 0xd800, 0xe000, 0x10000,
    ]);
    for (const language of languages) for (const bound of language.bounds) bounds.add(bound);
    for (const [first, last] of excluded) bounds.add(first).add(last + 1);
    this.bounds = [...bounds].filter((bound) => bound <= 0x10ffff).sort((a, b) => a - b);
    this.classes = this.bounds.map(
      (codePoint) =>
        !(codePoint >= 0xd800 && codePoint < 0xe000) &&
        !excluded.some(([first, last]) => codePoint >= first && codePoint <= last),
    );
    this.start = this.intern(languages.map(({ start }) => start));
    const written = this.bounds.map((_, index) => (this.classes[index]! ? this.cheapest(index) : undefined));
    for (let state = 0; state < this.tuples.length; state++) {
      if (this.tuples.length > MAX_STATES) throw new TextProblem(`it has more than ${MAX_STATES} states`);
      const row = this.bounds.map((codePoint, index) => (this.classes[index]! ? this.after(state, codePoint) : DEAD));
      this.successors.push(Int32Array.from(row));
      this.accepting.push(languages.every((language, at) => language.accepts(this.tuples[state]![at]!)));
    }
    for (const row of this.successors) {
      const best = new Map<number, Way>();
      row.forEach((to, index) => {
        const bytes = written[index];
        if (to === DEAD || bytes === undefined) return;
        const known = best.get(to);
        if (known === undefined || known.bytes.length > bytes.length) best.set(to, { to, bytes });
      });
      this.ways.push([...best.values()]);
    }
    this.measure();
    this.removeDeadEnds();
    this.farthest = this.characters.reduce(
      (most, row) => row.reduce((longest, each) => (Number.isFinite(each) ? Math.max(longest, each) : longest), most),
      0,
    );
    for (let state = 0; state < this.tuples.length; state++)
      this.inside.push({ kind: 'uniform', to: state, remaining: 0 });
    this.isEmpty = this.rest(this.start, 0) === null;
  }

  private after(state: number, codePoint: number): number {
    const next: number[] = [];
    for (const [at, language] of this.languages.entries()) {
      const reached = language.next(this.tuples[state]![at]!, codePoint);
      if (reached < 0) return DEAD;
      next.push(reached);
    }
    return this.intern(next);
  }

  private intern(tuple: readonly number[]): number {
    const key = tuple.join();
    let index = this.tupleIndex.get(key);
    if (index === undefined) {
      index = this.tuples.push(tuple) - 1;
      this.tupleIndex.set(key, index);
    }
    return index;
  }

  /** The shortest character of a class that single-byte tokens spell; letters and spaces first. */
  private cheapest(index: number): Uint8Array | undefined {
    const first = this.bounds[index]!;
    const last = (this.bounds[index + 1] ?? 0x110000) - 1;
    let best: Uint8Array | undefined;
    // Longer classes begin with their shortest characters, of which some byte may be missing.
    for (let codePoint = first; codePoint <= Math.min(last, first + 255) && best === undefined; codePoint++) {
      const bytes = written(codePoint);
      if (bytes.every((byte) => this.spelled[byte])) best = bytes;
    }
    return best;
  }

  /** Fewest characters to an end from each product state, by breadth-first search from the ends. */
  private measure(): void {
    const count = this.tuples.length;
    const characters = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
    const lengths = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
    const choices = new Int32Array(count).fill(-1);
    const before: { readonly from: number; readonly way: number }[][] = Array.from({ length: count }, () => []);
    this.ways.forEach((ways, from) => {
      ways.forEach(({ to }, way) => before[to]!.push({ from, way }));
    });
    let front: number[] = [];
    for (let state = 0; state < count; state++) {
      if (!this.accepting[state]!) continue;
      characters[state] = lengths[state] = 0;
      front.push(state);
    }
    for (let distance = 1; front.length > 0; distance++) {
      const reached = new Set<number>();
      for (const to of front) {
        for (const { from, way } of before[to]!) {
          const length = lengths[to]! + this.ways[from]![way]!.bytes.length;
          if (characters[from]! < distance || (characters[from] === distance && lengths[from]! <= length)) continue;
          characters[from] = distance;
          lengths[from] = length;
          choices[from] = way;
          reached.add(from);
        }
      }
      front = [...reached];
    }
    this.characters.push(characters);
    this.lengths.push(lengths);
    this.choices.push(choices);
    if (this.least * count > MAX_TABLE) throw new TextProblem(`it has ${count} states over ${this.least} characters`);
    for (let need = 1; need <= this.least; need++) {
      const [nearer, shorter] = [this.characters[need - 1]!, this.lengths[need - 1]!];
      const more = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
      const bytes = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
      const choice = new Int32Array(count).fill(-1);
      for (let state = 0; state < count; state++) {
        this.ways[state]!.forEach((way, index) => {
          const [distance, length] = [1 + nearer[way.to]!, way.bytes.length + shorter[way.to]!];
          if (distance > more[state]! || (distance === more[state] && length >= bytes[state]!)) return;
          more[state] = distance;
          bytes[state] = length;
          choice[state] = index;
        });
      }
      this.characters.push(more);
      this.lengths.push(bytes);
      this.choices.push(choice);
    }
  }

  private removeDeadEnds(): void {
    const [distances] = this.characters;
    for (const row of this.successors) {
      for (let index = 0; index < row.length; index++) {
        if (row[index] !== DEAD && distances![row[index]!] === Number.POSITIVE_INFINITY) row[index] = DEAD;
      }
    }
  }

  completes(state: number): boolean {
    return state < this.tuples.length;
  }

  mayEnd(state: number, count: number): boolean {
    return state < this.tuples.length && this.accepting[state]! && count >= this.least && count <= this.most;
  }

  step(state: number, byte: number): number {
    return (this.rows[state] ??= this.rowOf(state))[byte]!;
  }

  rest(state: number, count: number): Rest | null {
    if (this.completes(state)) {
      const need = Math.max(0, this.least - count);
      const characters = this.characters[need]![state]!;
      if (characters === Number.POSITIVE_INFINITY || count + characters > this.most) return null;
      const choice = this.choices[need]![state]!;
      const next = choice < 0 ? -1 : this.ways[state]![choice]!.bytes[0]!;
      return { bytes: this.lengths[need]![state]!, next };
    }
    const need = Math.max(0, this.least - count - 1);
    let best: Rest | null = null;
    for (const { to, bytes, next } of this.endingsOf(state)) {
      const characters = this.characters[need]![to]!;
      if (characters === Number.POSITIVE_INFINITY || count + 1 + characters > this.most) continue;
      const length = bytes + this.lengths[need]![to]!;
      if (best === null || length < best.bytes) best = { bytes: length, next };
    }
    return best;
  }

  /** Where a begun character can end by single-byte tokens: the shortest way to each product state. */
  private endingsOf(state: number): readonly Ending[] {
    let found = this.endings.get(state);
    if (found === undefined) {
      const best = new Map<number, Ending>();
      const row = (this.rows[state] ??= this.rowOf(state));
      const seen = new Set<number>();
      for (let byte = 0; byte < 256; byte++) {
        const to = row[byte]!;
        if (to === DEAD || !this.spelled[byte] || seen.has(to)) continue;
        seen.add(to);
        const further = this.completes(to) ? [{ to, bytes: 0 }] : this.endingsOf(to);
        for (const ending of further) {
          const bytes = ending.bytes + 1;
          if ((best.get(ending.to)?.bytes ?? Number.POSITIVE_INFINITY) > bytes)
            best.set(ending.to, { to: ending.to, bytes, next: byte });
        }
      }
      this.endings.set(state, (found = [...best.values()]));
    }
    return found;
  }

  private rowOf(state: number): Int32Array {
    const row = new Int32Array(256).fill(DEAD);
    const within = this.inside[state]!;
    if (this.completes(state)) {
      for (let byte = 0x20; byte < 0x80; byte++) {
        if (byte !== 0x22 && byte !== 0x5c) row[byte] = this.successor(state, byte);
      }
      for (let byte = 0xc2; byte <= 0xdf; byte++) row[byte] = this.begun(state, (byte & 0x1f) << 6, 1, 0x80);
      for (let byte = 0xe0; byte <= 0xef; byte++) row[byte] = this.begun(state, (byte & 0x0f) << 12, 2, 0x800);
      for (let byte = 0xf0; byte <= 0xf4; byte++) row[byte] = this.begun(state, (byte & 0x07) << 18, 3, 0x10000);
      row[0x5c] = this.escape(state, '\\');
    } else if (within.kind === 'uniform') {
      const to = within.remaining === 1 ? within.to : this.within({ ...within, remaining: within.remaining - 1 });
      row.fill(to, 0x80, 0xc0);
    } else if (within.kind === 'partial') {
      const { from, first, remaining, shortest } = within;
      for (let i = 0; i < 64; i++)
        row[0x80 + i] = this.begun(from, first + i * 64 ** (remaining - 1), remaining - 1, shortest);
    } else {
      const { from, written: begun } = within;
      for (const codePoint of ESCAPED) {
        const text = ESCAPES.get(codePoint)!;
        const to = text.startsWith(begun) ? this.successor(from, codePoint) : DEAD;
        if (to === DEAD) continue;
        const byte = text.charCodeAt(begun.length);
        row[byte] = text.length === begun.length + 1 ? to : this.escape(from, text.slice(0, begun.length + 1));
      }
    }
    return row;
  }

  private successor(state: number, codePoint: number): number {
    return this.successors[state]![this.classOf(codePoint)]!;
  }

  private classOf(codePoint: number): number {
    let low = 0;
    let high = this.bounds.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.bounds[middle]! <= codePoint) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The state before `remaining` bytes that complete the code points first … first + 64^remaining − 1, none below `shortest`. */
  private begun(from: number, first: number, remaining: number, shortest: number): number {
    const last = first + 64 ** remaining - 1;
    const isWhole = first >= shortest && last <= 0x10ffff;
    if (remaining === 0 && !isWhole) return DEAD;
    const reached = new Set<number>();
    for (let index = this.classOf(Math.max(first, shortest)); (this.bounds[index] ?? last + 1) <= last; index++)
      reached.add(this.successors[from]![index]!);
    const [only] = reached;
    if (reached.size === 0 || (reached.size === 1 && only === DEAD)) return DEAD;
    if (reached.size === 1 && isWhole)
      return remaining === 0 ? only! : this.within({ kind: 'uniform', to: only!, remaining });
    return this.within({ kind: 'partial', from, first, remaining, shortest });
  }

  private escape(from: number, begun: string): number {
    const leads = ESCAPED.some(
      (codePoint) => ESCAPES.get(codePoint)!.startsWith(begun) && this.successor(from, codePoint) !== DEAD,
    );
    return leads ? this.within({ kind: 'escape', from, written: begun }) : DEAD;
  }

  private within(inside: Inside): number {
    const key =
      inside.kind === 'uniform'
        ? `${inside.to}!${inside.remaining}`
        : inside.kind === 'partial'
          ? `${inside.from}/${inside.first}/${inside.remaining}`
          : `${inside.from}${inside.written}`;
    let index = this.insideIndex.get(key);
    if (index === undefined) {
      index = this.inside.push(inside) - 1;
      this.insideIndex.set(key, index);
    }
    return index;
  }
}

/** Code points that JSON.stringify escapes, and how. */
const ESCAPES = new Map(
  [...Array(0x20).keys(), 0x22, 0x5c].map((codePoint) => [
    codePoint,
    JSON.stringify(String.fromCharCode(codePoint)).slice(1, -1),
  ]),
);
const ESCAPED = [...ESCAPES.keys()];

function written(codePoint: number): Uint8Array {
  const escape = ESCAPES.get(codePoint);
  return Buffer.from(escape ?? String.fromCodePoint(codePoint));
}
