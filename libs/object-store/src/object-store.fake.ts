import { SeamError, sha256 } from '@seamstream/kernel';
import { checkKey, checkPrefix, checkRange, objectNotFound, preconditionFailed } from './object-key.js';
import { type ObjectInfo, ObjectStore, type PutOptions } from './object-store.js';

/** What a bucket would keep; share one between stores that stand for several processes. */
export type InMemoryObjects = Map<string, { readonly body: Uint8Array; readonly etag: string }>;

/** The object store in memory: the port's whole behaviour without durability. */
export class InMemoryObjectStore extends ObjectStore {
  private isClosed = false;

  constructor(private readonly objects: InMemoryObjects = new Map()) {
    super();
  }

  override async put(key: string, body: Uint8Array, { ifMatch }: PutOptions = {}): Promise<ObjectInfo> {
    this.assertOpen();
    checkKey('put an object', key);
    const copy = new Uint8Array(body);
    const etag = sha256(copy);
    const present = this.objects.get(key)?.etag;
    const expected = ifMatch === 'absent' ? undefined : ifMatch?.etag;
    if (ifMatch && present !== expected) throw preconditionFailed(key, ifMatch, present);
    this.objects.set(key, { body: copy, etag });
    return { key, sizeBytes: copy.length, etag };
  }

  override async get(key: string, range?: { readonly from: number; readonly to: number }): Promise<Uint8Array> {
    this.assertOpen();
    checkKey('get an object', key);
    const object = this.objects.get(key);
    if (!object) throw objectNotFound(key);
    if (range) checkRange(key, range, object.body.length);
    return range ? object.body.slice(range.from, range.to) : object.body.slice();
  }

  override async head(key: string): Promise<ObjectInfo | undefined> {
    this.assertOpen();
    checkKey('look at an object', key);
    const object = this.objects.get(key);
    return object && { key, sizeBytes: object.body.length, etag: object.etag };
  }

  override async *list(prefix: string): AsyncIterable<ObjectInfo> {
    this.assertOpen();
    checkPrefix(prefix);
    // The alphabet is ASCII: order of code units is order of UTF-8 bytes.
    for (const key of [...this.objects.keys()].filter((candidate) => candidate.startsWith(prefix)).sort()) {
      const object = this.objects.get(key);
      if (object) yield { key, sizeBytes: object.body.length, etag: object.etag };
    }
  }

  override async delete(key: string): Promise<void> {
    this.assertOpen();
    checkKey('delete an object', key);
    this.objects.delete(key);
  }

  override async close(): Promise<void> {
    this.isClosed = true;
  }

  private assertOpen(): void {
    if (this.isClosed)
      throw new SeamError('OBJECT_STORE_UNAVAILABLE', 'Cannot use the object store: it was closed. Open it again.');
  }
}
