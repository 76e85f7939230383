export { S3ObjectStore, type S3ObjectStoreOptions } from './s3-object-store.js';
