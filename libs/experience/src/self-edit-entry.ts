/** A self-edit as an experience: an entry that holds one text, which may have line breaks. */
import type { JsonSchema } from '@seamstream/token-grammar';
import { checkEntry, entryText } from './entry.js';

/**
 * The entry's schema. The pattern allows line breaks and tabs, which an entry has nowhere else. With the escapes of JSON, 8,000
 * characters stay below the 16,384 that consumers read of an entry.
 */
export const EDIT_SCHEMA: JsonSchema = {
  type: 'object',
  properties: { edit: { type: 'string', pattern: '^[\\s\\S]*$', minLength: 1, maxLength: 8000 } },
  required: ['edit'],
  additionalProperties: false,
};

/**
 * The entry of an edit. Line ends become line feeds.
 * @throws ENTRY_INVALID for an empty text, one of more than 8,000 characters, and one with characters that a reader cannot see
 */
export function editEntry(text: string): string {
  return entryText({ edit: text.replaceAll(/\r\n?/g, '\n') }, EDIT_SCHEMA);
}

/** The text of an entry; '' for an empty entry, which has no edit. @throws ENTRY_INVALID for another entry */
export function editText(entry: string): string {
  if (entry === '') return '';
  return (checkEntry(entry, EDIT_SCHEMA) as { readonly edit: string }).edit;
}
