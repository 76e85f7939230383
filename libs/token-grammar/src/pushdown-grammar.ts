/**
 * A token grammar over the rules of a JSON Schema, nested values on a stack.
 *
 * A state is a set of positions: inside fixed text, or inside a leaf (a string's inside, a number), each with the places to return to.
 * A token is legal when its bytes lead some position to one from which single-byte tokens reach the end: tokens cross from content to
 * the closing quotation mark and beyond, and a byte without a separate token takes away only what needs it. Where no position is in a
 * leaf, the text ahead is fixed or a choice of few texts: there only the tokenizer's own tokens are legal, as far as every context
 * agrees on them (ADR 0011).
 *
 * Masks of leaves are computed by one walk through the vocabulary's trie per leaf state, regardless of what surrounds the leaf; tokens that leave
 * it are looked at with what surrounds it. Counts are clamped to what one token can reach, so that few masks serve all lengths.
 */

import { SeamError } from '@seamstream/kernel';
import { union } from './ascending-lists.js';
import type { JsonRules } from './json-rules.js';
import type { Leaf } from './leaf.js';
import { keyOf, type LeafPosition, type Position, Pushdown } from './pushdown.js';
import type { AllowedTokens, GrammarState, TokenGrammar } from './token-grammar.types.js';
import { type TokenTrie, trieOf } from './token-trie.js';

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

const NOTHING: AllowedTokens = { ids: new Int32Array(0) };
const CONTEXT = 12;
/** Choices of more texts than this, or longer ones, are spelled by any tokens. */
const MAX_TEXTS = 64;
const MAX_TEXT_BYTES = 48;
const MAX_TEXT_STEPS = 1_500;
/** What may stand before fixed text that follows content, and after fixed text that precedes it. */
const BEFORE = ['', 'a', '.', '1', ' '];
const BEHIND = ['a', 'The', ' a', '0', '.', '-', '(', '_', '\\n', '"', '",', '{"', '[', ']', '}', 'true', '\u00e9'];
const MAX_STATES = 100_000;
const MAX_MASKS = 256;
const MAX_REMEMBERED_SUCCESSORS = 4096;

export class PushdownGrammar implements TokenGrammar {
  private readonly trie: TokenTrie;
  private readonly bytes: Pushdown;
  private states = new Map<string, State>();
  private readonly leafMasks = new Map<string, LeafMask>();
  private readonly merged = new Map<string, AllowedTokens>();
  private readonly exitMasks = new Map<string, Mask>();
  private readonly encoded = new Map<string, readonly number[]>();
  private readonly root: State;

  constructor(
    rules: JsonRules,
    private readonly vocabulary: readonly Uint8Array[],
    private readonly encode: (text: string) => readonly number[],
  ) {
    this.trie = trieOf(vocabulary);
    this.bytes = new Pushdown(this.trie.spelled);
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
      const inner = this.leafMask(position);
      parts.push({ key: `${inner.id}`, ids: () => inner.ids });
      const continuation = this.bytes.enter(position.to, position.outer);
      const exit = this.exitMask(inner, continuation);
      parts.push({ key: exit.key, ids: () => exit.mask.ids });
    }
    if (fixed.length > 0) {
      const walked = this.fixedMask(fixed);
      parts.push({ key: walked.key, ids: () => walked.mask.ids });
    }
    const key = parts.map((part) => part.key).join('|');
    let merged = this.merged.get(key);
    if (merged === undefined) {
      merged = { ids: parts.map(({ ids }) => ids()).reduce(union, NOTHING.ids) };
      remember(this.merged, key, merged);
    }
    return merged;
  }

  /** Tokens from fixed text, wherever they lead. */
  private fixedMask(positions: readonly Position[]): { readonly key: string; readonly mask: Mask } {
    const key = positions.map(keyOf).sort().join(' ');
    let mask = this.exitMasks.get(key);
    if (mask === undefined) {
      const found: number[] = [];
      const furthest = this.walk(0, this.trie.byte.length, 1, positions, found);
      mask = { ids: Int32Array.from(found).sort(), furthest };
      remember(this.exitMasks, key, mask);
    }
    return { key, mask };
  }

  private exitMask(inner: LeafMask, continuation: readonly Position[]): { readonly key: string; readonly mask: Mask } {
    const key = `x${inner.id} ${continuation.map(keyOf).sort().join(' ')}`;
    let mask = this.exitMasks.get(key);
    if (mask === undefined) {
      const found: number[] = [];
      let furthest = 0;
      for (const node of inner.exits) {
        const reached = this.walk(node, this.trie.after[node]!, this.trie.depth[node]!, continuation, found);
        furthest = Math.max(furthest, reached);
      }
      mask = { ids: Int32Array.from(found).sort(), furthest };
      remember(this.exitMasks, key, mask);
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
  private leafMask({ leaf, state, count }: LeafPosition): LeafMask {
    const reach = this.trie.longest + 1;
    const needed = Math.min(Math.max(0, leaf.least - count), reach);
    const room =
      leaf.most === Number.POSITIVE_INFINITY ? leaf.most : Math.min(leaf.most - count, reach + leaf.farthest);
    const key = `${leaf.id}/${state}/${needed}/${room}`;
    let mask = this.leafMasks.get(key);
    if (mask === undefined) {
      mask = this.walkLeaf(leaf, state, count);
      if (this.leafMasks.size === MAX_MASKS) this.leafMasks.delete(this.leafMasks.keys().next().value!);
      this.leafMasks.set(key, mask);
    }
    return mask;
  }

  private masks = 0;

  private walkLeaf(leaf: Leaf, start: number, count: number): LeafMask {
    const { byte, depth, after, token, alike } = this.trie;
    const states = new Int32Array(this.trie.longest + 1);
    const counts = new Int32Array(this.trie.longest + 1);
    const outcomeByToken = new Int32Array(this.vocabulary.length).fill(-1);
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
      id: this.masks++,
      ids,
      outcome: outcomesOfIds,
      outcomes,
      exits: Int32Array.from(exits),
    };
  }

  // ─── The tokenizer's own tokens ──────────────────────────────────────────────────────────────────────────────────

  /** Where the text ahead is one of few: the first token of each, as far as every context agrees on it; undefined elsewhere. */
  private canonicalTokens(state: State): Int32Array | undefined {
    if (state.positions.some(({ kind }) => kind !== 'text')) return undefined;
    const texts = this.textsAhead(state.positions);
    if (texts === undefined) return undefined;
    const ids = new Set<number>();
    for (const { text, behind } of texts) {
      const id = this.firstToken(state, text, behind);
      if (id === undefined || this.after(state, id) === undefined) return undefined;
      ids.add(id);
    }
    return Int32Array.from(ids).sort();
  }

  /** Each fixed text up to where it reaches a leaf, an end or the limit of length, and what may stand behind it. */
  private textsAhead(
    positions: readonly Position[],
  ): readonly { readonly text: string; readonly behind: readonly string[] }[] | undefined {
    const texts: { text: string; behind: readonly string[] }[] = [];
    let steps = 0;
    const open: { readonly bytes: readonly number[]; readonly positions: readonly Position[] }[] = [
      { bytes: [], positions },
    ];
    for (const at of open) {
      // Steps taken are texts followed by a byte: what is left of the list is open.
      if (open.length - steps > MAX_TEXTS || texts.length > MAX_TEXTS || ++steps > MAX_TEXT_STEPS) return undefined;
      const isOver =
        at.bytes.length >= MAX_TEXT_BYTES || (at.bytes.length > 0 && at.positions.some(({ kind }) => kind !== 'text'));
      if (!isOver) {
        const bytes = new Set(at.positions.flatMap((each) => (each.kind === 'text' ? [each.bytes[each.offset]!] : [])));
        for (const byte of bytes) {
          const next = this.bytes.step(at.positions, byte);
          if (next.length > 0) open.push({ bytes: [...at.bytes, byte], positions: next });
        }
        continue;
      }
      const text = wholeText(at.bytes);
      if (text === undefined) return undefined;
      const isEnd = at.positions.every(({ kind }) => kind === 'end');
      const behind = isEnd ? [''] : BEHIND.filter((probe) => this.accepts(at.positions, probe));
      texts.push({ text, behind: behind.length === 0 ? [''] : behind });
    }
    return texts;
  }

  private accepts(positions: readonly Position[], text: string): boolean {
    let at = positions;
    for (const byte of new TextEncoder().encode(text)) at = this.bytes.step(at, byte);
    return at.length > 0;
  }

  private firstToken({ left, isOpen }: State, text: string, behind: readonly string[]): number | undefined {
    const known = textOf(left);
    if (known === undefined) return undefined;
    let first: number | undefined;
    for (const before of isOpen ? BEFORE : ['']) {
      const begin = Buffer.byteLength(before + known);
      for (const after of behind) {
        let at = 0;
        let id: number | undefined;
        for (const token of this.tokens(before + known + text + after)) {
          if (at >= begin) {
            id = at === begin ? token : undefined;
            break;
          }
          at += this.vocabulary[token]!.length;
        }
        if (id === undefined || (first !== undefined && id !== first)) return undefined;
        first = id;
      }
    }
    return first !== undefined && this.vocabulary[first]!.length <= Buffer.byteLength(text) ? first : undefined;
  }

  /** A text as the tokenizer writes it; nothing where that is another text, as over a vocabulary with gaps. */
  private tokens(text: string): readonly number[] {
    let ids = this.encoded.get(text);
    if (ids === undefined) {
      ids = this.encode(text);
      const spelled = Buffer.concat(ids.map((id) => this.vocabulary[id] ?? new Uint8Array(0)));
      if (!spelled.equals(Buffer.from(text))) ids = [];
      remember(this.encoded, text, ids, 20_000);
    }
    return ids;
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
      const inner = this.leafMask(position);
      for (const outcome of inner.outcomes) {
        const rest = leaf.rest(outcome.state, cappedCount(leaf, count + outcome.added));
        furthest = Math.max(furthest, (rest?.bytes ?? 0) + to.length + (outer?.length ?? 0));
      }
      furthest = Math.max(furthest, this.exitMask(inner, this.bytes.enter(to, outer)).mask.furthest);
    }
    return fixed.length === 0 ? furthest : Math.max(furthest, this.fixedMask(fixed).mask.furthest);
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
    const inner = this.leafMask(only);
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

/** The count that a position keeps. */
function cappedCount(leaf: Leaf, count: number): number {
  return leaf.most === Number.POSITIVE_INFINITY ? Math.min(count, leaf.least) : count;
}

function remember<Value>(cache: Map<string, Value>, key: string, value: Value, most = MAX_MASKS): void {
  if (cache.size >= most) cache.delete(cache.keys().next().value!);
  cache.set(key, value);
}

/** The text of bytes; undefined where they end inside a character. */
function wholeText(bytes: readonly number[]): string | undefined {
  for (let cut = 0; cut < 4 && cut < bytes.length; cut++) {
    const text = Buffer.from(bytes.slice(0, bytes.length - cut));
    if (Buffer.from(text.toString()).equals(text)) return text.toString();
  }
  return undefined;
}

/** Bytes written one per character; undefined where they begin inside a character. */
function textOf(bytes: string): string | undefined {
  const buffer = Buffer.from(bytes, 'latin1');
  for (let cut = 0; cut < 4; cut++) {
    const text = buffer.subarray(cut);
    if (Buffer.from(text.toString()).equals(text)) return text.toString();
  }
  return undefined;
}

function includes(ids: Int32Array, id: number): boolean {
  let [low, high] = [0, ids.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (ids[middle] === id) return true;
    if (ids[middle]! < id) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}
