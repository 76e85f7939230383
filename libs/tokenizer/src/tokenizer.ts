/**
 * Text to token ids and back, for tokenizer.json as Hugging Face publishes it with Llama and Qwen: byte-level BPE, and BPE with
 * byte fallback (token-bytes.ts distinguishes them). Encoding is the library's; decoding and the raw bytes per token are ours,
 * because the grammar needs bytes and a decoded prefix may end inside a character.
 *
 * Text is data: by default the spelling of a special token inside a text is encoded as ordinary characters, so that a
 * problem or an entry cannot forge an end of turn. Only what a chat template itself wrote becomes special tokens.
 */
import { access, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as library from '@huggingface/tokenizers';
import { canonicalJson, isSeamError, messageOf, SeamError, sha256 } from '@seamstream/kernel';
import { isLfsPointer } from '@seamstream/model-files';
import { type ChatMessage, type ChatOptions, ChatTemplate } from './chat-template.js';
import {
  bytesOfTokens,
  type FirstSpace,
  firstSpace,
  tokenizerKind,
  withoutFirstSpace,
  withoutForgedMerges,
  withSplitSpelledOut,
} from './token-bytes.js';
import { openingTokens, readTokenizerConfig, type TokenizerConfig } from './tokenizer-config.js';
import { type AddedToken, checkedTokenizerJson, odd, type TokenizerJson } from './tokenizer-json.js';

/** The part of the library that is used; its own type files do not resolve under Node's module rules. */
interface LibraryTokenizer {
  encode(text: string, options: { readonly add_special_tokens: boolean }): { readonly ids: (number | undefined)[] };
  /** Its tokens by id. */
  readonly model: { readonly vocab: { readonly length: number } };
}
const LibraryTokenizer = (
  library as unknown as { Tokenizer: new (tokenizer: object, config: object) => LibraryTokenizer }
).Tokenizer;

/** Eight times the largest published. */
const MAX_FILE_BYTES = 2 ** 28;

export interface EncodeOptions {
  /** Recognise the spelling of special tokens. For trusted text only; default false. */
  readonly specialTokens?: boolean;
  /** The text stands after another: no space is put before its first word, and its tokens are exactly its bytes. Default false. */
  readonly isContinuation?: boolean;
}

export interface TokenizerSettings {
  /** `auto`: a prompt is a user's message in the folder's chat template, if it has one. `none`: plain text. Default `auto`. */
  readonly chatTemplate?: 'auto' | 'none';
}

export class Tokenizer {
  /** SHA-256 of the chat template that prompts are written in; absent where they are plain text. */
  readonly chatTemplateDigest?: string;
  /** One more than the highest id. */
  readonly vocabularySize: number;
  /** Special tokens by their spelling. */
  readonly specialTokenIds: ReadonlyMap<string, number>;

  /**
   * Spellings that mean something else than their characters: special tokens, and added ones that the chat template names, as
   * Qwen's `<tool_call>`, which its tokenizer.json does not call special.
   */
  readonly controlTokens: readonly string[];

  // Made when they are asked for: of a large vocabulary they take as long as all the rest.
  #digest: string | undefined;
  #vocabulary: readonly Uint8Array[] | undefined;
  /** Between special tokens. */
  private readonly specialPattern: RegExp | undefined;
  private readonly special: ReadonlyMap<string, AddedToken>;
  private readonly firstSpace: FirstSpace;

  private constructor(
    private readonly plain: LibraryTokenizer,
    private readonly continuing: LibraryTokenizer,
    private readonly json: TokenizerJson,
    private readonly opening: readonly number[],
    private readonly template: ChatTemplate | undefined,
  ) {
    const added = json.added_tokens ?? [];
    // The library has been through the vocabulary: to go through an object of so many keys again takes as long as to parse it.
    this.vocabularySize = added.reduce((size, { id }) => Math.max(size, id + 1), plain.model.vocab.length);
    this.special = new Map(added.filter((token) => token.special).map((token) => [token.content, token]));
    this.specialTokenIds = new Map([...this.special].map(([content, { id }]) => [content, id]));
    this.specialPattern = specialPattern([...this.special.keys()]);
    this.firstSpace = firstSpace(json);
    this.controlTokens = added
      .filter(({ content, special }) => special === true || template?.source.includes(content))
      .map(({ content }) => content)
      // Words and white space are not control tokens, even if a file says so.
      .filter((content) => /[^\p{L}\p{N}\s]/u.test(content));
    if (template !== undefined) this.chatTemplateDigest = sha256(template.source);
  }

  /** Raw bytes per id; empty for special tokens and for ids without a token. */
  get vocabulary(): readonly Uint8Array[] {
    if (this.#vocabulary === undefined) {
      const { model } = this.json;
      const vocabulary: (Uint8Array | undefined)[] = bytesOfTokens(model.vocab, tokenizerKind(this.json));
      for (const { id, content, special } of this.json.added_tokens ?? [])
        vocabulary[id] = special ? new Uint8Array(0) : new TextEncoder().encode(content);
      this.#vocabulary = Array.from(vocabulary, (bytes) => bytes ?? new Uint8Array(0));
    }
    return this.#vocabulary;
  }

  /** SHA-256 of the tokenizer.json's canonical JSON. */
  get digest(): string {
    this.#digest ??= sha256(canonicalJson(this.json));
    return this.#digest;
  }

  /** As {@link load}; undefined where the folder has no tokenizer.json. */
  static async loadIfPresent(folder: string, settings: TokenizerSettings = {}): Promise<Tokenizer | undefined> {
    const isPresent = await access(join(folder, 'tokenizer.json')).then(
      () => true,
      () => false,
    );
    return isPresent ? Tokenizer.load(folder, settings) : undefined;
  }

  /**
   * Reads `tokenizer.json` of a model folder and, where present, `tokenizer_config.json` and `chat_template.jinja`.
   * @throws CHECKPOINT_INVALID naming the file that is missing or damaged, UNSUPPORTED_MODEL as {@link fromJson}.
   */
  static async load(folder: string, { chatTemplate = 'auto' }: TokenizerSettings = {}): Promise<Tokenizer> {
    const path = join(folder, 'tokenizer.json');
    let json: unknown;
    let text = '';
    try {
      const { size } = await stat(path);
      if (size > MAX_FILE_BYTES) throw odd(`there are ${size} bytes: expected at most ${MAX_FILE_BYTES}`);
      // In one piece: as text, megabytes are decoded in many.
      text = (await readFile(path)).toString();
      json = JSON.parse(text);
    } catch (cause) {
      if (isSeamError(cause)) throw cause;
      const remedy = isLfsPointer(text)
        ? 'is a pointer of Git LFS, not the tokenizer: fetch the file itself (git lfs pull)'
        : 'cannot be read as JSON. A model folder needs a tokenizer.json';
      throw new SeamError('CHECKPOINT_INVALID', `Cannot load a tokenizer: ${path} ${remedy}.`, {
        details: { file: 'tokenizer.json' },
        cause,
      });
    }
    return Tokenizer.fromJson(json, await readTokenizerConfig(folder, chatTemplate));
  }

  /**
   * @param value a tokenizer.json, of which nothing is certain
   * @throws UNSUPPORTED_MODEL when it is no BPE of bytes or with byte fallback (only there is a token a fixed run of bytes), or has a
   *   regular expression that might not end; CHECKPOINT_INVALID when it is odd, or the chat template cannot be read.
   */
  static fromJson(value: unknown, config: TokenizerConfig = { specialTokens: {} }): Tokenizer {
    try {
      return Tokenizer.fromChecked(checkedTokenizerJson(value), config);
    } catch (cause) {
      if (isSeamError(cause)) throw cause;
      throw odd(`something is not as expected (${messageOf(cause)})`, cause);
    }
  }

  private static fromChecked(json: TokenizerJson, config: TokenizerConfig): Tokenizer {
    const kind = tokenizerKind(json);
    const added = json.added_tokens ?? [];
    const special = new Set(added.filter((token) => token.special).map(({ content }) => content));
    // The library reads these fields whether or not the file has them.
    const ordinary: TokenizerJson = withSplitSpelledOut({
      normalizer: null,
      pre_tokenizer: null,
      ...json,
      post_processor: null,
      decoder: null,
      added_tokens: added.filter((token) => !token.special),
      model: { ...json.model, merges: withoutForgedMerges(json.model, kind, special) },
    });
    // The second argument is tokenizer_config.json; only its clean-up flag matters here, and clean-up is not lossless.
    const library = (form: TokenizerJson): LibraryTokenizer =>
      new LibraryTokenizer(form, { clean_up_tokenization_spaces: false });
    const plain = library(ordinary);
    const continuing = firstSpace(json) !== 'none' ? library(withoutFirstSpace(ordinary)) : plain;
    const idOf = (token: string): number | undefined => added.find(({ content }) => content === token)?.id;
    const opening = openingTokens(json.post_processor, config).flatMap((token) => idOf(token) ?? []);
    const template =
      config.chatTemplate === undefined
        ? undefined
        : new ChatTemplate(config.chatTemplate, config.specialTokens, special);
    return new Tokenizer(plain, continuing, json, opening, template);
  }

  /** @throws CHECKPOINT_INVALID when a token has no row in an embedding of so many: the tokenizer is another model's. */
  assertFits(vocabularySize: number, endTokenIds: readonly number[] = []): void {
    const unknown = endTokenIds.find((id) => id >= this.vocabularySize);
    if (unknown !== undefined) {
      throw new SeamError(
        'CHECKPOINT_INVALID',
        `Cannot load a tokenizer: tokenizer.json has ids up to ${this.vocabularySize - 1}, and texts of the model end with ${unknown}: it is another model's. Restore the one that was published with the weights.`,
        { details: { file: 'tokenizer.json', endTokenId: unknown, tokenizerSize: this.vocabularySize } },
      );
    }
    if (this.vocabularySize <= vocabularySize) return;
    throw new SeamError(
      'CHECKPOINT_INVALID',
      `Cannot load a tokenizer: tokenizer.json has ids up to ${this.vocabularySize - 1}, config.json says a vocabulary of ${vocabularySize}: it is another model's. Restore the one that was published with the weights.`,
      { details: { file: 'tokenizer.json', vocabularySize, tokenizerSize: this.vocabularySize } },
    );
  }

  /**
   * Token ids of a text; nothing is added before or after it but the first word's space, where the tokenizer has one. A lone
   * surrogate counts as U+FFFD, since it has no UTF-8. `decode(encode(text)) === text` for every well-formed text, unless the
   * tokenizer.json itself normalises or the text holds U+2581, a byte-fallback tokenizer's space.
   */
  encode(text: string, { specialTokens = false, isContinuation = false }: EncodeOptions = {}): number[] {
    const wellFormed = text.toWellFormed();
    if (!specialTokens) return this.ordinary(wellFormed, isContinuation);
    return this.encodeParts(wellFormed, isContinuation, (piece) => piece);
  }

  /**
   * Token ids of a prompt as the model was trained to read one: a user's message in the chat template, followed by the
   * beginning of the assistant's turn; without a template the text after the token that begins texts, if there is one.
   * Special tokens spelled in the text stay text.
   * @throws INVALID_INPUT when the template refuses the message.
   */
  encodePrompt(text: string): number[] {
    if (this.template === undefined) return this.encodeDocument(text);
    return this.encodeChat([{ role: 'user', content: text }], { addGenerationPrompt: true });
  }

  /** Text to be trained on as it is: behind the tokens that open every text of this vocabulary, without a chat template. */
  encodeDocument(text: string): number[] {
    return [...this.opening, ...this.encode(text)];
  }

  /** @throws INVALID_INPUT when there is no chat template or it refuses the messages. */
  encodeChat(messages: readonly ChatMessage[], options: ChatOptions = {}): number[] {
    if (this.template === undefined) {
      throw new SeamError(
        'INVALID_INPUT',
        'Cannot encode a conversation: the model folder has no chat template (tokenizer_config.json or chat_template.jinja).',
      );
    }
    const { text, unshield } = this.template.renderShielded(messages, options);
    return this.encodeParts(text.toWellFormed(), false, unshield);
  }

  /** What {@link encodeChat} encodes, as text. */
  renderChat(messages: readonly ChatMessage[], options: ChatOptions = {}): string | undefined {
    return this.template?.render(messages, options);
  }

  /** Text between special tokens is encoded apart; a Metaspace pre-tokenizer knows the text's first word, a normalizer does not. */
  private encodeParts(text: string, isContinuation: boolean, plainOf: (piece: string) => string): number[] {
    return this.split(text).flatMap((piece, index) => {
      if (index % 2 === 1) return this.special.get(piece)!.id;
      return this.ordinary(plainOf(piece), isContinuation || (index > 0 && this.firstSpace === 'text'));
    });
  }

  private ordinary(text: string, isContinuation: boolean): number[] {
    if (text === '') return [];
    const { ids } = (isContinuation ? this.continuing : this.plain).encode(text, { add_special_tokens: false });
    // A vocabulary may lack bytes that its texts never had; what they spell is left out, as the tokenizers library does.
    return ids.filter((id) => id !== undefined);
  }

  /** Text and special tokens in turns, text first, without the white space that belongs to a token. */
  private split(text: string): string[] {
    if (this.specialPattern === undefined) return [text];
    const pieces = text.split(this.specialPattern);
    pieces.forEach((piece, index) => {
      if (index % 2 === 0) return;
      const { lstrip, rstrip } = this.special.get(piece)!;
      if (lstrip) pieces[index - 1] = pieces[index - 1]!.trimEnd();
      if (rstrip) pieces[index + 1] = pieces[index + 1]!.trimStart();
    });
    return pieces;
  }

  /**
   * The text of the ids; special tokens and unknown ids are left out, bytes that are not UTF-8 become U+FFFD. The first word's
   * space that {@link encode} adds is taken off.
   */
  decode(ids: readonly number[]): string {
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.decodeBytes(ids));
    return this.firstSpace !== 'none' && text.startsWith(' ') ? text.slice(1) : text;
  }

  /** The bytes of the ids, which may end inside a character. */
  decodeBytes(ids: readonly number[]): Uint8Array {
    return Buffer.concat(ids.map((id) => this.vocabulary[id] ?? new Uint8Array(0)));
  }
}

/** Captures a special token; longer spellings first. */
function specialPattern(spellings: readonly string[]): RegExp | undefined {
  if (spellings.length === 0) return undefined;
  const longestFirst = spellings.toSorted((a, b) => b.length - a.length);
  return new RegExp(`(${longestFirst.map((spelling) => RegExp.escape(spelling)).join('|')})`, 'u');
}
