/** Models in the object store: what is fetched is what was pushed, to the last byte, or nothing. */
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { fetchModel, pushModel } from './exchange-models.js';

/** Several parts of the file of weights. */
const PARTS = { partBytes: 1000 };
const WEIGHTS = Buffer.from(Array.from({ length: 3500 }, (_, index) => index % 251));

let folder: string;
let model: string;
let objects: InMemoryObjectStore;
const stop = new AbortController();
const world = () => ({ openObjects: () => Promise.resolve(objects), signal: stop.signal });
const cache = () => join(folder, 'cache');

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'exchange-models-'));
  model = join(folder, 'model');
  objects = new InMemoryObjectStore();
  await mkdir(join(model, '.git'), { recursive: true });
  await writeFile(join(model, 'config.json'), '{"model_type":"llama"}');
  await writeFile(join(model, 'model.safetensors'), WEIGHTS);
  await writeFile(join(model, 'empty.txt'), '');
});
afterEach(() => rm(folder, { recursive: true }));

const keys = async (): Promise<readonly string[]> => {
  const found: string[] = [];
  for await (const { key } of objects.list('')) found.push(key);
  return found;
};

describe('a model in the object store', () => {
  it('is fetched as it was pushed, by the digest of all of its files', async () => {
    const pushed = await pushModel(world(), model, PARTS);
    expect(pushed).toMatchObject({ files: ['config.json', 'empty.txt', 'model.safetensors'], sizeBytes: 3522 });
    const fetched = await fetchModel(world(), { digest: pushed.digest, into: cache() });
    expect(fetched).toEqual({
      digest: pushed.digest,
      folder: join(cache(), pushed.digest),
      sizeBytes: 3522,
      isNew: true,
    });
    for (const name of pushed.files)
      expect(await readFile(join(fetched.folder, name))).toEqual(await readFile(join(model, name)));
    expect(await readdir(cache())).toEqual([pushed.digest]);
  });

  it('has another digest when any file is another, its tokenizer too, and shares what is the same', async () => {
    const { digest } = await pushModel(world(), model, PARTS);
    const before = await keys();
    expect(await pushModel(world(), model, PARTS)).toMatchObject({ digest });
    expect(await keys()).toEqual(before);
    await writeFile(join(model, 'tokenizer.json'), '{}');
    expect((await pushModel(world(), model, PARTS)).digest).not.toBe(digest);
    expect(await keys()).toHaveLength(before.length + 2);
  });

  it('is not fetched again where it is, and is where a byte of it is damaged, missing or too many', async () => {
    const { digest } = await pushModel(world(), model, PARTS);
    const fetch = () => fetchModel(world(), { digest, into: cache() });
    const { folder: held } = await fetch();
    expect(await fetch()).toMatchObject({ isNew: false });
    const weights = join(held, 'model.safetensors');
    const damages = [
      () =>
        writeFile(
          weights,
          WEIGHTS.map((byte, index) => (index === 3499 ? byte ^ 1 : byte)),
        ),
      () => truncate(weights, 3000),
      () => writeFile(weights, Buffer.concat([WEIGHTS, Buffer.from('x')])),
      () => rm(weights),
      () => writeFile(join(held, 'empty.txt'), 'x'),
    ];
    for (const damage of damages) {
      await damage();
      expect(await fetch()).toMatchObject({ isNew: true });
      expect(await readFile(weights)).toEqual(WEIGHTS);
      expect(await fetch()).toMatchObject({ isNew: false });
    }
  });

  it('is fetched by several at once into one place', async () => {
    const { digest } = await pushModel(world(), model, PARTS);
    await Promise.all(Array.from({ length: 4 }, () => fetchModel(world(), { digest, into: cache() })));
    expect(await readdir(cache())).toEqual([digest]);
    expect(await readFile(join(cache(), digest, 'model.safetensors'))).toEqual(WEIGHTS);
  });

  it.each([
    ['its list', (digest: string) => `models/${digest}.json`],
    ['a part of it', (_digest: string, part: string) => part],
  ])('is refused where the store holds something else as %s, and nothing is left', async (_what, keyOf) => {
    const { digest } = await pushModel(world(), model, PARTS);
    const part = (await keys()).find((key) => key.startsWith('models/parts/'))!;
    const key = keyOf(digest, part);
    const bytes = Buffer.from(await objects.get(key));
    bytes[0]! ^= 1;
    await objects.put(key, bytes);
    await expect(fetchModel(world(), { digest, into: cache() })).rejects.toMatchObject({ code: 'OBJECT_CORRUPT' });
    expect(await readdir(cache()).catch(() => [])).toEqual([]);
  });

  it('that was not pushed is not found, and a digest of another form is refused', async () => {
    const missing = fetchModel(world(), { digest: 'a'.repeat(64), into: cache() });
    await expect(missing).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('seam models push'),
    });
    const wrong = fetchModel(world(), { digest: '../../etc', into: cache() });
    await expect(wrong).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('is not pushed from a folder without config.json, nor with a name that is not valid in a key', async () => {
    await writeFile(join(model, 'my model.bin'), '');
    await expect(pushModel(world(), model)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(pushModel(world(), join(folder, 'none'))).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('config.json'),
    });
  });
});
