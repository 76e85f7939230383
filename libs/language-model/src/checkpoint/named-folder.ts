import { resolve } from 'node:path';
import { isSeamError, SeamError } from '@seamstream/kernel';

/**
 * The result of opening a model folder. An error names the folder and the setting that names it, since a person has to
 * correct one of them.
 * @throws as `loading`
 */
export async function fromNamedFolder<T>(setting: string, folder: string, loading: Promise<T>): Promise<T> {
  try {
    return await loading;
  } catch (cause) {
    if (!isSeamError(cause, 'CHECKPOINT_INVALID') && !isSeamError(cause, 'UNSUPPORTED_MODEL')) throw cause;
    throw new SeamError(
      cause.code,
      `${cause.message} Correct ${setting}, or the folder that it names: ${resolve(folder)}.`,
      {
        details: { ...cause.details, folder, setting },
        cause,
      },
    );
  }
}
