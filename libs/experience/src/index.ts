export { afterThinking } from './answer-form.js';
export { type ConversationSlot, loadConversationSlot } from './conversation-slot.js';
export { checkEntry, entryText, type ParsedEntry, parseEntry } from './entry.js';
export {
  DEFAULT_ENTRY_SCHEMA,
  domainEntrySchema,
  ENTRY_FIELDS,
  type EntryField,
  type FieldWords,
  schemaDigest,
} from './entry.schema.js';
export {
  type EntrySchemas,
  entrySchemas,
  loadEntrySchemas,
  selfEditNamed,
  TOOL_CONFIGURATION,
} from './entry-schemas.js';
export { type EntryWorth, entryWorth } from './entry-worth.js';
export { hasQuotes, isFaithful, type Misquote, misquoteIn, quotesIn } from './faithful.js';
export { groundedSchema, sampledUnder, type WrittenEntry } from './grounded-schema.js';
export { answersOf, givesAnswerAway, hasFindableAnswer, holdsAnswer, withoutAnswer } from './leaks.js';
export { earnsReward, MEMORY_ITEM_SCHEMA, memoryItemBlock, memoryItemIn } from './memory-item.js';
export { comparable } from './occurrence.js';
export { breakerOf } from './own-tokens.js';
export { asData } from './plain-data.js';
export { PromptTemplate } from './prompt-template.js';
export { type EntryWriter, loadPrompts, type PromptSettings, type Prompts } from './prompts.js';
export { type QuoteRules, quoteRulesOf, withoutQuoteRules } from './quote-rules.js';
export { EDIT_SCHEMA, editEntry, editText } from './self-edit-entry.js';
export { domainNames, loadTaskDomain, type TaskDomain } from './task-domain.js';
export { templateTexts } from './template-texts.js';
