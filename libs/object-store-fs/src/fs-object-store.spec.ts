import { mkdtemp, open as openFile, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeObjectStoreContract } from '@seamstream/object-store/contract';
import { FsObjectStore, translated } from './fs-object-store.js';

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

  it('says that the folder is full or cannot be written', async () => {
    const code = (name: string) =>
      translated(Object.assign(new Error(`${name}: refused`), { code: name }), 'putting a', '/objects').code;
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
