/** An entry in the conversation of a client: one delimited block for the system's message, and nothing else of the request. */
import { checkEntryLength } from './entry.js';
import { TEMPLATES } from './executor-template.js';
import { memoryItemBlock } from './memory-item.js';
import { asData } from './plain-data.js';
import { PromptTemplate } from './prompt-template.js';
import { onOneLine, withoutAddresses } from './slot.js';

/** A reader takes `</ADVICE >` and `< / advice>` for the block's end as well. */
const TAG_BEGINS = /<(?=[\s/]{0,8}advice\b)/gi;

export interface ConversationSlot {
  /** SHA-256 of the template: part of the executor's identity. */
  readonly digest: string;
  /**
   * The block. Hidden characters, control tokens, addresses and the block's own tags are broken in the entry, so that it cannot leave it.
   * @throws ENTRY_INVALID for an entry that is too long for any
   */
  blockOf(entry: string): string;
}

/** Reads the template. @throws INVALID_CONFIGURATION where it is not there */
export async function loadConversationSlot(): Promise<ConversationSlot> {
  const template = await PromptTemplate.load(new URL('conversation.txt', TEMPLATES), ['entry']);
  return {
    digest: template.digest,
    blockOf(entry) {
      checkEntryLength(entry);
      const text = onOneLine(withoutAddresses(asData(memoryItemBlock(entry) ?? entry)));
      return template.render({ entry: text.replaceAll(TAG_BEGINS, '‹') });
    },
  };
}
