/**
 * The tokenizer's own tokens of fixed text: which token it begins with, wherever the text stands. What surrounds the text is not known, so
 * a few texts are tried before and behind it (ADR 0011).
 */
import { remember } from './bounded-cache.js';
import type { Position, Pushdown } from './pushdown.js';

/** Choices of more texts than this, or longer ones, are spelled by any tokens. */
const MAX_TEXTS = 64;
const MAX_TEXT_BYTES = 48;
const MAX_TEXT_STEPS = 1_500;
/** What may stand before fixed text that follows content, and after fixed text that precedes it. */
const BEFORE = ['', 'a', '.', '1', ' '];
const BEHIND = ['a', 'The', ' a', '0', '.', '-', '(', '_', '\\n', '"', '",', '{"', '[', ']', '}', 'true', '\u00e9'];
const MAX_ENCODED = 20_000;

/** A text ahead, and what may stand behind it. */
interface TextAhead {
  readonly text: string;
  readonly behind: readonly string[];
}

/** What was written since the last leaf, one character a byte; `isOpen`: something unknown precedes it. */
interface LeftContext {
  readonly left: string;
  readonly isOpen: boolean;
}

export class FixedTextTokens {
  private readonly encoded = new Map<string, readonly number[]>();

  constructor(
    private readonly vocabulary: readonly Uint8Array[],
    private readonly encode: (text: string) => readonly number[],
    private readonly bytes: Pushdown,
  ) {}

  /** Each fixed text up to where it reaches a leaf, an end or the limit of length, and what may stand behind it. */
  ahead(positions: readonly Position[]): readonly TextAhead[] | undefined {
    const texts: TextAhead[] = [];
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

  /** The token that every context agrees on; undefined where they do not. */
  firstToken({ left, isOpen }: LeftContext, text: string, behind: readonly string[]): number | undefined {
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
      remember(this.encoded, text, ids, MAX_ENCODED);
    }
    return ids;
  }
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
