/** The S3 driver on a real server: the port's promises, and what only S3 has. */
import { describeObjectStoreContract } from '@seamstream/object-store/contract';
import { type S3Bucket, s3Bucket } from '../support/s3-bucket.js';

let s3: S3Bucket;
beforeAll(async () => {
  s3 = await s3Bucket();
}, 300_000);
afterAll(() => s3.stop());

// versitygw keeps objects as files: what AWS allows below a key, it refuses.
const options = { rounds: 100, holdsKeyBelowKey: false };

describeObjectStoreContract(
  'the store in a bucket',
  async () => ({ open: () => s3.open(), dispose: async () => undefined }),
  options,
);

describeObjectStoreContract(
  'the store below a prefix, uploading in parts',
  async () => ({
    open: () => s3.open({ prefix: 'some/where', multipartThresholdBytes: 0, partBytes: 5 * 1024 ** 2 }),
    dispose: async () => undefined,
  }),
  { ...options, rounds: 10 },
);
