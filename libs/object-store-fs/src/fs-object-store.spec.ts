import {
  mkdtemp,
  open as openFile,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeObjectStoreContract } from '@seamstream/object-store/contract';
import { translated } from './durable-files.js';
import { FsObjectStore } from './fs-object-store.js';

const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);
const newFolder = () => mkdtemp(join(tmpdir(), 'object-store-'));

describeObjectStoreContract('the store in a folder', async () => {
  const folder = await newFolder();
  return { open: () => FsObjectStore.open({ folder }), dispose: () => rm(folder, { recursive: true }) };
});

describe('FsObjectStore', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await newFolder();
  });
  afterEach(() => rm(folder, { recursive: true }));
  const contents = () => readdir(join(folder, 'data'));

  it('keeps the content of the newest version only', async () => {
    const store = await FsObjectStore.open({ folder });
    for (let version = 0; version < 5; version++) await store.put('a/b', bytes(`version ${version}`));
    expect(await contents()).toHaveLength(1);
    await store.delete('a/b');
    expect(await contents()).toEqual([]);
  });

  it('uses the SHA-256 of the content as its etag', async () => {
    const store = await FsObjectStore.open({ folder });
    // FIPS 180-2, appendix B.1
    expect((await store.put('a', bytes('abc'))).etag).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });

  it('never lists what a killed writer left, and removes it once it is old', async () => {
    const store = await FsObjectStore.open({ folder });
    await store.put('kept', bytes('kept'));
    await writeFile(join(folder, 'data', `${'0'.repeat(64)}-100-abc`), 'half of it');
    const [old, fresh] = [new Date(Date.now() - 3_600_000), new Date()];
    for (const name of await contents()) await utimes(join(folder, 'data', name), old, old);
    await writeFile(join(folder, 'data', `${'1'.repeat(64)}-100-def`), 'being written');
    await utimes(join(folder, 'data', `${'1'.repeat(64)}-100-def`), fresh, fresh);
    const reopened = await FsObjectStore.open({ folder });
    const keys: string[] = [];
    for await (const { key } of reopened.list('')) keys.push(key);
    expect(keys).toEqual(['kept']);
    expect((await contents()).filter((name) => name.startsWith('0000'))).toEqual([]);
    expect((await contents()).filter((name) => name.startsWith('1111'))).toHaveLength(1);
    expect(Buffer.from(await reopened.get('kept')).toString()).toBe('kept');
  });

  it('finds every flipped bit and every missing or added byte', async () => {
    const store = await FsObjectStore.open({ folder });
    const body = Uint8Array.from({ length: 64 }, (_, index) => index * 3);
    await store.put('a', body);
    const file = join(folder, 'data', (await contents())[0]!);
    const sound = await readFile(file);
    for (let bit = 0; bit < sound.length * 8; bit += 7) {
      const flipped = Buffer.from(sound);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      await writeFile(file, flipped);
      await expect(store.get('a')).rejects.toMatchObject({ code: 'OBJECT_CORRUPT', details: { key: 'a' } });
    }
    await writeFile(file, sound);
    await truncate(file, 63);
    await expect(store.get('a')).rejects.toMatchObject({ code: 'OBJECT_CORRUPT' });
    await writeFile(file, Buffer.concat([sound, Buffer.from('x')]));
    await expect(store.get('a')).rejects.toMatchObject({ code: 'OBJECT_CORRUPT' });
    await rm(file);
    await expect(store.get('a')).rejects.toMatchObject({ code: 'OBJECT_CORRUPT' });
    await writeFile(file, sound);
    expect(await store.get('a')).toEqual(body);
  });

  it('drops the links of long replaced versions and still counts on', async () => {
    const store = await FsObjectStore.open({ folder });
    for (let version = 1; version <= 110; version++) await store.put('a', bytes(`${version}`));
    const numbers = (await readdir(join(folder, 'objects', 'a@'))).map(Number);
    expect([Math.max(...numbers), numbers.length]).toEqual([110, 101]);
    expect(Buffer.from(await store.get('a')).toString()).toBe('110');
  });

  describe('files/, for other programs', () => {
    const shown = async () => {
      const names: Record<string, string> = {};
      for (const entry of await readdir(join(folder, 'files'), { recursive: true, withFileTypes: true }).catch(
        () => [],
      ))
        if (!entry.isDirectory()) {
          const path = join(entry.parentPath, entry.name);
          names[path.slice(join(folder, 'files').length + 1)] = await readFile(path, 'utf8');
        }
      return names;
    };

    it('has every object under its own name with its newest content', async () => {
      const store = await FsObjectStore.open({ folder });
      await store.put('b/domain=x/part-0.parquet', bytes('one'));
      await store.put('b/domain=x/part-0.parquet', bytes('two'));
      await store.put('adapter.safetensors', bytes('three'));
      await store.put('gone', bytes('four'));
      await store.delete('gone');
      expect(await shown()).toEqual({ 'b/domain=x/part-0.parquet': 'two', 'adapter.safetensors': 'three' });
      expect(await readlink(join(folder, 'files', 'adapter.safetensors'))).not.toMatch(/^\//);
    });

    it('is made for a store that has none, and mended where a writer was killed', async () => {
      const store = await FsObjectStore.open({ folder });
      for (const key of ['a/one', 'a/two', 'three']) await store.put(key, bytes(`first of ${key}`));
      await rm(join(folder, 'files'), { recursive: true });
      await FsObjectStore.open({ folder });
      const whole = { 'a/one': 'first of a/one', 'a/two': 'first of a/two', three: 'first of three' };
      expect(await shown()).toEqual(whole);
      const before = await readlink(join(folder, 'files', 'three'));
      await store.put('three', bytes('second'));
      await rm(join(folder, 'files', 'three'));
      await symlink(before, join(folder, 'files', 'three'));
      await FsObjectStore.open({ folder });
      expect(await shown()).toEqual({ ...whole, three: 'second' });
    });

    it('ends with the newest content however many write and mend at once', async () => {
      const store = await FsObjectStore.open({ folder });
      for (let round = 0; round < 20; round++) {
        await Promise.all([
          ...Array.from({ length: 4 }, (_, writer) => store.put('a/b', bytes(`${round}/${writer}`))),
          FsObjectStore.open({ folder }),
          ...(round % 3 === 0 ? [store.delete('a/b')] : []),
        ]);
        const newest = await store.head('a/b');
        expect(await shown()).toEqual(
          newest === undefined ? {} : { 'a/b': Buffer.from(await store.get('a/b')).toString() },
        );
      }
    });

    it('is left out where a name is a folder too, or nothing can be written, and the object is there all the same', async () => {
      const store = await FsObjectStore.open({ folder });
      await store.put('a', bytes('file'));
      await store.put('a/b', bytes('below'));
      await store.put('c/d', bytes('below'));
      await store.put('c', bytes('file'));
      expect(await shown()).toEqual({ a: 'file', 'c/d': 'below' });
      expect(Buffer.from(await store.get('a/b')).toString()).toBe('below');
      expect(Buffer.from(await store.get('c')).toString()).toBe('file');
      await rm(join(folder, 'files'), { recursive: true });
      await openFile(join(folder, 'files'), 'w').then((handle) => handle.close());
      await store.put('e', bytes('written'));
      expect(Buffer.from(await (await FsObjectStore.open({ folder })).get('e')).toString()).toBe('written');
    });
  });

  it('says that the folder is full or cannot be written', async () => {
    const code = (name: string) =>
      translated(Object.assign(new Error(`${name}: refused`), { code: name }), 'put a', '/objects').code;
    expect(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EIO'].map(code)).toEqual([
      'OBJECT_STORE_FULL',
      'OBJECT_STORE_FULL',
      'OBJECT_STORE_UNAVAILABLE',
      'OBJECT_STORE_UNAVAILABLE',
      'OBJECT_STORE_UNAVAILABLE',
    ]);
    const file = join(folder, 'file');
    await (await openFile(file, 'w')).close();
    expect((await stat(file)).isFile()).toBe(true);
    await expect(FsObjectStore.open({ folder: '/proc/nope/objects' })).rejects.toMatchObject({
      code: 'OBJECT_STORE_UNAVAILABLE',
      message: expect.stringContaining("mkdir '/proc/nope'"),
    });
    await expect(FsObjectStore.open({ folder: join(file, 'below') })).rejects.toMatchObject({
      code: 'OBJECT_STORE_UNAVAILABLE',
    });
  });
});
