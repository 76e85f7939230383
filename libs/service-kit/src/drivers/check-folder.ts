import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { SeamError } from '@seamstream/kernel';

/**
 * Refuses a place that cannot be a folder, before a driver opens it: the place or one of its parents is a file.
 * @param opening what the folder is for, e.g. "open the event log"
 * @param settings the settings or options that name the folder
 * @throws INVALID_CONFIGURATION naming the file
 */
export async function checkFolder(folder: string, opening: string, settings: string): Promise<void> {
  for (let place = resolve(folder); ; place = dirname(place)) {
    const found = await stat(place).catch(() => undefined);
    if (found?.isDirectory() === true || place === dirname(place)) return;
    if (found !== undefined) {
      throw new SeamError(
        'INVALID_CONFIGURATION',
        `Cannot ${opening} in ${folder}: expected a folder or a place to make one, got the file ${place}. Name another folder (${settings}), or move the file away.`,
        { details: { folder, file: place } },
      );
    }
  }
}
