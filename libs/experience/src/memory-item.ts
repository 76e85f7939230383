/**
 * SEAM's container: an entry that is one text between `<memory_item>` and `</memory_item>`. In SEAM's released code the tags
 * are part of free text and a regular expression looks for them. Here an entry is written under a schema, so the block is an object with
 * one text, which is placed between the tags in the executor's prompt. As in SEAM, a correct answer earns a reward if its block is
 * present and not blank.
 */
import { isSeamError } from '@seamstream/kernel';
import type { JsonSchema } from '@seamstream/token-grammar';
import { checkEntry } from './entry.js';
import { schemaDigest } from './entry.schema.js';

const FIELD = 'memory_item';

/** A reader takes `</MEMORY_ITEM >` and `< / memory_item>` for the block's end as well. */
const TAG_BEGINS = /<(?=[\s/]{0,8}memory_item\b)/gi;

/**
 * The container as an entry's schema. Its length is bounded so that an entry stays within what consumers read (16,384
 * characters with escapes); SEAM itself knows no bound but its 4,096 tokens.
 */
export const MEMORY_ITEM_SCHEMA: JsonSchema = {
  type: 'object',
  properties: { [FIELD]: { type: 'string', minLength: 1, maxLength: 8000 } },
  required: [FIELD],
  additionalProperties: false,
};

/** What stands between the tags: the first pair counts, across lines; undefined where there is none or it is blank. */
export function memoryItemIn(text: string): string | undefined {
  const open = text.indexOf('<memory_item>');
  const close = open < 0 ? -1 : text.indexOf('</memory_item>', open);
  if (close < 0) return undefined;
  const inner = text.slice(open + '<memory_item>'.length, close).trim();
  return inner === '' ? undefined : inner;
}

/** The entry as its block of text, or undefined for an entry in another container. Tags inside the text are broken, so that it cannot end its own block. */
export function memoryItemBlock(entry: string): string | undefined {
  const text = textOf(entry);
  return text === undefined ? undefined : `<memory_item>\n${text.replaceAll(TAG_BEGINS, '‹')}\n</memory_item>`;
}

/** Whether a correct answer with this entry earns its reward: the entry is valid, and in this container not blank. */
export function earnsReward(entry: string, schema: JsonSchema): boolean {
  try {
    checkEntry(entry, schema);
  } catch (error) {
    if (isSeamError(error, 'ENTRY_INVALID')) return false;
    throw error;
  }
  if (schemaDigest(schema) !== schemaDigest(MEMORY_ITEM_SCHEMA)) return true;
  return memoryItemIn(memoryItemBlock(entry) ?? '') !== undefined;
}

function textOf(entry: string): string | undefined {
  if (!entry.startsWith(`{"${FIELD}":`)) return undefined;
  try {
    const value = JSON.parse(entry) as Readonly<Record<string, unknown>>;
    const text = value[FIELD];
    return Object.keys(value).length === 1 && typeof text === 'string' ? text : undefined;
  } catch {
    return undefined;
  }
}
