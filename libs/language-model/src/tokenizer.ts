/**
 * Text to token ids and back, for the byte-level BPE tokenizers of the Llama 3 and Qwen families (tokenizer.json as
 * Hugging Face publishes it). Encoding is the library's; decoding and the raw bytes per token are ours, because the
 * grammar needs bytes and a decoded prefix may end inside a character.
 *
 * Text is data: by default the spelling of a special token inside a text is encoded as ordinary characters, so that a
 * problem or an entry cannot forge an end of turn. Only a caller who renders a chat template asks for special tokens.
 */
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as library from '@huggingface/tokenizers';
import { canonicalJson, SeamError, sha256 } from '@seamstream/kernel';
import { unicodeToByte } from './byte-level-alphabet.js';

/** The part of the library that is used; its own type files do not resolve under Node's module rules. */
interface LibraryTokenizer {
  encode(text: string, options: { readonly add_special_tokens: boolean }): { readonly ids: number[] };
}
const LibraryTokenizer = (
  library as unknown as { Tokenizer: new (tokenizer: object, config: object) => LibraryTokenizer }
).Tokenizer;

interface AddedToken {
  readonly id: number;
  readonly content: string;
  readonly special?: boolean;
}

/** The parts of a tokenizer.json that are read here; the rest passes through to the library. */
export interface TokenizerJson {
  readonly added_tokens?: readonly AddedToken[];
  readonly pre_tokenizer?: unknown;
  readonly decoder?: unknown;
  readonly model: {
    readonly type?: string;
    readonly vocab: Readonly<Record<string, number>>;
    readonly merges: readonly unknown[];
  };
}

export interface EncodeOptions {
  /** Recognise the spelling of special tokens. For trusted text only; default false. */
  readonly specialTokens?: boolean;
}

export class Tokenizer {
  /** Raw bytes per id; empty for special tokens and for ids without a token. */
  readonly vocabulary: readonly Uint8Array[];
  /** SHA-256 of the tokenizer.json's canonical JSON. */
  readonly digest: string;
  /** One more than the highest id. */
  readonly vocabularySize: number;
  /** Special tokens by their spelling. */
  readonly specialTokenIds: ReadonlyMap<string, number>;

  private constructor(
    private readonly plain: LibraryTokenizer,
    private readonly withSpecial: LibraryTokenizer,
    json: TokenizerJson,
  ) {
    const added = json.added_tokens ?? [];
    const size = 1 + Math.max(...Object.values(json.model.vocab), ...added.map(({ id }) => id));
    const vocabulary: Uint8Array[] = Array.from({ length: size }, () => new Uint8Array(0));
    for (const [token, id] of Object.entries(json.model.vocab)) vocabulary[id] = bytesOf(token);
    for (const { id, content, special } of added)
      vocabulary[id] = special ? new Uint8Array(0) : new TextEncoder().encode(content);
    this.vocabulary = vocabulary;
    this.vocabularySize = size;
    this.digest = sha256(canonicalJson(json));
    this.specialTokenIds = new Map(added.filter(({ special }) => special).map(({ content, id }) => [content, id]));
  }

  /** As {@link load}; undefined where the folder has no tokenizer.json. */
  static async loadIfPresent(folder: string): Promise<Tokenizer | undefined> {
    const isPresent = await access(join(folder, 'tokenizer.json')).then(
      () => true,
      () => false,
    );
    return isPresent ? Tokenizer.load(folder) : undefined;
  }

  /** Reads `tokenizer.json` of a model folder. @throws CHECKPOINT_INVALID when it is missing or not JSON, UNSUPPORTED_MODEL as {@link fromJson}. */
  static async load(folder: string): Promise<Tokenizer> {
    const path = join(folder, 'tokenizer.json');
    let json: TokenizerJson;
    try {
      json = JSON.parse(await readFile(path, 'utf8')) as TokenizerJson;
    } catch (cause) {
      throw new SeamError(
        'CHECKPOINT_INVALID',
        `Loading a tokenizer: ${path} cannot be read as JSON. A model folder needs a tokenizer.json.`,
        {
          details: { file: 'tokenizer.json' },
          cause,
        },
      );
    }
    return Tokenizer.fromJson(json);
  }

  /** @throws UNSUPPORTED_MODEL when it is not a byte-level BPE: only there is a token a fixed run of bytes. */
  static fromJson(json: TokenizerJson): Tokenizer {
    // It was read from a file: nothing about it is certain.
    const { model, decoder } = json as { readonly model?: Partial<TokenizerJson['model']>; readonly decoder?: unknown };
    const isBpe = typeof model?.vocab === 'object' && Array.isArray(model.merges) && (model.type ?? 'BPE') === 'BPE';
    if (!isBpe || !mentionsByteLevel(decoder)) {
      throw new SeamError(
        'UNSUPPORTED_MODEL',
        'Loading a tokenizer: expected a BPE model with a ByteLevel decoder (Llama 3, Qwen2, Qwen3, GPT-2). Use a model of these families.',
        { details: { model: model?.type ?? null, decoder: decoder ?? null } },
      );
    }
    const ordinary = { ...json, added_tokens: (json.added_tokens ?? []).filter(({ special }) => !special) };
    // The second argument is tokenizer_config.json; only its clean-up flag matters here, and clean-up is not lossless.
    const config = { clean_up_tokenization_spaces: false };
    return new Tokenizer(new LibraryTokenizer(ordinary, config), new LibraryTokenizer(json, config), json);
  }

  /**
   * Token ids of a text; nothing is added before or after it. A lone surrogate counts as U+FFFD, since it has no UTF-8.
   * `decode(encode(text)) === text` for every well-formed text unless the tokenizer.json itself normalises.
   */
  encode(text: string, { specialTokens = false }: EncodeOptions = {}): number[] {
    const encoder = specialTokens ? this.withSpecial : this.plain;
    return encoder.encode(text.toWellFormed(), { add_special_tokens: false }).ids;
  }

  /** The text of the ids; special tokens and unknown ids are left out, bytes that are not UTF-8 become U+FFFD. */
  decode(ids: readonly number[]): string {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.decodeBytes(ids));
  }

  /** The bytes of the ids, which may end inside a character. */
  decodeBytes(ids: readonly number[]): Uint8Array {
    return Buffer.concat(ids.map((id) => this.vocabulary[id] ?? new Uint8Array(0)));
  }
}

/** Undoes the byte-level alphabet; a token outside it (an added token that also stands in the vocabulary) is its own UTF-8. */
function bytesOf(token: string): Uint8Array {
  const bytes: number[] = [];
  for (const character of token) {
    const byte = unicodeToByte.get(character);
    if (byte === undefined) return new TextEncoder().encode(token);
    bytes.push(byte);
  }
  return Uint8Array.from(bytes);
}

function mentionsByteLevel(component: unknown): boolean {
  if (typeof component !== 'object' || component === null) return false;
  const { type, decoders } = component as { type?: unknown; decoders?: unknown };
  return type === 'ByteLevel' || (type === 'Sequence' && Array.isArray(decoders) && decoders.some(mentionsByteLevel));
}
