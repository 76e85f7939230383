/** Checks the data folder before anything else: a place that cannot hold it is reported in a sentence, not as a system's error code. */
import { rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SeamError, systemMeaning } from '@seamstream/kernel';
import { checkFolder, makeFolder } from '@seamstream/service-kit/drivers';

/** @throws INVALID_CONFIGURATION where no folder can be, naming the file in its place */
export function checkDataFolder(dataFolder: string): Promise<void> {
  return checkFolder(dataFolder, 'keep log, objects and reports', '--data-dir');
}

/**
 * Makes the folder where it is missing, and proves that files can be written in it.
 * @throws INVALID_CONFIGURATION naming folder and cause
 */
export async function prepareFolder(dataFolder: string): Promise<void> {
  await checkDataFolder(dataFolder);
  const probe = join(dataFolder, `.writable-${process.pid}`);
  try {
    await makeFolder(resolve(dataFolder));
    await writeFile(probe, '');
    await rm(probe);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot keep log, objects and reports in ${dataFolder}: expected a folder that can be written, got ${systemMeaning(code)}. Name another folder (--data-dir), or change its rights.`,
      { details: { folder: dataFolder, systemCode: code }, cause },
    );
  }
}
