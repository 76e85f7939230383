import { fakeWorld } from '../command-runtime.fake.js';

describe('seam bucket', () => {
  it('says that the bucket is missing, makes it, and leaves one that is there', async () => {
    const world = await fakeWorld();
    expect(await world.seam('bucket', 'diff')).toBe(1);
    expect(world.takeOutput()).toBe('lessons  is missing: seam bucket apply makes it\n');
    expect(world.hasBucket).toBe(false);
    expect(await world.seam('bucket', 'apply')).toBe(0);
    expect(world.takeOutput()).toBe('lessons  made\n');
    expect(await world.seam('bucket', 'diff')).toBe(0);
    expect(await world.seam('bucket', 'apply', '--json')).toBe(0);
    expect(world.takeOutput()).toBe('lessons  is there\n{"bucket":"lessons","made":false}\n');
  });
});
