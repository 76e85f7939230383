export { trainByteLevelBpe } from './byte-level-bpe.js';
export type { ChatMessage, ChatOptions } from './chat-template.js';
export { type EncodeOptions, Tokenizer, type TokenizerSettings } from './tokenizer.js';
export { parseTokenizerConfig } from './tokenizer-config.js';
export type { TokenizerJson } from './tokenizer-json.js';
