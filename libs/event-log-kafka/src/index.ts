export type { Acl, AclDifference, AclOperation, AclResource } from './acl-plan.js';
export type { KafkaLogSink } from './broker-protocol.port.js';
export { COMPRESSIONS, type Compression } from './compression.js';
export { KafkaEventLog } from './kafka-event-log.js';
export type { KafkaEventLogOptions } from './kafka-log-options.js';
export type { KafkaSecurity } from './kafka-security.js';
export type { TopicDifference, WantedTopic } from './topic-plan.js';
