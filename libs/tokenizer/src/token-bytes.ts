/**
 * The bytes of each token, for the two published kinds of BPE tokenizers:
 *
 * - byte-level (Llama 3, Qwen, GPT-2): every byte is one character of a special alphabet, so any text is given back;
 * - byte fallback (Llama 2, from SentencePiece): tokens are text with U+2581 for a space, and `<0x0A>` is the byte 10; what
 *   the vocabulary does not spell falls back to bytes. Such a tokenizer also puts a space before a text's first word and
 *   takes it off again when it decodes.
 */
import { SeamError } from '@seamstream/kernel';
import { BYTE_BY_CODE } from './byte-level-alphabet.js';
import { GPT2_PATTERN } from './published-patterns.js';

export type TokenizerKind = 'byte-level' | 'byte-fallback';

/** The parts of a tokenizer.json that say of which kind it is; read from a file, so nothing about them is certain. */
export interface TokenizerForm {
  readonly model?: {
    readonly type?: string;
    readonly vocab?: unknown;
    readonly merges?: unknown;
    readonly byte_fallback?: unknown;
  };
  readonly normalizer?: unknown;
  readonly pre_tokenizer?: unknown;
  readonly decoder?: unknown;
}

const SPACE = '\u2581';
const BYTE_TOKEN = /^<0x[0-9A-F]{2}>$/;

/** @throws UNSUPPORTED_MODEL when it is of neither kind: only there is a token a fixed run of bytes. */
export function tokenizerKind({ model, decoder }: TokenizerForm): TokenizerKind {
  const isBpe = typeof model?.vocab === 'object' && Array.isArray(model.merges) && (model.type ?? 'BPE') === 'BPE';
  if (isBpe && mentions(decoder, 'ByteLevel')) return 'byte-level';
  if (isBpe && model.byte_fallback === true && mentions(decoder, 'ByteFallback')) return 'byte-fallback';
  throw new SeamError(
    'UNSUPPORTED_MODEL',
    'Cannot load a tokenizer: expected a BPE model with a ByteLevel decoder (Llama 3, Qwen2, Qwen3, GPT-2) or with byte_fallback and a ByteFallback decoder (Llama 2). Use a model of these families.',
    { details: { model: model?.type ?? null, decoder: decoder ?? null } },
  );
}

/** What ordinary tokens stand for, by their ids; an id that none has is a hole. */
export function bytesOfTokens(vocab: Readonly<Record<string, number>>, kind: TokenizerKind): Uint8Array[] {
  return kind === 'byte-level' ? inTheAlphabet(vocab) : asText(vocab);
}

/** A token outside of the byte-level alphabet (an added one) is its own UTF-8. The bytes of a large vocabulary share one buffer. */
function inTheAlphabet(vocab: Readonly<Record<string, number>>): Uint8Array[] {
  const tokens = Object.keys(vocab);
  const buffer = new Uint8Array(tokens.reduce((length, token) => length + token.length, 0));
  const byId: Uint8Array[] = [];
  let begin = 0;
  for (const token of tokens) {
    let end = begin;
    for (; end - begin < token.length; end++) {
      const byte = BYTE_BY_CODE[token.charCodeAt(end - begin)] ?? -1;
      if (byte < 0) break;
      buffer[end] = byte;
    }
    const isSpelled = end - begin === token.length;
    byId[vocab[token]!] = isSpelled ? buffer.subarray(begin, end) : new TextEncoder().encode(token);
    begin = end;
  }
  return byId;
}

function asText(vocab: Readonly<Record<string, number>>): Uint8Array[] {
  const byId: Uint8Array[] = [];
  for (const [token, id] of Object.entries(vocab)) {
    byId[id] = BYTE_TOKEN.test(token)
      ? Uint8Array.of(Number.parseInt(token.slice(3, 5), 16))
      : new TextEncoder().encode(token.replaceAll(SPACE, ' '));
  }
  return byId;
}

/** Where a space is put before a first word: nowhere, before the text, or before every part between special tokens too. */
export type FirstSpace = 'none' | 'text' | 'part';

/** A Prepend normalizer sees parts one by one; a Metaspace pre-tokenizer knows which one is the first. */
export function firstSpace({ normalizer, pre_tokenizer }: TokenizerForm): FirstSpace {
  if (parts(normalizer).some(({ type, prepend }) => type === 'Prepend' && prepend === SPACE)) return 'part';
  const metaspace = parts(pre_tokenizer).find(({ type }) => type === 'Metaspace');
  if (metaspace === undefined || metaspace.prepend_scheme === 'never') return 'none';
  return metaspace.prepend_scheme === 'first' ? 'text' : 'part';
}

/** The same tokenizer.json without the space before the first word: what continues a text has none. */
export function withoutFirstSpace<Json extends TokenizerForm>(json: Json): Json {
  const metaspace = (component: unknown): unknown =>
    mapParts(component, (part) => (part.type === 'Metaspace' ? { ...part, prepend_scheme: 'never' } : part));
  const normalizer = mapParts(json.normalizer, (part) =>
    part.type === 'Prepend' ? { type: 'Sequence', normalizers: [] } : part,
  );
  return { ...json, normalizer, pre_tokenizer: metaspace(json.pre_tokenizer) };
}

/**
 * The same tokenizer.json with the split spelled out that a ByteLevel pre-tokenizer makes unless a setting turns it off. By itself the library splits with JavaScript's white space, which has U+FEFF and
 * lacks U+0085; a pattern that is spelled out it reads with Unicode's, as the tokenizers library does.
 */
export function withSplitSpelledOut<Json extends TokenizerForm>(json: Json): Json {
  const spelledOut = mapParts(json.pre_tokenizer, (part) => {
    // A space that is put first stands before the split; it cannot be put before each piece.
    const isSplitting = part.type === 'ByteLevel' && part.use_regex !== false && part.add_prefix_space !== true;
    if (!isSplitting) return part;
    const split = { type: 'Split', pattern: { Regex: GPT2_PATTERN }, behavior: 'Isolated', invert: false };
    return { type: 'Sequence', pretokenizers: [split, { ...part, use_regex: false }] };
  });
  return { ...json, pre_tokenizer: spelledOut };
}

/**
 * No text may be merged into the spelling of a special token or of a byte. Where the vocabulary has neither (special tokens of
 * byte-level tokenizers are next to it), the merges are returned as they are.
 */
export function withoutForgedMerges(
  { vocab, merges }: { readonly vocab: Readonly<Record<string, number>>; readonly merges: readonly unknown[] },
  kind: TokenizerKind,
  special: ReadonlySet<string>,
): readonly unknown[] {
  const hasBytes = kind === 'byte-fallback';
  if (!hasBytes && ![...special].some((spelling) => Object.hasOwn(vocab, spelling))) return merges;
  return merges.filter((merge) => {
    const spelled = Array.isArray(merge) ? merge.join('') : String(merge).replace(' ', '');
    return !special.has(spelled) && !(hasBytes && BYTE_TOKEN.test(spelled));
  });
}

type Component = Readonly<Record<string, unknown>> & { readonly type?: unknown };

const LISTS = ['normalizers', 'pretokenizers', 'decoders', 'processors'] as const;

/** A component, or the components of a Sequence. */
export function parts(component: unknown): readonly Component[] {
  if (typeof component !== 'object' || component === null) return [];
  const own = component as Component;
  const list = LISTS.map((key) => own[key]).find(Array.isArray);
  return list === undefined ? [own] : list.flatMap(parts);
}

function mapParts(component: unknown, change: (part: Component) => Component): unknown {
  if (typeof component !== 'object' || component === null) return component;
  const own = component as Component;
  const key = LISTS.find((name) => Array.isArray(own[name]));
  if (key === undefined) return change(own);
  return { ...own, [key]: (own[key] as readonly unknown[]).map((part) => mapParts(part, change)) };
}

function mentions(component: unknown, type: string): boolean {
  return parts(component).some((part) => part.type === type);
}
