/** The bucket itself: whether there is one, and making it. A bucket that exists is never changed. */
import { CreateBucketCommand, HeadBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { SeamError } from '@seamstream/kernel';
import { sdkRetryStrategy } from './retry.js';
import { factsOf, isMissing, translated } from './s3-error.js';
import { clientConfig, type S3ObjectStoreOptions, withDefaults } from './s3-settings.js';

export class S3Bucket {
  private constructor(
    readonly name: string,
    /** For messages. */
    private readonly place: string,
    private readonly client: S3Client,
  ) {}

  /** Asks no server yet. */
  static at(options: S3ObjectStoreOptions): S3Bucket {
    const settings = withDefaults(options);
    const { bucket, endpoint, maxAttempts } = settings;
    const client = new S3Client({
      ...clientConfig(settings),
      maxAttempts,
      retryStrategy: sdkRetryStrategy(settings),
    });
    return new S3Bucket(bucket, endpoint ?? 'AWS', client);
  }

  /** @throws OBJECT_STORE_UNAVAILABLE where the server does not answer, or does not let this client look */
  async exists(): Promise<boolean> {
    try {
      await this.client.send(new HeadBucketCommand({ Bucket: this.name }));
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw this.failed('look for', error);
    }
  }

  /**
   * Makes the bucket, in the region of the settings. One of one's own that is there already is no error.
   * @throws CONFLICT where another account has the name, OBJECT_STORE_UNAVAILABLE where the server does not answer or refuses
   */
  async make(): Promise<void> {
    try {
      await this.client.send(new CreateBucketCommand({ Bucket: this.name }));
    } catch (error) {
      const { name } = factsOf(error);
      if (name === 'BucketAlreadyOwnedByYou') return;
      if (name !== 'BucketAlreadyExists') throw this.failed('make', error);
      throw new SeamError(
        'CONFLICT',
        `Cannot make the bucket ${this.name} at ${this.place}: expected a free name, got one of another account. Choose another (SEAM_OBJECT_STORE_S3_BUCKET).`,
        { details: { bucket: this.name } },
      );
    }
  }

  close(): void {
    this.client.destroy();
  }

  private failed(deed: string, error: unknown): SeamError {
    return translated(error, `${deed} bucket ${this.name} at ${this.place}`, this.name, factsOf(error).attempts);
  }
}
