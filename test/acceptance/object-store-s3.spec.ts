/** The S3 driver on a real server: the port's promises, and what only S3 has. */
import { newId } from '@seamstream/kernel';
import { describeObjectStoreContract } from '@seamstream/object-store/contract';
import { commonConfigSchema, loadConfig, openBucket, openObjectStore } from '@seamstream/service-kit';
import { FaultProxy } from '../support/fault-proxy.js';
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

describe('the store that the configuration names', () => {
  const environment = (changes: Record<string, string> = {}) => ({
    SEAM_OBJECT_STORE_DRIVER: 's3',
    SEAM_OBJECT_STORE_S3_BUCKET: s3.bucket,
    SEAM_OBJECT_STORE_S3_PREFIX: `configured/${newId()}`,
    SEAM_OBJECT_STORE_S3_ENDPOINT: s3.address.endpoint,
    SEAM_OBJECT_STORE_S3_REGION: s3.address.region,
    SEAM_OBJECT_STORE_S3_PATH_STYLE: 'true',
    ...changes,
  });
  const open = (changes?: Record<string, string>) =>
    openObjectStore(loadConfig(commonConfigSchema, environment(changes)));

  it('is opened, and lies below its prefix', async () => {
    const prefix = `configured/${newId()}`;
    const store = await open({ SEAM_OBJECT_STORE_S3_PREFIX: prefix });
    await store.put('a/b', new TextEncoder().encode('x'));
    await store.close();
    const root = await s3.open();
    const keys: string[] = [];
    for await (const { key } of root.list(prefix)) keys.push(key);
    await root.close();
    expect(keys).toEqual([`${prefix}/a/b`]);
  });

  it('asks for encryption, sends a checksum and uses the path as configured', async () => {
    const proxy = await FaultProxy.start(s3.address.endpoint);
    const store = await open({
      SEAM_OBJECT_STORE_S3_ENDPOINT: proxy.endpoint,
      SEAM_OBJECT_STORE_S3_SERVER_SIDE_ENCRYPTION: 'aws:kms',
      SEAM_OBJECT_STORE_S3_KMS_KEY_ID: 'key-1',
      SEAM_OBJECT_STORE_S3_MULTIPART_THRESHOLD_BYTES: '1',
      SEAM_OBJECT_STORE_S3_PART_BYTES: String(5 * 1024 ** 2),
    });
    // The server of tests has no key management: what is asked of it is answered here.
    proxy.disturb(() => ({ kind: 'answer', status: 400, code: 'InvalidArgument' }));
    for (const size of [10, 6 * 1024 ** 2])
      await expect(store.put('a', new Uint8Array(size))).rejects.toMatchObject({ code: 'OBJECT_STORE_UNAVAILABLE' });
    const [inOne, inParts] = proxy.seen;
    for (const request of [inOne!, inParts!]) {
      expect(request.url.split('?')[0]).toMatch(new RegExp(`^/${s3.bucket}/configured/.*/a$`));
      expect(request.headers).toMatchObject({
        'x-amz-server-side-encryption': 'aws:kms',
        'x-amz-server-side-encryption-aws-kms-key-id': 'key-1',
      });
    }
    expect(inOne!.headers).toHaveProperty('x-amz-checksum-crc32');
    expect(inParts).toMatchObject({ method: 'POST', headers: { 'x-amz-checksum-algorithm': 'CRC32' } });
    await store.close();
    await proxy.stop();
  });

  it('is refused without a bucket', async () => {
    const incomplete = { ...environment(), SEAM_OBJECT_STORE_S3_BUCKET: undefined };
    await expect(openObjectStore(loadConfig(commonConfigSchema, incomplete))).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining('SEAM_OBJECT_STORE_S3_BUCKET is not set') as unknown,
    });
  });

  it('has a bucket that can be looked for and made, once', async () => {
    const named = (SEAM_OBJECT_STORE_S3_BUCKET: string) =>
      openBucket(loadConfig(commonConfigSchema, { ...environment(), SEAM_OBJECT_STORE_S3_BUCKET }));
    const bucket = await named(`made-${newId()}`);
    expect(await bucket.exists()).toBe(false);
    await bucket.make();
    expect(await bucket.exists()).toBe(true);
    await bucket.make();
    bucket.close();
    const nobody = await openBucket(
      loadConfig(commonConfigSchema, {
        ...environment(),
        SEAM_OBJECT_STORE_S3_ENDPOINT: 'http://127.0.0.1:1',
        SEAM_OBJECT_STORE_S3_MAX_ATTEMPTS: '1',
      }),
    );
    await expect(nobody.exists()).rejects.toMatchObject({ code: 'OBJECT_STORE_UNAVAILABLE' });
    nobody.close();
  });
});
