/**
 * A JSON Schema as a mask over tokens: which ids may come next so that the whole text is compact JSON, valid under the
 * schema and ended within a token budget. What is fixed is written in canonical tokens (canonical-tokens.ts), free strings
 * and large integers are spelled byte by byte with any tokens (string-automaton.ts, integer-automaton.ts).
 *
 * A state is a set of positions (almost always one: a number may be over or go on, a string too), interned, so that its mask and
 * its successors are computed once. Every position knows the fewest tokens to the end, so there is always a way out.
 */
import { SeamError } from '@seamstream/kernel';
import { CanonicalTokens, type TrieNode } from './canonical-tokens.js';
import { IntegerTokens } from './integer-automaton.js';
import type { JsonSchema } from './json-schema.types.js';
import { type IntegerNode, type LayoutNode, layoutOf, type StringNode } from './layout.js';
import { checkJsonSchema } from './schema-check.js';
import { BETWEEN, StringTokens, UNREACHABLE } from './string-automaton.js';

/** A place in a text under a grammar. Immutable, valid for the grammar that made it, equal states are the same object. */
export interface GrammarState {
  /** Names the place within its grammar. */
  readonly key: string;
}

export interface AllowedTokens {
  /** Ascending; empty where the text is complete. */
  readonly ids: Int32Array;
}

export interface TokenGrammar {
  start(): GrammarState;
  /** Every token that some valid text continues with. */
  allowed(state: GrammarState): AllowedTokens;
  /**
   * Those of them after which the text can still end within the budget. Never empty before the end as long as
   * `remainingTokens` ≥ {@link minTokensToComplete}.
   * @param remainingTokens tokens that may still be written, the next one included.
   */
  allowedWithin(state: GrammarState, remainingTokens: number): AllowedTokens;
  /** @throws INVALID_INPUT when the token is not allowed. */
  advance(state: GrammarState, tokenId: number): GrammarState;
  /** The text is a whole value, and nothing may follow it. */
  isComplete(state: GrammarState): boolean;
  /** The tokens up to the next real choice or the end: while one token is allowed, that one. */
  forcedRun(state: GrammarState): readonly number[];
  /** Fewest tokens to the end; 0 where the text is complete. */
  minTokensToComplete(state: GrammarState): number;
}

/**
 * Compiles a schema for one tokenizer.
 * @param vocabulary raw bytes per token id; tokens without bytes (special ones) are never allowed.
 * @param encode the tokenizer's encoding; must give back any text exactly.
 * @throws UNSUPPORTED_JSON_SCHEMA naming keyword and path; INVALID_INPUT when the tokenizer cannot spell what the schema needs.
 */
export function compileGrammar(
  schema: JsonSchema,
  vocabulary: readonly Uint8Array[],
  encode: (text: string) => readonly number[],
): TokenGrammar {
  checkJsonSchema(schema);
  return new CompiledGrammar(layoutOf(schema), vocabulary, encode);
}

type Position =
  | { readonly kind: 'end'; readonly id: number; readonly minTokens: 0 }
  | {
      readonly kind: 'trie';
      readonly id: number;
      readonly minTokens: number;
      readonly children: ReadonlyMap<number, readonly Position[]>;
    }
  | {
      readonly kind: 'string';
      readonly id: number;
      readonly minTokens: number;
      readonly node: StringNode;
      readonly at: number;
      readonly length: number;
    }
  | {
      readonly kind: 'integer';
      readonly id: number;
      readonly minTokens: number;
      readonly node: IntegerNode;
      readonly at: number;
      readonly tokens: IntegerTokens;
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

class CompiledGrammar implements TokenGrammar {
  private readonly canonical: CanonicalTokens;
  private readonly root: State;
  private readonly states = new Map<string, State>();
  private readonly entries = new Map<LayoutNode, readonly Position[]>();
  private readonly strings = new Map<string, Position>();
  private readonly integers = new Map<string, Position>();
  private readonly integerTokens = new Map<string, IntegerTokens>();
  private readonly mergedMasks = new Map<string, AllowedTokens>();
  private readonly end: Position = { kind: 'end', id: 0, minTokens: 0 };
  private positions = 1;
  private stringTokens: StringTokens | undefined;
  private numericIds: readonly number[] | undefined;

  constructor(
    layout: LayoutNode,
    private readonly vocabulary: readonly Uint8Array[],
    encode: (text: string) => readonly number[],
  ) {
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
      } else if (node.kind !== 'end') {
        found.add(node.next);
      }
    }
    for (const node of [...found].sort((a, b) => a.id - b.id)) {
      const trie = tries.get(node);
      if (trie !== undefined) this.entries.set(node, this.positionsOf(trie));
      else if (node.kind === 'string') this.entries.set(node, this.stringAt(node, BETWEEN, 0));
      else if (node.kind === 'integer')
        this.entries.set(node, this.integerAt(node, this.tokensOf(node).automaton.start));
      else this.entries.set(node, [this.end]);
    }
  }

  /** Where one stands at a trie node: in the trie, if it goes on, and at the beginning of whatever follows a piece that ends here. */
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

  private stringAt(node: StringNode, at: number, length: number): readonly Position[] {
    const key = `${node.id}/${at}/${length}`;
    const after = this.entries.get(node.next)!;
    let position = this.strings.get(key);
    if (position === undefined) {
      this.stringTokens ??= new StringTokens(this.vocabulary);
      const distance = this.stringTokens.distance(at, length, node.minLength, node.maxLength);
      if (distance === UNREACHABLE) {
        throw new SeamError(
          'INVALID_INPUT',
          `Compiling a grammar: the vocabulary has no tokens to spell a string of ${node.minLength} characters. Use a byte-level tokenizer.`,
        );
      }
      position = { kind: 'string', id: this.positions++, minTokens: distance + least(after), node, at, length };
      this.strings.set(key, position);
    }
    const mayEnd = at === BETWEEN && length >= node.minLength;
    if (at === BETWEEN && length === node.maxLength) return after;
    return mayEnd ? [position, ...after] : [position];
  }

  private tokensOf({ minimum, maximum }: IntegerNode): IntegerTokens {
    const key = `${minimum}/${maximum}`;
    let tokens = this.integerTokens.get(key);
    if (tokens === undefined) {
      this.numericIds ??= this.vocabulary.flatMap((bytes, id) =>
        bytes.length > 0 && bytes.every((byte) => byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) ? [id] : [],
      );
      tokens = new IntegerTokens(minimum, maximum, this.vocabulary, this.numericIds);
      if (!Number.isFinite(tokens.distance(tokens.automaton.start))) {
        throw new SeamError(
          'INVALID_INPUT',
          `Compiling a grammar: the vocabulary has no tokens to spell an integer from ${minimum} to ${maximum}. Use a byte-level tokenizer.`,
        );
      }
      this.integerTokens.set(key, tokens);
    }
    return tokens;
  }

  private integerAt(node: IntegerNode, at: number): readonly Position[] {
    const tokens = this.tokensOf(node);
    const after = this.entries.get(node.next)!;
    const key = `${node.id}/${at}`;
    let position = this.integers.get(key);
    if (position === undefined) {
      position = {
        kind: 'integer',
        id: this.positions++,
        minTokens: tokens.distance(at) + least(after),
        node,
        at,
        tokens,
      };
      this.integers.set(key, position);
    }
    const goesOn = tokens.allowed(at).length > 0;
    return [...(goesOn ? [position] : []), ...(tokens.automaton.accepts(at) ? after : [])];
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
    let ids: Int32Array;
    switch (position.kind) {
      case 'trie': {
        ids = this.trieMasks.get(position) ?? Int32Array.from(position.children.keys()).sort();
        this.trieMasks.set(position, ids);
        break;
      }
      case 'string':
        ids = this.stringTokens!.allowed(position.at, position.node.maxLength - position.length);
        break;
      case 'integer':
        ids = position.tokens.allowed(position.at);
        break;
    }
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
      case 'string': {
        const { node, at, length } = position;
        return (
          this.stringTokens!.worstAfterOne(at, length, node.minLength, node.maxLength) +
          least(this.entries.get(node.next)!)
        );
      }
      case 'integer':
        return position.tokens.worstAfterOne(position.at) + least(this.entries.get(position.node.next)!);
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
        `Following a grammar: token ${tokenId} is not allowed here; ${this.allowed(own).ids.length} others are.`,
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
      case 'string': {
        const { node, at, length } = position;
        const step = this.stringTokens!.step(at, tokenId);
        if (step === null) return [];
        const after = length + step.characters;
        return after + (step.state === BETWEEN ? 0 : 1) > node.maxLength ? [] : this.stringAt(node, step.state, after);
      }
      case 'integer': {
        const next = position.tokens.step(position.at, tokenId);
        return next < 0 ? [] : this.integerAt(position.node, next);
      }
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

/** Two ascending lists as one, without repetitions. */
function union(a: Int32Array, b: Int32Array): Int32Array {
  const merged = new Int32Array(a.length + b.length);
  let size = 0;
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const left = a[i] ?? Number.POSITIVE_INFINITY;
    const right = b[j] ?? Number.POSITIVE_INFINITY;
    merged[size++] = Math.min(left, right);
    if (left <= right) i++;
    if (right <= left) j++;
  }
  return merged.slice(0, size);
}

function least(positions: readonly Position[]): number {
  return Math.min(...positions.map(({ minTokens }) => minTokens));
}

function* endsOf(trie: TrieNode): Generator<LayoutNode> {
  yield* trie.ends;
  for (const child of trie.children.values()) yield* endsOf(child);
}
