/**
 * Which tokens of a vocabulary the bytes allow, as masks that are kept.
 *
 * Masks of leaves are computed by one walk through the vocabulary's trie per leaf state, regardless of what surrounds the leaf; tokens that
 * leave it are looked at with what surrounds it. Counts are clamped to what one token can reach, so that few masks serve all lengths.
 */
import { remember } from './bounded-cache.js';
import { cappedCount, type Leaf } from './leaf.js';
import { keyOf, type LeafPosition, type Position, type Pushdown } from './pushdown.js';
import type { TokenTrie } from './token-trie.js';

interface LeafMask {
  readonly id: number;
  /** Tokens that stay within the leaf, ascending. */
  readonly ids: Int32Array;
  /** Per token: the index of its outcome. */
  readonly outcome: Uint16Array;
  readonly outcomes: readonly { readonly state: number; readonly added: number; readonly example: number }[];
  /** Trie nodes whose byte follows the leaf's end. */
  readonly exits: Int32Array;
}

interface Mask {
  readonly ids: Int32Array;
  /** Bytes to the end after the token that leads furthest from it. */
  readonly furthest: number;
}

/** A mask, and what names it among the others. */
interface NamedMask {
  readonly key: string;
  readonly mask: Mask;
}

export const MAX_MASKS = 256;

export class VocabularyMasks {
  private readonly leafMasks = new Map<string, LeafMask>();
  private readonly masks = new Map<string, Mask>();
  private leaves = 0;

  constructor(
    private readonly trie: TokenTrie,
    private readonly vocabularySize: number,
    private readonly bytes: Pushdown,
  ) {}

  /** Tokens from fixed text, wherever they lead. */
  ofFixedText(positions: readonly Position[]): NamedMask {
    const key = positions.map(keyOf).sort().join(' ');
    let mask = this.masks.get(key);
    if (mask === undefined) {
      const found: number[] = [];
      const furthest = this.walk(0, this.trie.byte.length, 1, positions, found);
      mask = { ids: Int32Array.from(found).sort(), furthest };
      remember(this.masks, key, mask, MAX_MASKS);
    }
    return { key, mask };
  }

  /** Tokens that leave a leaf, by where they lead behind it. */
  behindLeaf(inner: LeafMask, continuation: readonly Position[]): NamedMask {
    const key = `x${inner.id} ${continuation.map(keyOf).sort().join(' ')}`;
    let mask = this.masks.get(key);
    if (mask === undefined) {
      const found: number[] = [];
      let furthest = 0;
      for (const node of inner.exits) {
        const reached = this.walk(node, this.trie.after[node]!, this.trie.depth[node]!, continuation, found);
        furthest = Math.max(furthest, reached);
      }
      mask = { ids: Int32Array.from(found).sort(), furthest };
      remember(this.masks, key, mask, MAX_MASKS);
    }
    return { key, mask };
  }

  /** Collects the tokens of a part of the trie; returns the most bytes to the end after one of them. */
  private walk(from: number, until: number, top: number, positions: readonly Position[], found: number[]): number {
    const { byte, depth, after, token, alike } = this.trie;
    const reached: (readonly Position[])[] = [positions];
    let furthest = 0;
    for (let node = from; node < until; ) {
      const level = depth[node]! - top;
      const next = this.bytes.step(reached[level]!, byte[node]!);
      if (next.length === 0) {
        node = after[node]!;
        continue;
      }
      reached[level + 1] = next;
      if (token[node]! >= 0) {
        const length = this.bytes.lengthOfAll(next);
        if (length < Number.POSITIVE_INFINITY) {
          furthest = Math.max(furthest, length);
          for (let id = token[node]!; id >= 0; id = alike[id]!) found.push(id);
        }
      }
      node++;
    }
    return furthest;
  }

  /** What tokens do within a leaf, for counts as far as one token reaches. */
  withinLeaf({ leaf, state, count }: LeafPosition): LeafMask {
    const reach = this.trie.longest + 1;
    const needed = Math.min(Math.max(0, leaf.least - count), reach);
    const room =
      leaf.most === Number.POSITIVE_INFINITY ? leaf.most : Math.min(leaf.most - count, reach + leaf.farthest);
    const key = `${leaf.id}/${state}/${needed}/${room}`;
    let mask = this.leafMasks.get(key);
    if (mask === undefined) {
      mask = this.walkLeaf(leaf, state, count);
      remember(this.leafMasks, key, mask, MAX_MASKS);
    }
    return mask;
  }

  private walkLeaf(leaf: Leaf, start: number, count: number): LeafMask {
    const { byte, depth, after, token, alike } = this.trie;
    const states = new Int32Array(this.trie.longest + 1);
    const counts = new Int32Array(this.trie.longest + 1);
    const outcomeByToken = new Int32Array(this.vocabularySize).fill(-1);
    let legal = 0;
    const exits: number[] = [];
    const outcomes: { state: number; added: number; example: number }[] = [];
    const outcomeOf = new Map<number, number>();
    states[0] = start;
    for (let node = 0; node < byte.length; ) {
      const level = depth[node]!;
      const from = states[level - 1]!;
      const before = counts[level - 1]!;
      const next = leaf.step(from, byte[node]!);
      const added = next < 0 ? 0 : before + (leaf.completes(next) ? 1 : 0);
      if (next < 0 || count + added + (leaf.completes(next) ? 0 : 1) > leaf.most) {
        if (next < 0 && leaf.mayEnd(from, count + before)) exits.push(node);
        node = after[node]!;
        continue;
      }
      states[level] = next;
      counts[level] = added;
      if (token[node]! >= 0) {
        const key = next * 65_536 + added;
        let outcome = outcomeOf.get(key);
        if (outcome === undefined) {
          const isLive = leaf.rest(next, cappedCount(leaf, count + added)) !== null;
          outcome = isLive ? outcomes.push({ state: next, added, example: token[node]! }) - 1 : -1;
          outcomeOf.set(key, outcome);
        }
        if (outcome >= 0) {
          for (let id = token[node]!; id >= 0; id = alike[id]!) {
            outcomeByToken[id] = outcome;
            legal++;
          }
        }
      }
      node++;
    }
    const ids = new Int32Array(legal);
    const outcomesOfIds = new Uint16Array(legal);
    for (let id = 0, at = 0; at < legal; id++) {
      if (outcomeByToken[id]! < 0) continue;
      ids[at] = id;
      outcomesOfIds[at++] = outcomeByToken[id]!;
    }
    return {
      id: this.leaves++,
      ids,
      outcome: outcomesOfIds,
      outcomes,
      exits: Int32Array.from(exits),
    };
  }
}
