export { AT_MOST } from './finite-schema.js';
export type { JsonSchema } from './json-schema.types.js';
export { HIDDEN_CODE_POINTS, isPlainCodePoint } from './plain-text.js';
export { checkJsonSchema, compileGrammar, type GrammarOptions, isWritten } from './token-grammar.js';
export type { AllowedTokens, GrammarState, TokenGrammar } from './token-grammar.types.js';
