import { messageOf, SeamError } from '@seamstream/kernel';

/**
 * Works on files of a job. A disk that is full or fails, or a network file system that does not answer, says nothing of the run.
 * @throws OBJECT_STORE_FULL, OBJECT_STORE_UNAVAILABLE for these: the run is taken again later; other errors as they are
 */
export async function onDisk<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (FULL.has(code))
      throw new SeamError('OBJECT_STORE_FULL', `Cannot write ${place}: expected room for it, got ${code}. Make room.`, {
        cause: error,
      });
    if (FAILING.has(code))
      throw new SeamError(
        'OBJECT_STORE_UNAVAILABLE',
        `Cannot use ${place}: expected a file system that answers, got ${messageOf(error)}. Look at the disk or the network.`,
        { cause: error },
      );
    throw error;
  }
}

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);
const FAILING: ReadonlySet<string> = new Set([
  ...['EIO', 'ESTALE', 'ETIMEDOUT', 'EBUSY', 'EAGAIN', 'EROFS', 'EMFILE', 'ENFILE'],
  ...['ENOTCONN', 'EHOSTDOWN', 'EHOSTUNREACH', 'ENETDOWN', 'ECONNREFUSED', 'ECONNRESET', 'EREMOTEIO', 'ESHUTDOWN'],
]);
