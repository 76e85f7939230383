/**
 * Fixed text as tokens. A byte-level BPE merges across JSON's punctuation (`{"`, `":["`, `"],"` are single tokens), and a
 * model has seen only those *canonical* tokens: what the tokenizer makes of the whole text. So fixed text is tokenized in
 * pieces that are as long as they must be: a piece ends where the tokenizer would cut before any continuation. Where a
 * piece cannot be cut before a choice, its alternatives are tokenized together with what stands around them.
 *
 * A cut between `left` and `right` is taken to be safe when encode(left + right) = encode(left) · encode(right) for every
 * `right` that may follow, looked at for some characters. For tokenizers that split text by a pattern before merging (all of the supported families)
 * this holds at the edge of every word, and then the tokens of a whole value are exactly encode(its text) as long as it has no
 * free strings or spelled-out integers; those begin and end with a separate cut. Where alternatives would multiply beyond
 * a limit, the cut is taken although it is not safe: the text stays valid, its tokens are no longer the canonical ones there.
 */
import { SeamError } from '@seamstream/kernel';
import type { LayoutNode, TextNode } from './layout.js';

/** A place inside a piece: the tokens that may follow, and where the piece may end. */
export interface TrieNode {
  readonly children: Map<number, TrieNode>;
  /** Nodes that follow a piece that ends here; several only where alternatives are the same text. */
  readonly ends: LayoutNode[];
}

/** Beyond it alternatives are cut apart. A schema of three enumerated fields in a row without a safe cut stays below. */
const MAX_ALTERNATIVES = 1024;
/** UTF-16 units looked at beyond a cut: longer than the runs of punctuation between a schema's words. */
const LOOKAHEAD_LENGTH = 12;
/** Texts looked at beyond a cut; more alternatives are looked at less far. */
const MAX_LOOKAHEADS = 256;

interface Alternative {
  readonly text: string;
  readonly next: LayoutNode;
}

export class CanonicalTokens {
  private readonly encoded = new Map<string, readonly number[]>();
  private readonly lookaheads = new Map<TextNode, readonly string[]>();

  constructor(
    private readonly vocabulary: readonly Uint8Array[],
    private readonly encode: (text: string) => readonly number[],
  ) {}

  /** The pieces that begin at a node, as a trie of tokens. */
  trie(node: TextNode): TrieNode {
    const root: TrieNode = { children: new Map(), ends: [] };
    for (const { text, next } of this.pieces(node)) {
      let at = root;
      for (const id of this.tokens(text)) {
        let child = at.children.get(id);
        if (child === undefined) at.children.set(id, (child = { children: new Map(), ends: [] }));
        at = child;
      }
      at.ends.push(next);
    }
    return root;
  }

  private pieces(node: TextNode): Alternative[] {
    const pieces: Alternative[] = [];
    const open: Alternative[] = [...node.edges];
    for (let alternative = open.shift(); alternative !== undefined; alternative = open.shift()) {
      const { text, next } = alternative;
      const grows = next.kind === 'text' && pieces.length + open.length + next.edges.length <= MAX_ALTERNATIVES;
      if (!grows || this.isSafeCut(text, next)) pieces.push(alternative);
      else for (const edge of next.edges) open.push({ text: text + edge.text, next: edge.next });
    }
    return pieces;
  }

  private isSafeCut(left: string, next: TextNode): boolean {
    const head = this.tokens(left);
    return this.lookaheadsOf(next).every((right) => {
      if (left === '' || right === '') return false;
      const whole = this.tokens(left + right);
      const tail = this.tokens(right);
      return (
        whole.length === head.length + tail.length &&
        head.every((id, i) => whole[i] === id) &&
        tail.every((id, i) => whole[head.length + i] === id)
      );
    });
  }

  /** The texts that may follow a cut, each followed far enough to settle how its beginning is cut, as long as they are few. */
  private lookaheadsOf(node: TextNode): readonly string[] {
    let texts = this.lookaheads.get(node);
    if (texts === undefined) {
      let paths: readonly Alternative[] = node.edges;
      const goesOn = ({ text, next }: Alternative): boolean => text.length < LOOKAHEAD_LENGTH && next.kind === 'text';
      while (paths.some(goesOn)) {
        const further = paths.flatMap((path) =>
          goesOn(path) && path.next.kind === 'text'
            ? path.next.edges.map(({ text, next }) => ({ text: path.text + text, next }))
            : [path],
        );
        if (further.length > MAX_LOOKAHEADS) break;
        paths = further;
      }
      texts = paths.map(({ text }) => text);
      this.lookaheads.set(node, texts);
    }
    return texts;
  }

  private tokens(text: string): readonly number[] {
    let ids = this.encoded.get(text);
    if (ids === undefined) {
      ids = this.encode(text);
      const spelled = Buffer.concat(ids.map((id) => this.vocabulary[id] ?? new Uint8Array(0)));
      if (!spelled.equals(Buffer.from(text))) {
        throw new SeamError(
          'INVALID_INPUT',
          `Cannot compile a grammar: the tokenizer writes ${JSON.stringify(text)} as ${JSON.stringify(spelled.toString())}. Expected a tokenizer that gives back any text.`,
        );
      }
      this.encoded.set(text, ids);
    }
    return ids;
  }
}
