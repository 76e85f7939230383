import { mkdir, mkdtemp, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock, sha256 } from '@seamstream/kernel';
import { type EditKeyParts, editKey } from '@seamstream/self-edits';
import fc from 'fast-check';
import { EditCache } from './edit-cache.js';

const PARTS: EditKeyParts = {
  passage: { title: 'Ada', passage: 'Ada was born in 1815.' },
  kind: 'facts@1',
  writer: { source: 'generator', model: 'm1', adapter: null, form: 'f' },
  sampling: { temperature: 1, topP: 1, maxTokens: 64 },
  seed: 'seam',
  number: 0,
};
const numbered = (number: number): EditKeyParts => ({ ...PARTS, number });

let folder: string;
let clock: ManualClock;
let cache: EditCache;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'edit-cache-')), 'cache');
  clock = new ManualClock(Date.UTC(2030, 0, 31));
  cache = new EditCache(folder, clock);
});

const pathOf = (parts: EditKeyParts): string => {
  const key = editKey(parts);
  return join(folder, key.slice(0, 2), `${key}.json`);
};

describe('a cache of edits', () => {
  it('finds an edit by all of its parts, in another process too, and by no other parts', async () => {
    await cache.keep(PARTS, 'Ada.\nOld “Ada”');
    const other = new EditCache(folder, clock);
    expect(await other.find(structuredClone(PARTS))).toBe('Ada.\nOld “Ada”');
    const changes: readonly Partial<EditKeyParts>[] = [
      { passage: { title: null, passage: 'Ada was born in 1815.' } },
      { passage: { title: 'Ada', passage: 'Ada was born in 1816.' } },
      { kind: 'facts@2' },
      ...(['source', 'model', 'adapter', 'form'] as const).map((name) => ({
        writer: { ...PARTS.writer, [name]: 'x' },
      })),
      ...(['temperature', 'topP', 'maxTokens'] as const).map((name) => ({
        sampling: { ...PARTS.sampling, [name]: 0.5 },
      })),
      { seed: 'other' },
      { number: 1 },
    ];
    for (const change of changes) expect(await other.find({ ...PARTS, ...change })).toBeUndefined();
  });

  it('has no stale hit: what is found is what was last kept under the same parts, after any sequence of acts', async () => {
    const act = fc.record({ number: fc.nat(3), model: fc.constantFrom('a', 'b'), text: fc.option(fc.string()) });
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 12 }), async (acts) => {
        await cache.clear();
        const kept = new Map<string, string>();
        for (const { number, model, text } of acts) {
          const parts = { ...PARTS, number, writer: { ...PARTS.writer, model } };
          if (text === null) expect(await cache.find(parts)).toBe(kept.get(`${number} ${model}`));
          else {
            await cache.keep(parts, text);
            kept.set(`${number} ${model}`, text);
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  it.each([
    ['cut short', (body: string) => body.slice(0, -2)],
    ['empty', () => ''],
    ['of another edit', (body: string) => body.replace('1815', '1816')],
    ['with a changed text', (body: string) => body.replace('"text":"A', '"text":"B')],
  ])('takes a file that is %s for no edit, and removes it', async (_what, damaged) => {
    await cache.keep(PARTS, 'Ada.');
    const path = pathOf(PARTS);
    await writeFile(path, damaged(await readFile(path, 'utf8')));
    expect(await cache.find(PARTS)).toBeUndefined();
    expect(await readdir(join(path, '..'))).toEqual([]);
  });

  it('keeps within its size those edits that were used last', async () => {
    const size = async (): Promise<number> => (await cache.stats()).bytes;
    for (let number = 0; number < 3; number++) {
      await cache.keep(numbered(number), 'x');
      clock.advance(1000);
    }
    const each = (await size()) / 3;
    expect(await cache.find(numbered(0))).toBe('x');
    expect(await cache.prune(2 * each)).toEqual({ edits: 1, bytes: each });
    expect(await cache.find(numbered(1))).toBeUndefined();
    expect(await cache.find(numbered(0))).toBe('x');
    const small = new EditCache(folder, clock, 2 * each);
    clock.advance(1000);
    await small.keep(numbered(7), 'x');
    expect(await size()).toBeLessThanOrEqual(2 * each);
    expect(await small.find(numbered(7))).toBe('x');
    expect(await small.find(numbered(2))).toBeUndefined();
  });

  it('counts hits and misses over runs, and says how large it is', async () => {
    expect(await cache.stats()).toEqual({ folder, edits: 0, bytes: 0, hits: 0, misses: 0, hitRate: null });
    await cache.find(PARTS);
    await cache.keep(PARTS, 'x');
    await cache.close();
    const second = new EditCache(folder, clock);
    for (let time = 0; time < 3; time++) await second.find(PARTS);
    await second.close();
    expect(await cache.stats()).toMatchObject({ edits: 1, hits: 3, misses: 1, hitRate: 0.75 });
  });

  it('is cleared of edits and of parts that a killed process left, and of no other file', async () => {
    await cache.keep(PARTS, 'x');
    const shelf = join(pathOf(PARTS), '..');
    const part = (digit: string): string => join(shelf, `${sha256(digit)}.00000000-0000-4000-8000-000000000000.part`);
    for (const path of [part('a'), part('b'), join(folder, 'notes.txt')]) await writeFile(path, 'x');
    await utimes(part('a'), 0, 0);
    const now = new Date(clock.now());
    await utimes(part('b'), now, now);
    expect(await cache.clear()).toMatchObject({ edits: 1 });
    expect(await readdir(shelf)).toEqual([part('b').slice(shelf.length + 1)]);
    expect((await readdir(folder)).sort()).toEqual([shelf.slice(-2), 'notes.txt']);
  });

  it('serves several writers of the same edit at once', async () => {
    const writers = Array.from({ length: 8 }, () => new EditCache(folder, clock));
    await Promise.all(writers.map((each) => each.keep(PARTS, 'same')));
    expect(await Promise.all(writers.map((each) => each.find(PARTS)))).toEqual(writers.map(() => 'same'));
    expect(await readdir(join(pathOf(PARTS), '..'))).toHaveLength(1);
  });

  it('says which folder cannot be written and what to do', async () => {
    await mkdir(join(folder, '..'), { recursive: true });
    await writeFile(folder, 'a file');
    await expect(cache.keep(PARTS, 'x')).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringMatching(/^Cannot keep edits in .*--no-cache/),
    });
  });
});
