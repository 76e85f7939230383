/** An empty bucket on a real S3 server, with stores on it. */
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { type S3Address, testServers } from '@seamstream/dev-servers';
import { newId } from '@seamstream/kernel';
import { S3ObjectStore, type S3ObjectStoreOptions } from '@seamstream/object-store-s3';
import type { Environment } from '@seamstream/service-kit';

export interface S3Bucket {
  readonly address: S3Address;
  readonly bucket: string;
  /** What the SDK reads: credentials and region. */
  readonly credentials: Environment;
  /** The test's own client, next to the driver. */
  readonly client: S3Client;
  /** A store as another process would open it, with waits short enough for tests. */
  open(options?: Partial<S3ObjectStoreOptions>): Promise<S3ObjectStore>;
  stop(): Promise<void>;
}

/** Starts the server where none is given, and puts its credentials where the SDK's default chain looks first. */
export async function s3Bucket(): Promise<S3Bucket> {
  const servers = await testServers(['s3']);
  const { endpoint, region, accessKeyId, secretAccessKey } = servers.s3;
  const credentials = {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_REGION: region,
    // What this machine has configured for its user is not for tests.
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  Object.assign(process.env, credentials);
  const bucket = `seam-test-${newId().slice(-12)}`;
  const client = new S3Client({ endpoint, region, forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  return {
    address: servers.s3,
    bucket,
    credentials,
    client,
    open: (options = {}) =>
      S3ObjectStore.open({ bucket, endpoint, region, pathStyle: true, firstRetryMs: 5, maxRetryMs: 50, ...options }),
    stop: async () => {
      client.destroy();
      await servers.stop();
    },
  };
}
