export { ConfluentSchemaRegistry, type ConfluentSchemaRegistryOptions } from './confluent-schema-registry.js';
export { FramedEventLog, type FramedEventLogOptions } from './framed-event-log.js';
export { KnownSchemas, subjectOf } from './known-schemas.js';
export { InMemorySchemaRegistry } from './schema-registry.fake.js';
export { type RegisteredSchema, SchemaRegistry } from './schema-registry.js';
