export { type EventFilter, isWanted, parseEventTypes } from './event-filter.js';
export { eventSummary, hexExcerpt, recordAsJson } from './event-summary.js';
export { parseStartPosition, type StartPosition } from './start-position.js';
export { DEFAULT_RECORDS, type Tail, type TailRequest, tailTopics } from './tail-topics.js';
export { resolveTopic } from './topic-name.js';
