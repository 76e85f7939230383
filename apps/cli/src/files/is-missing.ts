import { statSync } from 'node:fs';

/** Whether nothing has this path. A path that may not be looked at is not missing: opening it says why it cannot be. */
export function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}
