/** The data folder before anything else: a place that cannot hold it is told in a sentence, not as a system's error code. */
import { rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SeamError } from '@seamstream/kernel';
import { checkFolder, makeFolder } from '@seamstream/service-kit';

const MEANING: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'its file system is read-only',
  ENOSPC: 'its file system is full',
  EDQUOT: "this user's share of its file system is used up",
  ENOENT: 'nothing can be made there',
};

/**
 * Makes the folder where it is missing, and proves that files can be written in it.
 * @throws INVALID_CONFIGURATION naming folder and cause
 */
export async function prepareFolder(dataFolder: string): Promise<void> {
  await checkFolder(dataFolder, 'Keeping log, objects and reports', '--data-dir');
  const probe = join(dataFolder, `.writable-${process.pid}`);
  try {
    await makeFolder(resolve(dataFolder));
    await writeFile(probe, '');
    await rm(probe);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown';
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot keep log, objects and reports in ${dataFolder}: expected a folder that can be written, got ${code} (${MEANING[code] ?? 'the system refused'}). Name another folder (--data-dir), or change its rights.`,
      { details: { folder: dataFolder, systemCode: code }, cause },
    );
  }
}
