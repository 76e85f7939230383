export { applyBucket, compareBucket } from './bucket.js';
export { checkSchemas, type SchemaCheck, type SchemasWorld } from './check-schemas.js';
export { applyAcls, applyTopics, compareAcls, compareTopics, wantedAcls } from './cluster-changes.js';
