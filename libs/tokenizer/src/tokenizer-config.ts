/** What tokenizer_config.json and chat_template.jinja add to a tokenizer.json. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isSeamError } from '@seamstream/kernel';
import { damaged, type RawConfig } from '@seamstream/model-files';
import { parts } from './token-bytes.js';

/** Ten times the largest published. */
const MAX_FILE_BYTES = 2 ** 24;

export interface TokenizerConfig {
  /** The template that transformers would use when it is asked for none by name. */
  readonly chatTemplate?: string | undefined;
  /** Spellings by their role: bos_token, eos_token, pad_token, unk_token … as templates call them. */
  readonly specialTokens: Readonly<Record<string, string>>;
  /** Whether texts begin with bos_token; absent: the tokenizer.json's post-processor decides. */
  readonly addBosToken?: boolean | undefined;
}

/**
 * Reads a folder's files; a folder without them has a config without anything.
 * @param chatTemplate `none`: templates are not looked at.
 * @throws CHECKPOINT_INVALID
 */
export async function readTokenizerConfig(folder: string, chatTemplate: 'auto' | 'none'): Promise<TokenizerConfig> {
  const text = await readIfPresent(folder, 'tokenizer_config.json');
  let raw: unknown = {};
  try {
    if (text !== undefined) raw = JSON.parse(text);
  } catch (cause) {
    throw damaged('tokenizer_config.json', 'is not JSON', undefined, cause);
  }
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    throw damaged('tokenizer_config.json', 'is not a JSON object');
  if (chatTemplate === 'none') return parseTokenizerConfig({ ...raw, chat_template: null });
  // The separate file comes first, as in transformers.
  const template = await readIfPresent(folder, 'chat_template.jinja');
  return parseTokenizerConfig(template === undefined ? (raw as RawConfig) : { ...raw, chat_template: template });
}

/** @throws CHECKPOINT_INVALID */
export function parseTokenizerConfig(raw: RawConfig): TokenizerConfig {
  const spellings = Object.entries(raw).flatMap(([role, value]): [string, string][] => {
    const spelling = typeof value === 'object' && value !== null ? (value as RawConfig).content : value;
    return role.endsWith('_token') && typeof spelling === 'string' ? [[role, spelling]] : [];
  });
  return {
    specialTokens: Object.fromEntries(spellings),
    chatTemplate: defaultTemplate(raw.chat_template),
    addBosToken: typeof raw.add_bos_token === 'boolean' ? raw.add_bos_token : undefined,
  };
}

/** One template, or a list of named ones of which the one called "default" is meant. */
function defaultTemplate(value: unknown): string | undefined {
  if (value === undefined || value === null || typeof value === 'string') return value ?? undefined;
  const named = (Array.isArray(value) ? value : []).filter(isRecord);
  const template = named.find((entry) => entry.name === 'default')?.template;
  if (typeof template === 'string') return template;
  const names = named.map(({ name }) => JSON.stringify(name)).join(', ');
  throw damaged(
    'tokenizer_config.json',
    `has a chat_template that is ${named.length > 0 ? `a list of ${names}` : typeof value}: expected a string, or a list with one named "default"`,
  );
}

/** The special tokens that stand before every text. */
export function openingTokens(postProcessor: unknown, { addBosToken, specialTokens }: TokenizerConfig): string[] {
  if (addBosToken !== undefined) return addBosToken && specialTokens.bos_token ? [specialTokens.bos_token] : [];
  const single = parts(postProcessor).find(({ type }) => type === 'TemplateProcessing')?.single;
  if (!Array.isArray(single)) return [];
  const ids = (single as readonly unknown[]).map((item) => {
    const token = isRecord(item) ? item.SpecialToken : undefined;
    return isRecord(token) ? token.id : undefined;
  });
  const text = ids.findIndex((id) => typeof id !== 'string');
  return ids.slice(0, text) as string[];
}

function isRecord(value: unknown): value is RawConfig {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

async function readIfPresent(folder: string, file: string): Promise<string | undefined> {
  try {
    const { size } = await stat(join(folder, file));
    if (size > MAX_FILE_BYTES) throw damaged(file, `has ${size} bytes: expected at most ${MAX_FILE_BYTES}`);
    return await readFile(join(folder, file), 'utf8');
  } catch (cause) {
    if (isSeamError(cause)) throw cause;
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw damaged(file, `cannot be read in ${folder}`, undefined, cause);
  }
}
