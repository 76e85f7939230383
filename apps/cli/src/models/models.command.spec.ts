import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadCheckpoint } from '@seamstream/language-model';
import { fakeWorld } from '../command-runtime.fake.js';

const MODEL = fileURLToPath(new URL('../../../../models/generator-base', import.meta.url));

describe('seam models', () => {
  let into: string;
  beforeEach(async () => {
    into = await mkdtemp(join(tmpdir(), 'seam-models-'));
  });
  afterEach(() => rm(into, { recursive: true }));

  it('pushes a folder, and has the same model elsewhere by the digest that it printed', async () => {
    const world = await fakeWorld();
    expect(await world.seam('models', 'push', MODEL, '--json')).toBe(0);
    const [{ digest }] = world.takeJson() as [{ digest: string }];
    expect(await world.seam('models', 'fetch', digest, '--to', into)).toBe(0);
    expect(world.takeOutput()).toContain(`fetched, `);
    expect((await loadCheckpoint(join(into, digest))).digest).toBe((await loadCheckpoint(MODEL)).digest);
    expect(await world.seam('models', 'fetch', digest, '--to', into)).toBe(0);
    expect(world.takeOutput()).toContain('is there already');
  });

  it('leaves nothing of a model that was not pushed', async () => {
    const world = await fakeWorld();
    expect(await world.seam('models', 'fetch', 'a'.repeat(64), '--to', into)).not.toBe(0);
    expect(world.takeErrors()).toContain('Push it first');
    expect(await readdir(into)).toEqual([]);
  });
});
