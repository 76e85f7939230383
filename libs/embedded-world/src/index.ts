export { DOMAINS, loreOf, SHIFTED_DOMAINS } from './domains.js';
export { entrySchemaFor, followEntry, goldEntry, randomEntry, type WorldEntry } from './entries.js';
export type { Lore, PitfallSentence, Solution, Told, WorldVariant } from './lore/lore.js';
export { type Wording, type WorldRequest, type WorldSplit, wordingOf, worldProblems } from './problems.js';
export { SHIPPED_MODELS, unknownWords } from './vocabulary.js';
export {
  type AskedModel,
  adviceKnowledge,
  type PartnerKnowledge,
  partnerKnowledge,
  type WordKnowledge,
} from './word-knowledge.js';
