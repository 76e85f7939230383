export { S3Bucket } from './s3-bucket.js';
export { S3ObjectStore } from './s3-object-store.js';
export type { S3ObjectStoreOptions } from './s3-settings.js';
