/** Folders and names that are on disk before they count, and what the file system refuses as one of our errors. */
import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isSeamError, messageOf, SeamError } from '@seamstream/kernel';

/** Creates the folders from `root` down to `folder`, each made durable in its parent. */
export async function makeFolders(root: string, folder: string): Promise<void> {
  if (await unlessMissing(stat(folder))) return;
  if (folder !== root) await makeFolders(root, dirname(folder));
  if (await unlessExisting(mkdir(folder))) await syncFolder(dirname(folder));
}

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export async function unlessMissing<T>(action: Promise<T>): Promise<T | undefined> {
  try {
    return await action;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whether it was created; false when it was there already. */
export async function unlessExisting(action: Promise<unknown>): Promise<boolean> {
  try {
    await action;
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** One of our errors for any error of the file system. */
export function translated(error: unknown, operation: string, folder: string): SeamError {
  if (isSeamError(error)) return error;
  const { code } = error as NodeJS.ErrnoException;
  const options = { cause: error, details: { folder, code } };
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return new SeamError(
        'OBJECT_STORE_FULL',
        `Cannot ${operation}: there is no space left in ${folder} (${messageOf(error)}). Nothing was changed; free some space and try again.`,
        options,
      );
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return new SeamError(
        'OBJECT_STORE_UNAVAILABLE',
        `Cannot ${operation}: ${folder} cannot be written (${messageOf(error)}). Make it writable or choose another folder.`,
        options,
      );
    default:
      return new SeamError('OBJECT_STORE_UNAVAILABLE', `Cannot ${operation}: ${messageOf(error)}`, options);
  }
}
