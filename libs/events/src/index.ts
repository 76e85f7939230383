export {
  decodeEvent,
  type EncodedEvent,
  type EncodedRecord,
  type EventSchema,
  encodeEvent,
  eventSchemas,
  learnSchema,
} from './codec.js';
export * from './generated/events.generated.js';
export {
  type Derivation,
  deriveMeta,
  experienceIdOf,
  groupIdOf,
  leastTrusted,
  type Origin,
  originMeta,
} from './meta.js';
