export { type Clock, ManualClock, systemClock } from './clock.js';
export { canonicalJson, sha256 } from './digest.js';
export { ERROR_CODES, type ErrorCode, SeamError, type SeamErrorOptions, isSeamError, messageOf } from './errors.js';
export { derivedId, newId } from './ids.js';
export { Random } from './random.js';
