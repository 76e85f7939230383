export { textWithin } from './bounded-text.js';
export { type Clock, ManualClock, systemClock } from './clock.js';
export { type BackoffLimits, backoffMs, jitteredBackoffMs } from './concurrency/backoff.js';
export { ReadWriteLock } from './concurrency/read-write-lock.js';
export { Semaphore } from './concurrency/semaphore.js';
export { raceAbort, sleep, whenAborted, withDeadline } from './concurrency/waiting.js';
export { canonicalJson, sha256 } from './digest.js';
export {
  ERROR_CODES,
  type ErrorCode,
  isInputFault,
  isSeamError,
  messageOf,
  SeamError,
  type SeamErrorOptions,
} from './errors.js';
export { derivedId, newId } from './ids.js';
export { isoTimeOf } from './iso-time.js';
export { jsonText } from './json-text.js';
export { isLoopback, isPlaintextElsewhere } from './loopback.js';
export { didYouMean, isMeant, LEAST_OF_ID } from './meant.js';
export { onSupportedNode } from './node-version.js';
export { compareText } from './order.js';
export { keepFilesPrivate } from './private-files.js';
export { Random } from './random.js';
export { readRange } from './read-range.js';
export { clipped, onOneLine, withoutControls, withoutUrlSecrets } from './safe-text.js';
export { hashOf, type KeyHash } from './salted-hash.js';
export { signalGroup } from './signal-group.js';
export { systemFault, systemMeaning } from './system-fault.js';
export { unknownWordsOf } from './vocabulary.js';
export { bytes, count, excerpt, percent, plural, points, received, rounded, shortId } from './words.js';
