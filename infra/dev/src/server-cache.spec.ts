import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cached, cacheFolder } from './server-cache.js';

describe('the cache of servers', () => {
  it("lies where SEAMSTREAM_CACHE says, else in the user's cache folder", () => {
    expect(cacheFolder({ SEAMSTREAM_CACHE: '/own', XDG_CACHE_HOME: '/xdg' }, '/home/ann')).toBe('/own');
    expect(cacheFolder({ XDG_CACHE_HOME: '/xdg' }, '/home/ann')).toBe('/xdg/seamstream');
    expect(cacheFolder({ SEAMSTREAM_CACHE: '', XDG_CACHE_HOME: '' }, '/home/ann')).toBe('/home/ann/.cache/seamstream');
  });

  describe('in a separate folder', () => {
    const before = process.env.SEAMSTREAM_CACHE;
    let folder: string;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'server-cache-'));
      process.env.SEAMSTREAM_CACHE = folder;
    });
    afterEach(async () => {
      if (before === undefined) delete process.env.SEAMSTREAM_CACHE;
      else process.env.SEAMSTREAM_CACHE = before;
      await rm(folder, { recursive: true });
    });

    it('fills an entry once, also when several ask at the same time', async () => {
      let fills = 0;
      const ask = () => cached('entry', async (entry) => writeFile(join(entry, 'content'), String(++fills)));
      const paths = await Promise.all([ask(), ask(), ask()]);
      expect(new Set(paths)).toEqual(new Set([join(folder, 'entry')]));
      const content = await readFile(join(folder, 'entry', 'content'), 'utf8');
      const filledBefore = fills;
      await ask();
      expect(fills).toBe(filledBefore);
      expect(await readFile(join(folder, 'entry', 'content'), 'utf8')).toBe(content);
      expect(await readdir(folder)).toEqual(['entry']);
    });

    it('keeps nothing of a filling that failed, so that the next one begins afresh', async () => {
      const broken = cached('entry', async (entry) => {
        await writeFile(join(entry, 'half'), '');
        throw new Error('network gone');
      });
      await expect(broken).rejects.toThrow('network gone');
      expect(await readdir(folder)).toEqual([]);
    });
  });
});
