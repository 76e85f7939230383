// A writer that is killed while it uploads in parts.
//   object-store-s3.child.mjs ENDPOINT BUCKET KEY BYTES   credentials and region come from the environment
import { S3ObjectStore } from '@seamstream/object-store-s3';

const [endpoint, bucket, key, size] = process.argv.slice(2);
const store = await S3ObjectStore.open({
  bucket,
  endpoint,
  pathStyle: true,
  multipartThresholdBytes: 0,
  partBytes: 5 * 1024 ** 2,
});
await store.put(key, new Uint8Array(Number(size)).fill(7), { ifMatch: 'absent' });
await store.close();
