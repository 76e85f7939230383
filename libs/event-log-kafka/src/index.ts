export type { Acl, AclDifference, AclOperation, AclResource } from './acl-plan.js';
export { COMPRESSIONS, type Compression } from './compression.js';
export { KafkaEventLog, type KafkaEventLogOptions } from './kafka-event-log.js';
export type { KafkaLogSink } from './kafka-logger.js';
export type { KafkaSecurity } from './kafka-security.js';
export type { TopicDifference, WantedTopic } from './topic-plan.js';
