/**
 * A token grammar over the rules of a JSON Schema, nested values on a stack.
 *
 * A state is a set of positions: inside fixed text, or inside a leaf (a string's inside, a number), each with the places to return to.
 * A token is legal when its bytes lead some position to one from which single-byte tokens reach the end: tokens cross from content to
 * the closing quotation mark and beyond, and a byte without a separate token takes away only what needs it. Where no position is in a
 * leaf, the text ahead is fixed or a choice of few texts: there only the tokenizer's own tokens are legal, as far as every context
 * agrees on them (ADR 0011).
 */

import { SeamError } from '@seamstream/kernel';
import { includes, union } from './ascending-lists.js';
import { remember } from './bounded-cache.js';
import { FixedTextTokens } from './fixed-text-tokens.js';
import type { JsonRules } from './json-rules.js';
import { cappedCount } from './leaf.js';
import { keyOf, type Position, Pushdown } from './pushdown.js';
import type { AllowedTokens, GrammarState, TokenGrammar } from './token-grammar.types.js';
import { type TokenTrie, trieOf } from './token-trie.js';
import { MAX_MASKS, VocabularyMasks } from './vocabulary-masks.js';

interface State extends GrammarState {
  readonly positions: readonly Position[];
  /** Fixed text since the last leaf, at most {@link CONTEXT} bytes of it; '' in a leaf. */
  readonly left: string;
  /** Whether something precedes `left` that is not known. */
  readonly isOpen: boolean;
  readonly length: number;
  allowed?: AllowedTokens;
  /** No legal token leads further than so many bytes from the end. */
  furthest?: number;
  forcedRun?: readonly number[];
  enough?: number;
  next?: Map<number, State>;
  within?: Map<number, AllowedTokens>;
}

const NOTHING: AllowedTokens = { ids: new Int32Array(0) };
const CONTEXT = 12;
const MAX_STATES = 100_000;
const MAX_REMEMBERED_SUCCESSORS = 4096;

export class PushdownGrammar implements TokenGrammar {
  private readonly trie: TokenTrie;
  private readonly bytes: Pushdown;
  private states = new Map<string, State>();
  private readonly masks: VocabularyMasks;
  private readonly fixedTexts: FixedTextTokens;
  private readonly merged = new Map<string, AllowedTokens>();
  private readonly root: State;

  constructor(
    rules: JsonRules,
    private readonly vocabulary: readonly Uint8Array[],
    encode: (text: string) => readonly number[],
  ) {
    this.trie = trieOf(vocabulary);
    this.bytes = new Pushdown(this.trie.spelled);
    this.masks = new VocabularyMasks(this.trie, vocabulary.length, this.bytes);
    this.fixedTexts = new FixedTextTokens(vocabulary, encode, this.bytes);
    this.root = this.intern(this.bytes.enter(rules.start, null), '', false);
  }

  // ─── States ──────────────────────────────────────────────────────────────────────────────────────────────────────

  private intern(positions: readonly Position[], left: string, isOpen: boolean): State {
    const byKey = new Map<string, Position>();
    let isLeaf = false;
    for (const position of positions) {
      if (this.bytes.lengthOf(position) === Number.POSITIVE_INFINITY) continue;
      byKey.set(keyOf(position), position);
      isLeaf ||= position.kind === 'leaf';
    }
    const context = isLeaf ? '' : left;
    const open = isLeaf || isOpen;
    const key = `${[...byKey.keys()].sort().join(' ')}|${open ? '~' : ''}${context}`;
    let state = this.states.get(key);
    if (state === undefined) {
      // A caller that still follows an earlier state keeps it; its successors are computed again.
      if (this.states.size === MAX_STATES) this.states = new Map();
      const kept = [...byKey.values()];
      state = { key, positions: kept, left: context, isOpen: open, length: this.bytes.lengthOfAll(kept) };
      this.states.set(key, state);
    }
    return state;
  }

  start(): GrammarState {
    return this.root;
  }

  isComplete(state: GrammarState): boolean {
    return (state as State).positions.some(({ kind }) => kind === 'end');
  }

  advance(state: GrammarState, tokenId: number): GrammarState {
    const own = state as State;
    const known = own.next?.get(tokenId);
    if (known !== undefined) return known;
    const next = this.isLegal(own, tokenId) ? this.after(own, tokenId) : undefined;
    if (next === undefined) {
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot follow a grammar: token ${tokenId} is not allowed here; ${this.allowed(own).ids.length} others are.`,
        { details: { tokenId } },
      );
    }
    own.next ??= new Map();
    if (own.next.size < MAX_REMEMBERED_SUCCESSORS) own.next.set(tokenId, next);
    return next;
  }

  /** In a leaf the bytes decide; where tokens are restricted to the tokenizer's own, the mask does. */
  private isLegal(state: State, tokenId: number): boolean {
    if (state.positions.some(({ kind }) => kind === 'leaf')) return true;
    return includes(this.allowed(state).ids, tokenId);
  }

  private after(state: State, tokenId: number): State | undefined {
    const bytes = this.vocabulary[tokenId];
    if (bytes === undefined || bytes.length === 0 || this.isComplete(state)) return undefined;
    let positions: readonly Position[] = state.positions;
    let { left, isOpen } = state;
    for (const byte of bytes) {
      positions = this.bytes.step(positions, byte);
      if (positions.length === 0) return undefined;
      if (positions.some(({ kind }) => kind === 'leaf')) [left, isOpen] = ['', true];
      else left += String.fromCharCode(byte);
    }
    if (left.length > CONTEXT) [left, isOpen] = [left.slice(-CONTEXT), true];
    const next = this.intern(positions, left, isOpen);
    return next.positions.length === 0 ? undefined : next;
  }

  // ─── Masks ───────────────────────────────────────────────────────────────────────────────────────────────────────

  allowed(state: GrammarState): AllowedTokens {
    const own = state as State;
    own.allowed ??= this.maskOf(own);
    return own.allowed;
  }

  private maskOf(state: State): AllowedTokens {
    if (this.isComplete(state)) return NOTHING;
    const canonical = this.canonicalTokens(state);
    if (canonical !== undefined) {
      return { ids: canonical };
    }
    const parts: { readonly key: string; readonly ids: () => Int32Array }[] = [];
    const fixed: Position[] = [];
    for (const position of state.positions) {
      if (position.kind !== 'leaf') {
        fixed.push(position);
        continue;
      }
      const inner = this.masks.withinLeaf(position);
      parts.push({ key: `${inner.id}`, ids: () => inner.ids });
      const continuation = this.bytes.enter(position.to, position.outer);
      const exit = this.masks.behindLeaf(inner, continuation);
      parts.push({ key: exit.key, ids: () => exit.mask.ids });
    }
    if (fixed.length > 0) {
      const walked = this.masks.ofFixedText(fixed);
      parts.push({ key: walked.key, ids: () => walked.mask.ids });
    }
    const key = parts.map((part) => part.key).join('|');
    let merged = this.merged.get(key);
    if (merged === undefined) {
      merged = { ids: parts.map(({ ids }) => ids()).reduce(union, NOTHING.ids) };
      remember(this.merged, key, merged, MAX_MASKS);
    }
    return merged;
  }

  // ─── The tokenizer's own tokens ──────────────────────────────────────────────────────────────────────────────────

  /** Where the text ahead is one of few: the first token of each, as far as every context agrees on it; undefined elsewhere. */
  private canonicalTokens(state: State): Int32Array | undefined {
    if (state.positions.some(({ kind }) => kind !== 'text')) return undefined;
    const texts = this.fixedTexts.ahead(state.positions);
    if (texts === undefined) return undefined;
    const ids = new Set<number>();
    for (const { text, behind } of texts) {
      const id = this.fixedTexts.firstToken(state, text, behind);
      if (id === undefined || this.after(state, id) === undefined) return undefined;
      ids.add(id);
    }
    return Int32Array.from(ids).sort();
  }

  forcedRun(state: GrammarState): readonly number[] {
    const own = state as State;
    if (own.forcedRun === undefined) {
      const run: number[] = [];
      let at = own;
      for (let { ids } = this.allowed(at); ids.length === 1; { ids } = this.allowed(at)) {
        run.push(ids[0]!);
        at = this.advance(at, ids[0]!) as State;
      }
      own.forcedRun = run;
    }
    return own.forcedRun;
  }

  // ─── Budgets ─────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Tokens of the way out, each as long as the vocabulary and the mask allow. */
  minTokensToComplete(state: GrammarState): number {
    const path: State[] = [];
    let at = state as State;
    while (at.enough === undefined && !this.isComplete(at)) {
      path.push(at);
      at = this.advance(at, this.tokenOut(at)) as State;
    }
    let enough = at.enough ?? 0;
    at.enough = enough;
    for (const passed of path.reverse()) passed.enough = ++enough;
    return (state as State).enough!;
  }

  private tokenOut(state: State): number {
    const way = this.bytes.wayOut(state.positions, this.trie.longest);
    const { byte, depth, after, token } = this.trie;
    let best = -1;
    const isFree = state.positions.some(({ kind }) => kind === 'leaf');
    const legal = isFree ? undefined : this.allowed(state).ids;
    for (let node = 0, level = 0; node < byte.length && level < way.length; ) {
      if (depth[node]! <= level) break;
      if (byte[node] !== way[level]) {
        node = after[node]!;
        continue;
      }
      if (
        token[node]! >= 0 &&
        (legal === undefined || includes(legal, token[node]!)) &&
        this.after(state, token[node]!) !== undefined
      )
        best = token[node]!;
      level++;
      node++;
    }
    if (best < 0)
      throw new SeamError(
        'INTERNAL',
        'Cannot complete a text: expected a way out of each state that the grammar offers, got none.',
      );
    return best;
  }

  allowedWithin(state: GrammarState, remainingTokens: number): AllowedTokens {
    const own = state as State;
    const all = this.allowed(own);
    // A byte is a token at most.
    own.furthest ??= this.furthestOf(own);
    if (remainingTokens > own.furthest) return all;
    own.within ??= new Map();
    let within = own.within.get(remainingTokens);
    if (within === undefined) {
      within = this.filtered(own, all, remainingTokens);
      own.within.set(remainingTokens, within);
    }
    return within;
  }

  private furthestOf(state: State): number {
    let furthest = 0;
    const fixed: Position[] = [];
    if (!state.positions.some(({ kind }) => kind === 'leaf')) {
      for (const id of this.allowed(state).ids)
        furthest = Math.max(furthest, this.minTokensToComplete(this.advance(state, id)));
      return furthest;
    }
    for (const position of state.positions) {
      if (position.kind !== 'leaf') {
        fixed.push(position);
        continue;
      }
      const { leaf, count, to, outer } = position;
      const inner = this.masks.withinLeaf(position);
      for (const outcome of inner.outcomes) {
        const rest = leaf.rest(outcome.state, cappedCount(leaf, count + outcome.added));
        furthest = Math.max(furthest, (rest?.bytes ?? 0) + to.length + (outer?.length ?? 0));
      }
      furthest = Math.max(furthest, this.masks.behindLeaf(inner, this.bytes.enter(to, outer)).mask.furthest);
    }
    return fixed.length === 0 ? furthest : Math.max(furthest, this.masks.ofFixedText(fixed).mask.furthest);
  }

  private filtered(state: State, all: AllowedTokens, remaining: number): AllowedTokens {
    const isEnough = (id: number): boolean => 1 + this.minTokensToComplete(this.advance(state, id)) <= remaining;
    const leaves = state.positions.filter((position) => position.kind === 'leaf');
    const [only] = leaves;
    // Tokens of one outcome lead to the same state where nothing else can read them.
    const isShared = state.positions.some(
      (other) =>
        other.kind === 'text' && only !== undefined && only.leaf.step(only.state, other.bytes[other.offset]!) >= 0,
    );
    if (only === undefined || leaves.length > 1 || isShared) return { ids: all.ids.filter(isEnough) };
    const inner = this.masks.withinLeaf(only);
    const verdicts = inner.outcomes.map(({ example }) => isEnough(example));
    const ids = new Int32Array(all.ids.length);
    let size = 0;
    let at = 0;
    for (const id of all.ids) {
      while (at < inner.ids.length && inner.ids[at]! < id) at++;
      const isInner = inner.ids[at] === id;
      const verdict = isInner ? verdicts[inner.outcome[at]!]! : isEnough(id);
      if (verdict) ids[size++] = id;
    }
    return { ids: ids.slice(0, size) };
  }
}
