export { decodeEvent, type EncodedEvent, type EncodedRecord, encodeEvent } from './codec.js';
export * from './generated/events.generated.js';
export { type Derivation, deriveMeta, leastTrusted, type Origin, originMeta } from './meta.js';
