export {
  copiedFields,
  decodeEvent,
  type EncodedEvent,
  type EncodedRecord,
  type EventSchema,
  encodeEvent,
  eventSchemas,
  eventWindow,
  learnSchema,
} from './codec.js';
export type { CopiedFields, EncodedPart, EventWindow } from './encoded-fields.js';
export * from './generated/events.generated.js';
export { GROUP } from './groups.js';
export {
  type Derivation,
  deriveMeta,
  experienceIdOf,
  groupIdOf,
  leastTrusted,
  type Origin,
  originMeta,
} from './meta.js';
export { GENERATOR_SLOT, SEAM_METHOD } from './slots.js';
