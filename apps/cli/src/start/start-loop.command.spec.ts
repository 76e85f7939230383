import { afterEach } from '@jest/globals';
import { fakeWorld } from '../command-runtime.fake.js';

describe('seam start', () => {
  const { SEAM_DATA_FOLDER: before } = process.env;
  afterEach(() => {
    if (before === undefined) delete process.env.SEAM_DATA_FOLDER;
    else process.env.SEAM_DATA_FOLDER = before;
  });

  it('starts the loop with its own options and those of every command, wherever they stand, and ends as it ends', async () => {
    const world = await fakeWorld();
    expect(await world.seam('--data-dir', 'mine', 'start', '--exit', '--seed', '7')).toBe(3);
    expect(await world.seam('start', '--json', '--data-dir', 'yours', '--no-drive')).toBe(3);
    expect(world.starts).toMatchObject([
      { dataDir: 'mine', exit: true, seed: 7, json: false, drive: true, said: new Set(['exit', 'seed', 'dataDir']) },
      { dataDir: 'yours', exit: false, seed: 1, json: true, drive: false },
    ]);
  });

  it('works in the folder of the other commands where none is named', async () => {
    const world = await fakeWorld();
    process.env.SEAM_DATA_FOLDER = 'elsewhere';
    await world.seam('start');
    delete process.env.SEAM_DATA_FOLDER;
    await world.seam('start');
    expect(world.starts.map(({ dataDir }) => dataDir)).toEqual(['elsewhere', 'data']);
  });

  it('refuses what it does not understand, and starts nothing', async () => {
    const world = await fakeWorld();
    expect(await world.seam('start', '--round-size', '4')).toBe(2);
    expect(world.takeErrors()).toContain('expected an integer of at least 8');
    expect(await world.seam('start', 'stray')).toBe(2);
    expect(world.starts).toEqual([]);
  });

  it('teaches how it is typed here', async () => {
    const world = await fakeWorld();
    await world.seam('start', '--help');
    const help = world.takeOutput();
    expect(help).toContain('seam start --exit --seed 2');
    expect(help).not.toContain('npm start');
    expect(help.match(/--data-dir/g)).toHaveLength(6);
  });
});
