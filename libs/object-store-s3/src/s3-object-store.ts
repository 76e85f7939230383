/**
 * The object store in an S3 bucket.
 *
 * A conditional write is one request with If-None-Match or If-Match; the server decides. When its answer is lost, the next
 * try is refused although the first one won: every write carries its own id in the object's metadata, and a refused
 * writer that finds its own id there has won. (Where the winner's object was replaced before it could look, it gets
 * PRECONDITION_FAILED; reading again and merging is right then too.)
 *
 * The SHA-256 of the content is in the metadata as well and every whole read is checked against it, in addition to the checksum that
 * the SDK sends and the server verifies. Objects from elsewhere have no such digest and are checked as far as the server can.
 *
 * Etags are the server's. Under KMS encryption they change with every write, also of the same content.
 */
import { setTimeout as pause } from 'node:timers/promises';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type PutObjectCommandInput,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { messageOf, newId, SeamError, Semaphore, sha256 } from '@seamstream/kernel';
import {
  checkKey,
  checkPrefix,
  checkRange,
  type ObjectInfo,
  ObjectStore,
  objectNotFound,
  type PutOptions,
  preconditionFailed,
} from '@seamstream/object-store';
import { isWorthRetry, sdkRetryStrategy, waitBeforeRetry } from './retry.js';
import {
  Contended,
  DamagedTransfer,
  factsOf,
  isMissing,
  isRefusal,
  isTransient,
  isUnsatisfiableRange,
  translated,
} from './s3-error.js';
import {
  clientConfig,
  MAX_OPERATIONS,
  MAX_PARTS,
  type S3ObjectStoreOptions,
  type Settings,
  withDefaults,
} from './s3-settings.js';

/** S3's limit: https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html */
const MAX_PARTS_OF_UPLOAD = 10_000;
/** Names of the metadata, `x-amz-meta-…` on the wire. */
const WRITE_ID = 'seam-write-id';
const DIGEST = 'seam-sha256';
type Condition = NonNullable<PutOptions['ifMatch']>;

export class S3ObjectStore extends ObjectStore {
  private isClosed = false;
  private readonly operations = new Semaphore(MAX_OPERATIONS);

  private constructor(
    private readonly settings: Settings,
    /** Sends each request once; {@link attempt} tries again. */
    private readonly client: S3Client,
    /** Tries each request again by itself: a lost part is no reason to restart an upload. */
    private readonly partsClient: S3Client,
  ) {
    super();
  }

  /**
   * Opens the store in a bucket, and aborts uploads that were left behind below its prefix.
   * @throws INVALID_CONFIGURATION when there is no such bucket or no access to it
   * @throws OBJECT_STORE_UNAVAILABLE when the server does not answer
   */
  static async open(options: S3ObjectStoreOptions): Promise<S3ObjectStore> {
    const settings = withDefaults(options);
    const config = clientConfig(settings);
    const store = new S3ObjectStore(
      settings,
      new S3Client({ ...config, maxAttempts: 1 }),
      new S3Client({ ...config, maxAttempts: settings.maxAttempts, retryStrategy: sdkRetryStrategy(settings) }),
    );
    const { bucket, endpoint } = settings;
    try {
      await store.attempt(
        `open bucket ${bucket} at ${endpoint ?? 'AWS'}`,
        () => store.client.send(new HeadBucketCommand({ Bucket: bucket })),
        (error) => notOpened(error, bucket, endpoint),
      );
      await store.sweepUploads(new Date(Date.now() - settings.sweepAfterMs));
    } catch (error) {
      await store.close();
      throw error;
    }
    return store;
  }

  override async put(key: string, body: Uint8Array, { ifMatch, contentType }: PutOptions = {}): Promise<ObjectInfo> {
    this.assertOpen();
    checkKey('put an object', key);
    const content = new Uint8Array(body); // the caller may change its own later
    const writeId = newId();
    const { bucket, serverSideEncryption, kmsKeyId } = this.settings;
    const request: PutObjectCommandInput = {
      Bucket: bucket,
      Key: this.fullKey(key),
      Body: content,
      ChecksumAlgorithm: 'CRC32',
      Metadata: { [WRITE_ID]: writeId, [DIGEST]: sha256(content) },
      ...(contentType === undefined ? {} : { ContentType: contentType }),
      ...(serverSideEncryption === undefined ? {} : { ServerSideEncryption: serverSideEncryption }),
      ...(kmsKeyId === undefined ? {} : { SSEKMSKeyId: kmsKeyId }),
      ...(ifMatch === undefined ? {} : ifMatch === 'absent' ? { IfNoneMatch: '*' } : { IfMatch: `"${ifMatch.etag}"` }),
    };
    return this.attempt(
      `put ${key}`,
      async () => {
        try {
          return { key, sizeBytes: content.length, etag: await this.upload(request, content) };
        } catch (error) {
          // No answer may also be a refusal that broke off: servers refuse before they have read a large body.
          if (!isRefusal(error) && (ifMatch === undefined || !isTransient(error))) throw error;
          const present = await this.look(key);
          if (present?.writeId === writeId) return present.info;
          if (ifMatch !== undefined && present?.info.etag !== etagOf(ifMatch))
            throw preconditionFailed(key, ifMatch, present?.info.etag);
          throw isRefusal(error) ? new Contended(messageOf(error)) : error;
        }
      },
      ifMatch && ((error) => (error instanceof Contended ? stillContended(key, error) : undefined)),
    );
  }

  override async get(key: string, range?: { readonly from: number; readonly to: number }): Promise<Uint8Array> {
    this.assertOpen();
    checkKey('get an object', key);
    return this.attempt(`get ${key}`, async () => {
      if (range && !isOrdinary(range)) {
        checkRange(key, range, (await this.present(key)).sizeBytes);
        return new Uint8Array(0);
      }
      try {
        return await this.download(key, range);
      } catch (error) {
        if (isMissing(error)) throw objectNotFound(key);
        if (range && isUnsatisfiableRange(error)) checkRange(key, range, (await this.present(key)).sizeBytes);
        throw error;
      }
    });
  }

  override async head(key: string): Promise<ObjectInfo | undefined> {
    this.assertOpen();
    checkKey('look at an object', key);
    return (await this.attempt(`look at ${key}`, () => this.look(key)))?.info;
  }

  override async *list(prefix: string): AsyncIterable<ObjectInfo> {
    this.assertOpen();
    checkPrefix(prefix);
    const { bucket } = this.settings;
    const root = this.fullKey('');
    let continuation: string | undefined;
    do {
      const token = continuation;
      const page = await this.attempt(`list objects that begin with "${prefix}"`, () =>
        this.client.send(
          new ListObjectsV2Command({
            Bucket: bucket,
            Prefix: root + prefix,
            ...(token === undefined ? {} : { ContinuationToken: token }),
          }),
        ),
      );
      for (const { Key: key = '', Size: sizeBytes = 0, ETag: etag } of page.Contents ?? []) {
        // Other tools mark folders by empty objects whose key ends with a slash: no key of ours.
        if (!key.endsWith('/')) yield { key: key.slice(root.length), sizeBytes, etag: unquoted(etag) };
      }
      continuation = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    } while (continuation !== undefined);
  }

  override async delete(key: string): Promise<void> {
    this.assertOpen();
    checkKey('delete an object', key);
    await this.attempt(`delete ${key}`, async () => {
      try {
        await this.client.send(new DeleteObjectCommand({ Bucket: this.settings.bucket, Key: this.fullKey(key) }));
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    });
  }

  override async close(): Promise<void> {
    this.isClosed = true;
    this.client.destroy();
    this.partsClient.destroy();
  }

  /**
   * Aborts what killed writers left: parts cost storage and are in no listing. Without permission to, it is left undone; so it
   * is without a prefix, since nothing else that a listing of uploads says would tell ours from another application's.
   */
  private async sweepUploads(begunBefore: Date): Promise<void> {
    const { bucket, prefix } = this.settings;
    if (prefix === '') return;
    let markers: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined;
    do {
      const after = markers;
      const page = await this.attempt('look for uploads left behind', async () => {
        try {
          return await this.client.send(
            new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: this.fullKey(''), ...after }),
          );
        } catch (error) {
          const { status = 0 } = factsOf(error);
          if (status === 403 || status === 405 || status === 501) return undefined;
          throw error;
        }
      });
      for (const { Key, UploadId, Initiated } of page?.Uploads ?? []) {
        if (Initiated === undefined || Initiated >= begunBefore) continue;
        await this.attempt(`abort the upload of ${Key ?? ''}`, async () => {
          await this.partsClient
            .send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }))
            .catch((error: unknown) => {
              if (factsOf(error).name !== 'NoSuchUpload') throw error; // another caller was quicker
            });
        });
      }
      markers =
        page?.IsTruncated === true
          ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
          : undefined;
    } while (markers !== undefined);
  }

  /** The new object's etag. A failed upload in parts is aborted, as far as the server can be reached. */
  private async upload(request: PutObjectCommandInput, content: Uint8Array): Promise<string> {
    const { multipartThresholdBytes, partBytes } = this.settings;
    if (content.length <= Math.max(multipartThresholdBytes, partBytes)) {
      return unquoted((await this.client.send(new PutObjectCommand(request))).ETag);
    }
    const upload = new Upload({
      client: this.partsClient,
      params: request,
      partSize: Math.max(partBytes, Math.ceil(content.length / MAX_PARTS_OF_UPLOAD)),
      queueSize: MAX_PARTS,
    });
    return unquoted((await upload.done()).ETag);
  }

  private async download(key: string, range: { from: number; to: number } | undefined): Promise<Uint8Array> {
    const response = await this.client.send(
      new GetObjectCommand({
        Bucket: this.settings.bucket,
        Key: this.fullKey(key),
        ChecksumMode: 'ENABLED',
        ...(range ? { Range: `bytes=${range.from}-${range.to - 1}` } : {}),
      }),
    );
    const total = range ? Number(response.ContentRange?.split('/')[1]) : response.ContentLength;
    if (range && total !== undefined) checkRange(key, range, total);
    const expected = range ? range.to - range.from : total;
    const body = await readWhole(response.Body);
    if (body.length !== expected)
      throw new DamagedTransfer(`expected ${expected ?? 'a known number of'} bytes, got ${body.length}`);
    const digest = range ? undefined : response.Metadata?.[DIGEST];
    if (digest !== undefined && sha256(body) !== digest)
      throw new DamagedTransfer(`expected content with SHA-256 ${digest}, got ${sha256(body)}`);
    return body;
  }

  /** What a HEAD request returns, tried once. */
  private async look(key: string): Promise<{ info: ObjectInfo; writeId: string | undefined } | undefined> {
    try {
      const { ContentLength, ETag, Metadata } = await this.client.send(
        new HeadObjectCommand({ Bucket: this.settings.bucket, Key: this.fullKey(key) }),
      );
      return {
        info: { key, sizeBytes: ContentLength ?? 0, etag: unquoted(ETag) },
        writeId: Metadata?.[WRITE_ID],
      };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  private async present(key: string): Promise<ObjectInfo> {
    const found = await this.look(key);
    if (!found) throw objectNotFound(key);
    return found.info;
  }

  private fullKey(key: string): string {
    const { prefix } = this.settings;
    return prefix === '' ? key : `${prefix}/${key}`;
  }

  private assertOpen(): void {
    if (this.isClosed)
      throw new SeamError('OBJECT_STORE_UNAVAILABLE', 'Cannot use the object store: it was closed. Open it again.');
  }

  /** Tries until it succeeds, is refused for good, or was tried often enough; `meaning` may know the last error better. */
  private async attempt<T>(
    operation: string,
    action: () => Promise<T>,
    meaning?: (error: unknown) => SeamError | undefined,
  ): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.operations.run(action);
      } catch (error) {
        if (this.isClosed || !isWorthRetry(error, tries, this.settings))
          throw meaning?.(error) ?? translated(error, operation, this.settings.bucket, tries);
      }
      await pause(waitBeforeRetry(tries, Math.random(), this.settings));
    }
  }
}

async function readWhole(stream: { transformToByteArray(): Promise<Uint8Array> } | undefined): Promise<Uint8Array> {
  if (stream === undefined) return new Uint8Array(0);
  try {
    const body = await stream.transformToByteArray();
    return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  } catch (error) {
    // The SDK's own check of the server's checksum has no name to know it by.
    if (/checksum mismatch/i.test(messageOf(error))) throw new DamagedTransfer(messageOf(error));
    throw error;
  }
}

/** Undefined for what may pass: then the server is unavailable. */
function notOpened(error: unknown, bucket: string, endpoint: string | undefined): SeamError | undefined {
  if (isTransient(error)) return undefined;
  const { cause, details, message } = translated(error, `open bucket ${bucket} at ${endpoint ?? 'AWS'}`, bucket, 1);
  const advice = isMissing(error) ? ' There is no such bucket: create it, or correct SEAM_OBJECT_STORE_S3_BUCKET.' : '';
  return new SeamError('INVALID_CONFIGURATION', `${message}${advice}`, { cause, details });
}

function stillContended(key: string, error: Contended): SeamError {
  return new SeamError(
    'PRECONDITION_FAILED',
    `Cannot put ${key}: other conditional writes of it were under way at every try (${error.message}). Read it again, merge, and try again.`,
    { details: { key } },
  );
}

/** A range that can be asked for in HTTP: not empty, and its bounds are whole numbers from 0. */
function isOrdinary({ from, to }: { readonly from: number; readonly to: number }): boolean {
  return Number.isSafeInteger(from) && Number.isSafeInteger(to) && from >= 0 && to > from;
}

function etagOf(condition: Condition): string | undefined {
  return condition === 'absent' ? undefined : condition.etag;
}

function unquoted(etag: string | undefined): string {
  return (etag ?? '').replace(/^"|"$/g, '');
}
