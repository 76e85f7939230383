export { type DecodedRecord, decodeRecord, type RecordFault } from './decode-record.js';
export {
  type Folded,
  foldProjection,
  type LogFold,
  presentRanges,
  type ReadingProgress,
  UNSHOWN,
} from './fold-projection.js';
export { NewEvents } from './new-events.js';
export {
  collectEvents,
  type EventChunk,
  type EventReadingOptions,
  eventOf,
  type PlacedEvent,
  type ReadingOptions,
  type RecordChunk,
  readEvents,
  readRecords,
  readTopics,
  type Undecodable,
} from './read-events.js';
export { readMerged } from './read-merged.js';
export type { ReadRange } from './read-range.js';
export { rangesSince, storedRanges } from './stored-ranges.js';
