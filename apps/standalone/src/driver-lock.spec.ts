import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockDriver } from './driver-lock.js';

describe("the driver's lock", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'seam-lock-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('keeps a second driver out while the first one lives, and says which process it is', async () => {
    await writeFile(join(folder, 'driver.lock'), String(process.ppid));
    await expect(lockDriver(folder)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(`process ${process.ppid}`),
    });
  });

  it('is refused where no folder can be made', async () => {
    await expect(lockDriver('/proc/nope/data')).rejects.toMatchObject({ code: 'ENOENT', path: '/proc/nope' });
  });

  it('is taken over from a process that is gone, and free again once given back', async () => {
    await writeFile(join(folder, 'driver.lock'), '2147480000');
    const unlock = await lockDriver(folder);
    await unlock();
    await expect(lockDriver(folder)).resolves.toBeDefined();
  });
});
