/**
 * Immutable objects under slash-separated keys: adapters, buffer segments, manifests, checkpoints. A subset of S3's
 * model with its conditional writes, so that one writer of many wins.
 */

export interface ObjectInfo {
  readonly key: string;
  readonly sizeBytes: number;
  /** Changes whenever the content changes; only compared for equality. */
  readonly etag: string;
}

export interface PutOptions {
  /** `absent`: write only if the key does not exist; `{ etag }`: only if it still has this etag. PRECONDITION_FAILED otherwise. */
  readonly ifMatch?: 'absent' | { readonly etag: string };
  readonly contentType?: string;
}

/**
 * The port. Errors are SeamErrors: OBJECT_NOT_FOUND, PRECONDITION_FAILED, OBJECT_CORRUPT, OBJECT_STORE_UNAVAILABLE,
 * OBJECT_STORE_FULL, INVALID_INPUT (a key that is empty, absolute, has `.`/`..` or empty segments, segments above 200 or
 * altogether above 1024 characters, or characters outside `A-Z a-z 0-9 ! - _ . * ' ( ) / = %`; a range outside the object).
 */
export abstract class ObjectStore {
  /** Writes the whole object durably; a reader sees the old object or the new one, never a part. */
  abstract put(key: string, body: Uint8Array, options?: PutOptions): Promise<ObjectInfo>;

  /** The object, or the given half-open byte range of it. */
  abstract get(key: string, range?: { readonly from: number; readonly to: number }): Promise<Uint8Array>;

  /** Undefined when there is none. */
  abstract head(key: string): Promise<ObjectInfo | undefined>;

  /** Objects whose key starts with the prefix, in ascending order of their keys' UTF-8 bytes. */
  abstract list(prefix: string): AsyncIterable<ObjectInfo>;

  /** Deletes; an absent key is no error. */
  abstract delete(key: string): Promise<void>;

  abstract close(): Promise<void>;
}
