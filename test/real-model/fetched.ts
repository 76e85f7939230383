/** What this folder's tests need and others made comes from the package index: the model, and transformers to compare it with. */
import { packageIndexAnswers } from '@seamstream/dev-servers';
import { isSeamError, messageOf } from '@seamstream/kernel';

/**
 * What `fetch` gives; undefined, said aloud, where it cannot be had because Python, pip or the index is missing. Anything else that is
 * wrong is thrown: an index that answers has no excuse.
 */
export async function fetched<T>(what: string, fetch: () => Promise<T>): Promise<T | undefined> {
  try {
    return await fetch();
  } catch (error) {
    if (!isSeamError(error, 'INVALID_CONFIGURATION') || (await packageIndexAnswers())) throw error;
    process.stderr.write(`SKIPPED: ${what} cannot be had. ${messageOf(error)}\n`);
    return undefined;
  }
}
