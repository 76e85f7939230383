/**
 * The byte-level automaton of a JSON Schema's rules: sets of positions, each with the places that it returns to. Without tokens; what a
 * token may be is pushdown-grammar.ts.
 */
import type { Edge, Place } from './json-rules.js';
import { countAfter, fits, type Leaf } from './leaf.js';

interface Return {
  readonly id: number;
  readonly place: Place;
  readonly outer: Return | null;
  /** Fewest bytes from here to the end of the text. */
  readonly length: number;
}

interface TextPosition {
  readonly kind: 'text';
  readonly bytes: Uint8Array;
  readonly offset: number;
  readonly to: Place;
  readonly outer: Return | null;
}

export interface LeafPosition {
  readonly kind: 'leaf';
  readonly leaf: Leaf;
  readonly state: number;
  readonly count: number;
  readonly to: Place;
  readonly outer: Return | null;
}

export type Position = TextPosition | LeafPosition | { readonly kind: 'end' };

export class Pushdown {
  private readonly returns = new Map<string, Return>();

  /** @param spelled whether a byte is a separate token: lengths are those of texts that such tokens spell */
  constructor(private readonly spelled: readonly boolean[]) {}

  /** Where one stands at a place: inside fixed texts and leaves, or at the end. */
  enter(place: Place, outer: Return | null): Position[] {
    const found: Position[] = [];
    this.closure(place, outer, found, new Set());
    return found;
  }

  private closure(place: Place, outer: Return | null, found: Position[], seen: Set<string>): void {
    const key = `${place.id}/${outer?.id ?? -1}`;
    if (seen.has(key)) return;
    seen.add(key);
    if (place.isEnd) {
      if (outer === null) found.push({ kind: 'end' });
      else this.closure(outer.place, outer.outer, found, seen);
    }
    for (const edge of place.edges) this.follow(edge, outer, found, seen);
  }

  private follow(edge: Edge, outer: Return | null, found: Position[], seen: Set<string>): void {
    switch (edge.kind) {
      case 'text':
        found.push({ kind: 'text', bytes: edge.bytes, offset: 0, to: edge.to, outer });
        return;
      case 'empty':
        this.closure(edge.to, outer, found, seen);
        return;
      case 'rule':
        this.closure(edge.start, this.push(edge.to, outer), found, seen);
        return;
      case 'leaf': {
        const { leaf, to } = edge;
        found.push({ kind: 'leaf', leaf, state: leaf.start, count: 0, to, outer });
        if (leaf.mayEnd(leaf.start, 0)) this.closure(to, outer, found, seen);
      }
    }
  }

  private push(place: Place, outer: Return | null): Return | null {
    // What would return only to return again is not kept, so that lists of lists end as they began.
    if (place.isEnd && place.edges.length === 0) return outer;
    const key = `${place.id}/${outer?.id ?? -1}`;
    let found = this.returns.get(key);
    if (found === undefined) {
      found = { id: this.returns.size, place, outer, length: place.length + (outer?.length ?? 0) };
      this.returns.set(key, found);
    }
    return found;
  }

  /** Where one stands after a byte; nowhere where it is illegal. */
  step(positions: readonly Position[], byte: number): Position[] {
    const found: Position[] = [];
    for (const position of positions) this.stepOne(position, byte, found);
    return found;
  }

  private stepOne(position: Position, byte: number, found: Position[]): void {
    if (position.kind === 'text') {
      const { bytes, offset, to, outer } = position;
      if (bytes[offset] !== byte) return;
      if (offset + 1 < bytes.length) found.push({ ...position, offset: offset + 1 });
      else this.closure(to, outer, found, new Set());
    } else if (position.kind === 'leaf') {
      const { leaf, to, outer } = position;
      const state = leaf.step(position.state, byte);
      if (state < 0) return;
      const count = countAfter(leaf, state, position.count);
      if (!fits(leaf, state, count)) return;
      found.push({ kind: 'leaf', leaf, state, count, to, outer });
      if (leaf.mayEnd(state, count)) this.closure(to, outer, found, new Set());
    }
  }

  /** Fewest bytes to the end, by single-byte tokens. */
  lengthOf(position: Position): number {
    switch (position.kind) {
      case 'end':
        return 0;
      case 'text':
        for (let at = position.offset; at < position.bytes.length; at++)
          if (!this.spelled[position.bytes[at]!]) return Number.POSITIVE_INFINITY;
        return position.bytes.length - position.offset + position.to.length + (position.outer?.length ?? 0);
      case 'leaf': {
        const rest = position.leaf.rest(position.state, position.count);
        return rest === null
          ? Number.POSITIVE_INFINITY
          : rest.bytes + position.to.length + (position.outer?.length ?? 0);
      }
    }
  }

  lengthOfAll(positions: readonly Position[]): number {
    let least = Number.POSITIVE_INFINITY;
    for (const position of positions) least = Math.min(least, this.lengthOf(position));
    return least;
  }

  /** The first bytes of the shortest way to the end that single-byte tokens spell. */
  wayOut(positions: readonly Position[], most: number): number[] {
    const bytes: number[] = [];
    let at = positions;
    while (bytes.length < most) {
      let best = this.nearest(at);
      let byte = best === undefined ? -1 : nextByte(best);
      // At a leaf's end the way leads on behind it.
      while (byte < 0 && best?.kind === 'leaf') {
        best = this.nearest(this.enter(best.to, best.outer));
        byte = best === undefined ? -1 : nextByte(best);
      }
      if (best === undefined || byte < 0) break;
      bytes.push(byte);
      at = this.step([best], byte);
    }
    return bytes;
  }

  private nearest(positions: readonly Position[]): Position | undefined {
    let best: Position | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const position of positions) {
      const length = this.lengthOf(position);
      if (length < least) [best, least] = [position, length];
    }
    return best;
  }
}

function nextByte(position: Position): number {
  if (position.kind === 'end') return -1;
  return position.kind === 'text'
    ? position.bytes[position.offset]!
    : position.leaf.rest(position.state, position.count)!.next;
}

/** Names a position: equal ones have equal continuations. */
export function keyOf(position: Position): string {
  switch (position.kind) {
    case 'end':
      return '.';
    case 'text':
      return `t${position.to.id}/${position.bytes.length - position.offset}/${keyOfText(position)}/${position.outer?.id ?? -1}`;
    case 'leaf':
      return `l${position.leaf.id}/${position.state}/${position.count}/${position.to.id}/${position.outer?.id ?? -1}`;
  }
}

const textIds = new WeakMap<Uint8Array, number>();
let texts = 0;

/** Several texts may lead to one place. */
function keyOfText({ bytes }: TextPosition): number {
  let id = textIds.get(bytes);
  if (id === undefined) textIds.set(bytes, (id = texts++));
  return id;
}
