/** A vocabulary as a trie of bytes in preorder: what follows a node is its subtree, which one step skips. */
export interface TokenTrie {
  /** Per node: its byte, its depth from 1, the node after its subtree, and the first token that ends there (−1: none). */
  readonly byte: Uint8Array;
  readonly depth: Uint16Array;
  readonly after: Int32Array;
  readonly token: Int32Array;
  /** Another token of the same bytes, or −1; per token. */
  readonly alike: Int32Array;
  readonly longest: number;
  /** Whether a byte is a separate token. */
  readonly spelled: readonly boolean[];
}

/** What nearly every vocabulary spells; one list, so that what is made for it is made once. */
export const EVERY_BYTE: readonly boolean[] = new Array<boolean>(256).fill(true);

const tries = new WeakMap<readonly Uint8Array[], TokenTrie>();

/** The trie of a vocabulary, built once. */
export function trieOf(vocabulary: readonly Uint8Array[]): TokenTrie {
  let trie = tries.get(vocabulary);
  if (trie === undefined) tries.set(vocabulary, (trie = build(vocabulary)));
  return trie;
}

function build(vocabulary: readonly Uint8Array[]): TokenTrie {
  const ids: number[] = [];
  const texts: string[] = [];
  let total = 0;
  let longest = 0;
  const spelled = new Array<boolean>(256).fill(false);
  vocabulary.forEach((bytes, id) => {
    if (bytes.length === 0 || bytes.length > 0xffff) return;
    ids.push(id);
    // One character per byte: texts are compared faster than bytes.
    texts[id] = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    total += bytes.length;
    longest = Math.max(longest, bytes.length);
    if (bytes.length === 1) spelled[bytes[0]!] = true;
  });
  ids.sort((a, b) => (texts[a]! < texts[b]! ? -1 : texts[a]! > texts[b]! ? 1 : a - b));
  const byte = new Uint8Array(total);
  const depth = new Uint16Array(total);
  const after = new Int32Array(total);
  const token = new Int32Array(total).fill(-1);
  const alike = new Int32Array(vocabulary.length).fill(-1);
  const path: number[] = [];
  let nodes = 0;
  let before: Uint8Array = new Uint8Array(0);
  let last = -1;
  for (const id of ids) {
    const bytes = vocabulary[id]!;
    let shared = 0;
    while (shared < before.length && shared < bytes.length && before[shared] === bytes[shared]) shared++;
    if (shared === bytes.length && before.length === bytes.length) {
      alike[last] = id;
    } else {
      while (path.length > shared) after[path.pop()!] = nodes;
      for (let at = shared; at < bytes.length; at++) {
        byte[nodes] = bytes[at]!;
        depth[nodes] = at + 1;
        path.push(nodes++);
      }
      token[nodes - 1] = id;
    }
    last = id;
    before = bytes;
  }
  while (path.length > 0) after[path.pop()!] = nodes;
  return {
    byte: byte.slice(0, nodes),
    depth: depth.slice(0, nodes),
    after: after.slice(0, nodes),
    token: token.slice(0, nodes),
    alike,
    longest,
    spelled: spelled.every(Boolean) ? EVERY_BYTE : spelled,
  };
}
