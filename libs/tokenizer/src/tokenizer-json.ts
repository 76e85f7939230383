/**
 * tokenizer.json before anything is made of it. A stranger's file becomes regular expressions and tables that work on every prompt,
 * so what the library would believe is checked here: forms, ids, the kinds of components, regular expressions (published-patterns.ts),
 * and how often its normalizers can multiply a text.
 */
import { SeamError } from '@seamstream/kernel';
import { shown } from '@seamstream/model-files';
import { isLinearPattern } from './published-patterns.js';
import { parts, tokenizerKind } from './token-bytes.js';

export interface AddedToken {
  readonly id: number;
  readonly content: string;
  readonly special?: boolean;
  /** White space before or after it belongs to it. */
  readonly lstrip?: boolean;
  readonly rstrip?: boolean;
}

/** The parts of a tokenizer.json that are read here; the rest passes through to the library. */
export interface TokenizerJson {
  /** Null says the same as nothing. */
  readonly added_tokens?: readonly AddedToken[] | null;
  readonly normalizer?: unknown;
  readonly pre_tokenizer?: unknown;
  readonly post_processor?: unknown;
  readonly decoder?: unknown;
  readonly model: {
    readonly type?: string;
    readonly vocab: Readonly<Record<string, number>>;
    readonly merges: readonly unknown[];
  };
}

/** Sixteen times the largest published vocabulary. */
const MAX_TOKENS = 2 ** 22;
/** Gemma 3 has 6,242. */
const MAX_ADDED = 2 ** 14;
/** In characters, of an added token, a replacement or a pattern that is a text. */
const MAX_SPELLING = 256;
const MAX_DEPTH = 16;
const MAX_COMPONENTS = 64;
/** How many times longer normalizers may make a text: compatibility forms and another case are 54. */
const MAX_GROWTH = 64;

/** UTF-16 units that one unit can become (https://www.unicode.org/faq/normalization.html#12); a change of case makes up to three. */
const GROWTH: Readonly<Record<string, number>> = {
  NFC: 3,
  NFD: 4,
  NFKC: 18,
  NFKD: 18,
  Precompiled: 18,
  BertNormalizer: 54,
  Lowercase: 3,
  Strip: 1,
  StripAccents: 1,
  Prepend: 1,
};
const PRE_TOKENIZERS = new Set([
  ...['ByteLevel', 'Split', 'Digits', 'Punctuation', 'Metaspace'],
  ...['Whitespace', 'WhitespaceSplit', 'BertPreTokenizer'],
]);

type Fields = Readonly<Record<string, unknown>>;

/** @throws CHECKPOINT_INVALID naming what is odd; UNSUPPORTED_MODEL for a kind or a regular expression that is not computed */
export function checkedTokenizerJson(value: unknown): TokenizerJson {
  const json = fields(value, 'the file');
  for (const key of ['normalizer', 'pre_tokenizer', 'post_processor', 'decoder'] as const) {
    if (isDeeperThan(json[key], MAX_DEPTH)) throw odd(`${key} is nested more than ${MAX_DEPTH} deep`);
  }
  const model = fields(json.model ?? {}, 'model');
  tokenizerKind({ model, decoder: json.decoder });
  checkVocabulary(model.vocab);
  checkMerges(model.merges as readonly unknown[]);
  for (const key of ['end_of_word_suffix', 'continuing_subword_prefix', 'continuing_subword_suffix'])
    if ((model[key] ?? '') !== '') throw unsupported(`model.${key} ${shown(model[key])}`);
  if (!['string', 'undefined'].includes(typeof (model.unk_token ?? undefined)))
    throw odd(`model.unk_token is ${shown(model.unk_token)}: expected a text or null`);
  checkAddedTokens(json.added_tokens ?? []);
  checkNormalizers(json.normalizer);
  for (const part of components(json.pre_tokenizer, 'pre_tokenizer')) checkPreTokenizer(part);
  return value as TokenizerJson;
}

function checkVocabulary(value: unknown): void {
  const entries = Object.entries(fields(value, 'model.vocab'));
  if (entries.length === 0 || entries.length > MAX_TOKENS)
    throw odd(`model.vocab has ${entries.length} tokens: expected 1 to ${MAX_TOKENS}`);
  for (const [token, id] of entries) {
    if (!isId(id)) throw odd(`model.vocab gives ${shown(token)} the id ${shown(id)}: expected 0 to ${MAX_TOKENS - 1}`);
  }
}

function checkMerges(merges: readonly unknown[]): void {
  // The library takes the form of the first for that of all.
  const arePairs = Array.isArray(merges[0]);
  merges.forEach((merge, index) => {
    const pair: readonly unknown[] = Array.isArray(merge) ? merge : typeof merge === 'string' ? merge.split(' ') : [];
    const isSound = Array.isArray(merge) === arePairs && pair.length === 2 && pair.every((x) => typeof x === 'string');
    if (!isSound) throw odd(`model.merges[${index}] is ${shown(merge)}: expected two tokens, in the form of the first`);
  });
}

function checkAddedTokens(value: unknown): void {
  if (!Array.isArray(value) || value.length > MAX_ADDED)
    throw odd(`added_tokens is ${shown(value)}: expected a list of at most ${MAX_ADDED}`);
  value.forEach((token: unknown, index) => {
    const { id, content } = fields(token, `added_tokens[${index}]`) as Partial<AddedToken>;
    if (!isId(id)) throw odd(`added_tokens[${index}] has the id ${shown(id)}: expected 0 to ${MAX_TOKENS - 1}`);
    spelling(content, `added_tokens[${index}].content`);
  });
}

function checkNormalizers(value: unknown): void {
  let growth = 1;
  for (const part of components(value, 'normalizer')) {
    const type = String(part.type);
    if (type === 'Replace') {
      growth *= checkedReplacement(part);
    } else if (Object.hasOwn(GROWTH, type)) {
      growth *= GROWTH[type]!;
      if (type === 'Prepend') spelling(part.prepend, 'normalizer.prepend');
    } else {
      throw unsupported(`a normalizer of type ${shown(part.type)}`);
    }
  }
  if (growth > MAX_GROWTH)
    throw odd(
      `its normalizers can make a text ${Math.ceil(growth)} times as long: expected at most ${MAX_GROWTH} times`,
    );
}

/** How many times longer a Replace can make a text. */
function checkedReplacement({ pattern, content = '' }: Fields): number {
  if (typeof content !== 'string' || content.length > MAX_SPELLING)
    throw odd(`a Replace has the content ${shown(content)}: expected a text of at most ${MAX_SPELLING} characters`);
  const text = checkedPattern(pattern);
  // A regular expression may match nothing, between any two characters.
  return text === undefined ? 1 + content.length : Math.max(1, content.length / text.length);
}

function checkPreTokenizer(part: Fields): void {
  if (!PRE_TOKENIZERS.has(String(part.type))) throw unsupported(`a pre_tokenizer of type ${shown(part.type)}`);
  if (part.type === 'Metaspace') spelling(part.replacement ?? '\u2581', 'pre_tokenizer.replacement');
  if (part.type !== 'Split') return;
  checkedPattern(part.pattern);
  if (part.behavior !== undefined && typeof part.behavior !== 'string')
    throw odd(`a Split has the behavior ${shown(part.behavior)}: expected a name`);
}

/** The text of a pattern that is one; undefined for a regular expression. */
function checkedPattern(value: unknown): string | undefined {
  const pattern = fields(value, 'a pattern');
  const { Regex: regex, String: text } = pattern;
  if (Object.keys(pattern).length !== 1 || (regex ?? text) === undefined)
    throw odd(`a pattern is ${shown(pattern)}: expected {"String": …} or {"Regex": …}`);
  if (regex === undefined) return spelling(text, 'a pattern');
  if (typeof regex !== 'string') throw odd(`a pattern is ${shown(pattern)}: expected a text`);
  if (!isLinearPattern(regex))
    throw unsupported(`the regular expression ${shown(regex)}, which is not a published one and may take for ever`);
  return undefined;
}

function components(value: unknown, name: string): readonly Fields[] {
  if (value === null || value === undefined) return [];
  fields(value, name);
  const all = parts(value);
  if (all.length > MAX_COMPONENTS) throw odd(`${name} has ${all.length} parts: expected at most ${MAX_COMPONENTS}`);
  return all.filter((part) => part.type !== 'Sequence');
}

function spelling(value: unknown, name: string): string {
  if (typeof value === 'string' && value.length > 0 && value.length <= MAX_SPELLING) return value;
  throw odd(`${name} is ${shown(value)}: expected a text of 1 to ${MAX_SPELLING} characters`);
}

function isId(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < MAX_TOKENS;
}

function fields(value: unknown, name: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw odd(`${name} is ${shown(value)}: expected an object`);
}

/** Level by level: what is nested a million deep would fill the stack of a call for each. */
function isDeeperThan(value: unknown, depth: number): boolean {
  let level: unknown[] = [value];
  for (let at = 0; level.length > 0; at++) {
    if (at > depth) return true;
    level = level.flatMap((each): unknown[] => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return false;
}

/** A tokenizer.json that no library could work with. */
export function odd(problem: string, cause?: unknown): SeamError {
  return new SeamError(
    'CHECKPOINT_INVALID',
    `Cannot load a tokenizer: in tokenizer.json ${problem}. Restore the one that was published with the weights.`,
    { details: { file: 'tokenizer.json' }, ...(cause === undefined ? {} : { cause }) },
  );
}

function unsupported(what: string): SeamError {
  return new SeamError(
    'UNSUPPORTED_MODEL',
    `Cannot load a tokenizer: tokenizer.json asks for ${what}; that is not computed here. Choose a model whose tokenizer needs no more.`,
    { details: { file: 'tokenizer.json' } },
  );
}
