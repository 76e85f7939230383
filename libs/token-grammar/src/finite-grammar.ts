/**
 * The grammar of a schema of finitely many texts, in canonical tokens throughout (canonical-tokens.ts).
 *
 * A state is a set of positions (almost always one: where one text is another's beginning there are two), interned, so that its mask and
 * its successors are computed once. Every position knows the fewest tokens to the end, so there is always a way out.
 */

import { SeamError } from '@seamstream/kernel';
import { union } from './ascending-lists.js';
import { CanonicalTokens, type TrieNode } from './canonical-tokens.js';
import type { LayoutNode } from './layout.js';
import type { AllowedTokens, GrammarState, TokenGrammar } from './token-grammar.types.js';

type Position =
  | { readonly kind: 'end'; readonly id: number; readonly minTokens: 0 }
  | {
      readonly kind: 'trie';
      readonly id: number;
      readonly minTokens: number;
      readonly children: ReadonlyMap<number, readonly Position[]>;
    };

interface State extends GrammarState {
  readonly positions: readonly Position[];
  readonly minTokens: number;
  readonly isComplete: boolean;
  readonly next: Map<number, State>;
  readonly withinBudget: Map<number, AllowedTokens>;
  // Computed when first asked for.
  allowed?: AllowedTokens;
  worstAfterOne?: number;
  forcedRun?: readonly number[];
}

const NOTHING: AllowedTokens = { ids: new Int32Array(0) };
/** A free string's states have thousands of successors; beyond this many they are looked up by their positions. */
const MAX_REMEMBERED_SUCCESSORS = 4096;

export class FiniteGrammar implements TokenGrammar {
  private readonly canonical: CanonicalTokens;
  private readonly root: State;
  private readonly states = new Map<string, State>();
  private readonly entries = new Map<LayoutNode, readonly Position[]>();
  private readonly mergedMasks = new Map<string, AllowedTokens>();
  private readonly end: Position = { kind: 'end', id: 0, minTokens: 0 };
  private positions = 1;

  constructor(layout: LayoutNode, vocabulary: readonly Uint8Array[], encode: (text: string) => readonly number[]) {
    this.canonical = new CanonicalTokens(vocabulary, encode);
    this.compile(layout);
    this.root = this.intern(this.entries.get(layout)!);
  }

  /** Positions for every node that can be entered, from the end to the beginning: successors have smaller ids. */
  private compile(layout: LayoutNode): void {
    const tries = new Map<LayoutNode, TrieNode>();
    const found = new Set<LayoutNode>([layout]);
    for (const node of found) {
      if (node.kind === 'text') {
        const trie = this.canonical.trie(node);
        tries.set(node, trie);
        for (const end of endsOf(trie)) found.add(end);
      }
    }
    for (const node of [...found].sort((a, b) => a.id - b.id)) {
      const trie = tries.get(node);
      this.entries.set(node, trie === undefined ? [this.end] : this.positionsOf(trie));
    }
  }

  /** The positions at a trie node: in the trie, if it continues, and at the beginning of what follows a piece that ends here. */
  private positionsOf(trie: TrieNode): readonly Position[] {
    const result = trie.ends.flatMap((node) => this.entries.get(node)!);
    if (trie.children.size > 0) {
      const children = new Map([...trie.children].map(([id, child]) => [id, this.positionsOf(child)]));
      let minTokens = Number.POSITIVE_INFINITY;
      for (const positions of children.values())
        for (const position of positions) minTokens = Math.min(minTokens, 1 + position.minTokens);
      result.push({ kind: 'trie', id: this.positions++, minTokens, children });
    }
    return result;
  }

  private intern(positions: readonly Position[]): State {
    const distinct = positions.length < 2 ? positions : [...new Set(positions)].sort((a, b) => a.id - b.id);
    const key = distinct.length === 1 ? String(distinct[0]!.id) : distinct.map(({ id }) => id).join();
    let state = this.states.get(key);
    if (state === undefined) {
      state = {
        key,
        positions: distinct,
        minTokens: least(distinct),
        isComplete: distinct[0]?.kind === 'end' && distinct.length === 1,
        next: new Map(),
        withinBudget: new Map(),
      };
      this.states.set(key, state);
    }
    return state;
  }

  start(): GrammarState {
    return this.root;
  }

  allowed(state: GrammarState): AllowedTokens {
    const own = state as State;
    own.allowed ??= this.maskOf(own.positions);
    return own.allowed;
  }

  private maskOf(positions: readonly Position[]): AllowedTokens {
    const masks = positions.flatMap((position) => (position.kind === 'end' ? [] : [this.idsOf(position)]));
    if (masks.length === 0) return NOTHING;
    const [first, second] = masks;
    if (second === undefined) return { ids: first!.ids };
    // States of one string differ in their length, their masks rarely do.
    const key = masks.map(({ key }) => key).join('|');
    let merged = this.mergedMasks.get(key);
    if (merged === undefined) {
      merged = { ids: masks.map(({ ids }) => ids).reduce(union) };
      this.mergedMasks.set(key, merged);
    }
    return merged;
  }

  private readonly maskKeys = new Map<Int32Array, number>();
  private readonly trieMasks = new Map<Position, Int32Array>();

  private idsOf(position: Exclude<Position, { kind: 'end' }>): { readonly ids: Int32Array; readonly key: number } {
    const ids = this.trieMasks.get(position) ?? Int32Array.from(position.children.keys()).sort();
    this.trieMasks.set(position, ids);
    let key = this.maskKeys.get(ids);
    if (key === undefined) this.maskKeys.set(ids, (key = this.maskKeys.size));
    return { ids, key };
  }

  allowedWithin(state: GrammarState, remainingTokens: number): AllowedTokens {
    const own = state as State;
    const all = this.allowed(own);
    own.worstAfterOne ??= Math.max(0, ...own.positions.map((position) => this.worstAfterOne(position)));
    if (remainingTokens >= own.worstAfterOne) return all;
    let within = own.withinBudget.get(remainingTokens);
    if (within === undefined) {
      within = { ids: all.ids.filter((id) => 1 + (this.advance(own, id) as State).minTokens <= remainingTokens) };
      own.withinBudget.set(remainingTokens, within);
    }
    return within;
  }

  /** Tokens that are enough after whichever token comes next at a position, that token included. */
  private worstAfterOne(position: Position): number {
    switch (position.kind) {
      case 'end':
        return 0;
      case 'trie':
        return Math.max(...[...position.children.values()].map((positions) => 1 + least(positions)));
    }
  }

  advance(state: GrammarState, tokenId: number): GrammarState {
    const own = state as State;
    const known = own.next.get(tokenId);
    if (known !== undefined) return known;
    const positions = own.positions.flatMap((position) => this.after(position, tokenId));
    if (positions.length === 0) {
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot follow a grammar: token ${tokenId} is not allowed here; ${this.allowed(own).ids.length} others are.`,
        {
          details: { tokenId },
        },
      );
    }
    const next = this.intern(positions);
    if (own.next.size < MAX_REMEMBERED_SUCCESSORS) own.next.set(tokenId, next);
    return next;
  }

  private after(position: Position, tokenId: number): readonly Position[] {
    switch (position.kind) {
      case 'end':
        return [];
      case 'trie':
        return position.children.get(tokenId) ?? [];
    }
  }

  isComplete(state: GrammarState): boolean {
    return (state as State).isComplete;
  }

  forcedRun(state: GrammarState): readonly number[] {
    const own = state as State;
    if (own.forcedRun === undefined) {
      const run: number[] = [];
      let at = own;
      for (let ids = this.allowed(at).ids; ids.length === 1; ids = this.allowed(at).ids) {
        run.push(ids[0]!);
        at = this.advance(at, ids[0]!) as State;
      }
      own.forcedRun = run;
    }
    return own.forcedRun;
  }

  minTokensToComplete(state: GrammarState): number {
    return (state as State).minTokens;
  }
}

function least(positions: readonly Position[]): number {
  return Math.min(...positions.map(({ minTokens }) => minTokens));
}

function* endsOf(trie: TrieNode): Generator<LayoutNode> {
  yield* trie.ends;
  for (const child of trie.children.values()) yield* endsOf(child);
}
