import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { worldFiles } from './embedded-environment.js';
import { writeWorldFiles } from './world-files.js';

const OTHERWISE = '{"problemId":"as another release wrote it"}\n';

describe('the validation problems of a folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'world-files-'));
  });
  const validation = (): Promise<string> => readFile(worldFiles(folder).validation, 'utf8');

  it('stay as they are: a planned run names the digest of their file, and no worker has another', async () => {
    await writeWorldFiles(folder, { method: 'attributes', seed: 3 });
    await writeFile(worldFiles(folder).validation, OTHERWISE);
    await writeWorldFiles(folder, { method: 'attributes', seed: 3 });
    expect(await validation()).toBe(OTHERWISE);
  });

  it('stay in a folder of a release that did not write its world', async () => {
    await writeWorldFiles(folder);
    await writeFile(worldFiles(folder).validation, OTHERWISE);
    await rm(worldFiles(folder).world);
    await writeWorldFiles(folder);
    expect(await validation()).toBe(OTHERWISE);
  });

  it('are never those of another world: a process that died before it wrote them leaves none', async () => {
    await writeWorldFiles(folder, { method: 'attributes', seed: 3 });
    const ofThree = await validation();
    const inTheWay = `${worldFiles(folder).validation}.new`;
    await mkdir(inTheWay);
    await expect(writeWorldFiles(folder, { method: 'attributes', seed: 4 })).rejects.toThrow();
    await rm(inTheWay, { recursive: true });
    await writeWorldFiles(folder, { method: 'attributes', seed: 4 });
    expect(await validation()).not.toBe(ofThree);
  });

  it('are written where they are missing, and again for another world', async () => {
    await writeWorldFiles(folder, { method: 'attributes', seed: 3 });
    const ofThree = await validation();
    await rm(worldFiles(folder).validation);
    await writeWorldFiles(folder, { method: 'attributes', seed: 3 });
    expect(await validation()).toBe(ofThree);
    await writeWorldFiles(folder, { method: 'attributes', seed: 4 });
    expect(await validation()).not.toBe(ofThree);
  });
});
