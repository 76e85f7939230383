/**
 * The object store in a folder, safe for several processes at once and for a kill at any moment, without locks.
 *
 *   data/<sha256>-<bytes>-<random>       content; written once, then synced; no one sees it before a version names it
 *   objects/<segment>/…/<last>@/<n>      version n of an object: a symbolic link to its content, or to "deleted"
 *   files/<segment>/…/<last>             a symbolic link to the newest content, for people and other programs; never read here
 *
 * An object is what its highest version names. A write creates version n + 1 after it saw version n as the highest;
 * creating a link is atomic and exclusive, so of several writers that saw the same version one succeeds, and the others look
 * again: that alone is every conditional write. Content of replaced versions is removed, their links are kept (the last
 * {@link KEPT_VERSIONS}), so that a writer that slept meanwhile cannot take an old number for a free one. `@` is no character
 * of a key, so `a` and `a/b` can both be objects.
 *
 * The tree files/ only follows: a writer that changed an object sets its link and then looks whether another version arrived meanwhile,
 * so the last to set it knows the newest. A writer that was killed before that leaves it behind, and the next to open the store
 * mends it; so it does in a store that has no files/ yet. An object whose name is also a folder of others has no link there.
 *
 * Content that no version names is what a killed writer left; it is never listed, and removed when a store is opened after
 * {@link FsObjectStoreOptions.sweepAfterMs}. A full read checks the content against its digest: OBJECT_CORRUPT.
 */
import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readlink, rm, stat, symlink } from 'node:fs/promises';
import { dirname, join, parse, relative, resolve } from 'node:path';
import { readRange, SeamError, sha256 } from '@seamstream/kernel';
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
import { makeFolders, syncFolder, translated, unlessExisting, unlessMissing } from './durable-files.js';

export interface FsObjectStoreOptions {
  /** Created when it does not exist. */
  readonly folder: string;
  /** Age in milliseconds at which content without a version counts as left behind; default ten minutes. */
  readonly sweepAfterMs?: number;
}

const DEFAULT_SWEEP_AFTER_MS = 10 * 60_000;
/** Links of replaced versions that are kept: a writer would have to sleep through so many writes to mistake one. */
const KEPT_VERSIONS = 100;
const DELETED = 'deleted';
const OBJECT_MARK = '@';
/** Why a link may be missing in files/: a name is a folder, the folder is read-only or full. */
const UNSHOWABLE: ReadonlySet<string> = new Set([
  'EISDIR',
  'ENOTDIR',
  'EEXIST',
  'EINVAL',
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOSPC',
  'EDQUOT',
]);

/** The highest version of an object. Number 0, without content, stands for an object that never was. */
interface Version {
  readonly number: number;
  readonly content: { readonly file: string; readonly etag: string; readonly sizeBytes: number } | undefined;
}

export class FsObjectStore extends ObjectStore {
  private isClosed = false;

  private constructor(private readonly folder: string) {
    super();
  }

  /** Opens, and creates, the store in a folder. OBJECT_STORE_UNAVAILABLE when the folder cannot be used. */
  static async open({ folder, sweepAfterMs = DEFAULT_SWEEP_AFTER_MS }: FsObjectStoreOptions): Promise<FsObjectStore> {
    const store = new FsObjectStore(folder);
    await store.attempt(`open the object store in ${folder}`, async () => {
      // Not by Node's `recursive`: below /proc, where nothing can be made, it tries for ever.
      const root = parse(resolve(folder)).root;
      for (const each of [store.dataFolder, store.objectFolder]) await makeFolders(root, resolve(each));
      await store.sweep(Date.now() - sweepAfterMs);
      await store.mendFiles();
    });
    return store;
  }

  override async put(key: string, body: Uint8Array, { ifMatch }: PutOptions = {}): Promise<ObjectInfo> {
    this.assertOpen();
    checkKey('put an object', key);
    const content = new Uint8Array(body); // the caller may change its own later
    const etag = sha256(content);
    return this.attempt(`put ${key}`, async () => {
      const before = await this.newest(key);
      checkCondition(key, ifMatch, before);
      const file = `${etag}-${content.length}-${randomBytes(8).toString('hex')}`;
      let replaced: Version;
      try {
        await this.writeContent(file, content);
        replaced = await this.addVersion(key, before, file, (present) => checkCondition(key, ifMatch, present));
      } catch (error) {
        await rm(join(this.dataFolder, file), { force: true });
        throw error;
      }
      await this.restoreIfSwept(file, content);
      await this.settle(key, replaced);
      return { key, sizeBytes: content.length, etag };
    });
  }

  override async get(key: string, range?: { readonly from: number; readonly to: number }): Promise<Uint8Array> {
    this.assertOpen();
    checkKey('get an object', key);
    return this.attempt(`get ${key}`, async () => {
      const { content, handle } = await this.openContent(key);
      try {
        if (range) checkRange(key, range, content.sizeBytes);
        const { from, to } = range ?? { from: 0, to: content.sizeBytes };
        const body = await readRange(handle, from, to - from);
        if (body.length < to - from)
          throw corrupt(key, `expected ${content.sizeBytes} bytes, the file ends after ${from + body.length}`);
        const isWhole = body.length === content.sizeBytes;
        if (isWhole && (await handle.stat()).size !== content.sizeBytes)
          throw corrupt(key, `its file is longer than its ${content.sizeBytes} bytes`);
        if (isWhole && sha256(body) !== content.etag) throw corrupt(key, 'its content does not match its digest');
        return body;
      } finally {
        await handle.close();
      }
    });
  }

  override async head(key: string): Promise<ObjectInfo | undefined> {
    this.assertOpen();
    checkKey('look at an object', key);
    return this.attempt(`look at ${key}`, async () => {
      const { content } = await this.newest(key);
      return content && { key, sizeBytes: content.sizeBytes, etag: content.etag };
    });
  }

  override async *list(prefix: string): AsyncIterable<ObjectInfo> {
    this.assertOpen();
    checkPrefix(prefix);
    for await (const key of this.keysBelow('', prefix)) {
      const info = await this.head(key);
      if (info) yield info;
    }
  }

  override async delete(key: string): Promise<void> {
    this.assertOpen();
    checkKey('delete an object', key);
    await this.attempt(`delete ${key}`, async () => {
      const before = await this.newest(key);
      if (before.content) await this.settle(key, await this.addVersion(key, before, undefined, () => undefined));
    });
  }

  override async close(): Promise<void> {
    this.isClosed = true;
  }

  private get dataFolder(): string {
    return join(this.folder, 'data');
  }

  private get objectFolder(): string {
    return join(this.folder, 'objects');
  }

  private get filesFolder(): string {
    return join(this.folder, 'files');
  }

  private versionFolder(key: string): string {
    return join(this.objectFolder, `${key}${OBJECT_MARK}`);
  }

  private async newest(key: string): Promise<Version> {
    for (;;) {
      const numbers = await versionNumbers(this.versionFolder(key));
      const number = numbers.at(-1);
      if (number === undefined) return { number: 0, content: undefined };
      const target = await unlessMissing(readlink(join(this.versionFolder(key), String(number))));
      if (target === undefined) continue; // so many versions later that its link was dropped
      return { number, content: contentOf(target) };
    }
  }

  /** Opens the newest content; a replacement between looking and opening means looking again. */
  private async openContent(key: string): Promise<{ content: NonNullable<Version['content']>; handle: FileHandle }> {
    let missing: string | undefined;
    for (;;) {
      const { content } = await this.newest(key);
      if (!content) throw objectNotFound(key);
      const handle = await unlessMissing(open(join(this.dataFolder, content.file), 'r'));
      if (handle) return { content, handle };
      if (missing === content.file) throw corrupt(key, 'its content is missing');
      missing = content.file;
    }
  }

  /**
   * Makes `file` (undefined: nothing) the object's newest version. `recheck` is asked again whenever another writer was
   * faster, and throws when that decides the matter. Answers the version that was replaced.
   */
  private async addVersion(
    key: string,
    seen: Version,
    file: string | undefined,
    recheck: (present: Version) => void,
  ): Promise<Version> {
    const folder = this.versionFolder(key);
    const target = file === undefined ? DELETED : relative(folder, join(this.dataFolder, file));
    await makeFolders(this.objectFolder, folder);
    for (let before = seen; ; ) {
      const link = join(folder, String(before.number + 1));
      if (await unlessExisting(symlink(target, link))) {
        // Numbers follow each other without gaps; a gap next to the new one says that it had been used and dropped.
        const numbers = await versionNumbers(folder);
        const own = before.number + 1;
        const isStale =
          (before.number > 0 && !numbers.includes(before.number)) ||
          (numbers.at(-1)! > own && !numbers.includes(own + 1));
        if (!isStale) return before;
        await rm(link, { force: true });
      }
      before = await this.newest(key);
      recheck(before);
      if (file === undefined && !before.content) return before;
    }
  }

  /** Makes the new version durable, then drops what it replaced. */
  private async settle(key: string, before: Version): Promise<void> {
    const folder = this.versionFolder(key);
    await syncFolder(folder);
    await this.showFile(key);
    if (before.content) await rm(join(this.dataFolder, before.content.file), { force: true });
    const limit = before.number - KEPT_VERSIONS;
    if (limit <= 0) return;
    for (const number of await versionNumbers(folder)) {
      if (number <= limit) await rm(join(folder, String(number)), { force: true });
    }
  }

  private async writeContent(file: string, content: Uint8Array): Promise<void> {
    const handle = await open(join(this.dataFolder, file), 'wx');
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await syncFolder(this.dataFolder);
  }

  /** A writer that slept between content and version may have had its content swept as left behind. */
  private async restoreIfSwept(file: string, content: Uint8Array): Promise<void> {
    if ((await unlessMissing(stat(join(this.dataFolder, file)))) === undefined) {
      await unlessExisting(this.writeContent(file, content));
    }
  }

  /** Removes content older than the given time (milliseconds since the epoch) that no object's newest version names. */
  private async sweep(olderThanMs: number): Promise<void> {
    const old: string[] = [];
    for (const file of await readdir(this.dataFolder)) {
      const info = await unlessMissing(stat(join(this.dataFolder, file)));
      if (info && info.mtimeMs < olderThanMs) old.push(file);
    }
    if (old.length === 0) return;
    const named = new Set<string>();
    for await (const key of this.keysBelow('', '')) {
      const { content } = await this.newest(key);
      if (content) named.add(content.file);
    }
    for (const file of old) if (!named.has(file)) await rm(join(this.dataFolder, file), { force: true });
  }

  /**
   * Makes files/ name an object's newest content. It is for others, so a file system that refuses it does not fail the change,
   * which is durable already.
   */
  private async showFile(key: string): Promise<void> {
    const link = join(this.filesFolder, key);
    try {
      for (;;) {
        const { content } = await this.newest(key);
        const target = content && relative(dirname(link), join(this.dataFolder, content.file));
        const shown = await unlessMissing(readlink(link));
        if (shown === target) return;
        if (shown !== undefined) await rm(link, { force: true });
        if (target === undefined) continue;
        await mkdir(dirname(link), { recursive: true });
        await unlessExisting(symlink(target, link));
      }
    } catch (error) {
      if (!UNSHOWABLE.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }

  /** Shows what a killed writer, or a release that had no files/, left unshown. */
  private async mendFiles(): Promise<void> {
    for await (const key of this.keysBelow('', '')) await this.showFile(key);
  }

  /** Keys of all objects, also deleted ones, below a folder ("" or "a/b/") that begin with the prefix; in order. */
  private async *keysBelow(folder: string, prefix: string): AsyncIterable<string> {
    const names = (await unlessMissing(readdir(join(this.objectFolder, folder)))) ?? [];
    // A folder sorts as its name with a slash, because that is how all its keys begin. ASCII: code units order as bytes do.
    const entries = names.map((name) => (name.endsWith(OBJECT_MARK) ? name.slice(0, -1) : `${name}/`)).sort();
    for (const entry of entries) {
      const path = `${folder}${entry}`;
      if (entry.endsWith('/')) {
        if (path.startsWith(prefix) || prefix.startsWith(path)) yield* this.keysBelow(path, prefix);
      } else if (path.startsWith(prefix)) {
        yield path;
      }
    }
  }

  private assertOpen(): void {
    if (this.isClosed)
      throw new SeamError('OBJECT_STORE_UNAVAILABLE', 'Cannot use the object store: it was closed. Open it again.');
  }

  private async attempt<T>(operation: string, action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      throw translated(error, operation, this.folder);
    }
  }
}

function checkCondition(key: string, ifMatch: PutOptions['ifMatch'], present: Version): void {
  if (ifMatch === undefined) return;
  const expected = ifMatch === 'absent' ? undefined : ifMatch.etag;
  if (present.content?.etag !== expected) throw preconditionFailed(key, ifMatch, present.content?.etag);
}

/** Content that a link's target names; undefined for a deleted object. */
function contentOf(target: string): Version['content'] {
  if (target === DELETED) return undefined;
  const file = target.slice(target.lastIndexOf('/') + 1);
  const [etag = '', size = ''] = file.split('-');
  return { file, etag, sizeBytes: Number(size) };
}

/** Ascending version numbers of an object; none when it never was. */
async function versionNumbers(folder: string): Promise<number[]> {
  const names = (await unlessMissing(readdir(folder))) ?? [];
  return names.map(Number).sort((a, b) => a - b);
}

function corrupt(key: string, why: string): SeamError {
  return new SeamError(
    'OBJECT_CORRUPT',
    `Cannot get ${key}: ${why}. The disk or another program changed it; restore it from a copy.`,
    {
      details: { key },
    },
  );
}
