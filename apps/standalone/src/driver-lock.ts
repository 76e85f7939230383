/** One driver per data folder: two would publish every round twice, and the run would be no function of its seed any more. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SeamError } from '@seamstream/kernel';
import { makeFolder } from '@seamstream/service-kit';

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Takes the folder's lock and returns how to give it back. A lock whose process is gone is taken over.
 * @throws CONFLICT while another process drives rounds there
 */
export async function lockDriver(dataFolder: string): Promise<() => Promise<void>> {
  const path = join(dataFolder, 'driver.lock');
  await makeFolder(resolve(dataFolder));
  for (;;) {
    try {
      await writeFile(path, String(process.pid), { flag: 'wx' });
      return () => rm(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const owner = Number(await readFile(path, 'utf8').catch(() => ''));
    if (Number.isInteger(owner) && owner > 0 && owner !== process.pid && isAlive(owner)) {
      throw new SeamError(
        'CONFLICT',
        `Driving rounds in ${dataFolder}: process ${owner} does so already. Choose another --data-dir, or host more services with --no-drive.`,
        { details: { path, owner } },
      );
    }
    await rm(path, { force: true });
  }
}
