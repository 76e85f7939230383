export { consumerLag, type Waiting, waitingFor } from './consumer-lag.js';
export { ConsumerLoop, type GroupSeat } from './consumer-loop.js';
export { InMemoryEventLog } from './event-log.fake.js';
export {
  type Claim,
  type ConsumedOffset,
  type ConsumeOptions,
  EventLog,
  type Headers,
  type LogRecord,
  type NewRecord,
  type ReadOptions,
  type RecordBatch,
  type RecordPosition,
  type Subscription,
  type TopicSpec,
  type Transaction,
  type Watermarks,
} from './event-log.js';
export { ForwardingEventLog } from './forwarding-event-log.js';
export { InMemoryLogStorage } from './in-memory-log-storage.fake.js';
export { murmur2, partitionForKey } from './murmur2.js';
export {
  assignPartitions,
  type GroupMember,
  grantablePartitions,
  instanceName,
  parsePartitionName,
  partitionName,
} from './partition-assignment.js';
export { PastEventLog } from './past-event-log.js';
export {
  checkClaimedOffsets,
  checkClaimName,
  checkConsumeOptions,
  checkProgress,
  checkReadRange,
  checkRecord,
  checkTopicSpec,
  DEFAULT_CHUNK_RECORDS,
  followFrom,
  isHeaderName,
  MAX_RECORD_BYTES,
  offsetOutOfRange,
  partitionConflict,
  recordBytes,
  unknownTopic,
} from './record-rules.js';
export { stretchesOf } from './stretches.js';
