import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { SeamError } from '@seamstream/kernel';

/**
 * Tells a place where no folder can be, since it or what it would lie in is a file, before a driver meets it.
 * @param opening what the folder is for, e.g. "Opening the event log"
 * @param settings who names the folder
 * @throws INVALID_CONFIGURATION naming the file
 */
export async function checkFolder(folder: string, opening: string, settings: string): Promise<void> {
  for (let place = resolve(folder); ; place = dirname(place)) {
    const found = await stat(place).catch(() => undefined);
    if (found?.isDirectory() === true || place === dirname(place)) return;
    if (found !== undefined) {
      throw new SeamError(
        'INVALID_CONFIGURATION',
        `${opening} in ${folder}: expected a folder or a place to make one, came the file ${place}. Name another folder (${settings}), or move the file away.`,
        { details: { folder, file: place } },
      );
    }
  }
}
