/** What this folder's tests run containers with. */
import { type Podman, podman } from '@seamstream/dev-servers';
import { isSeamError, messageOf } from '@seamstream/kernel';

/** Podman; undefined, said aloud, where this machine has none. */
export async function containers(): Promise<Podman | undefined> {
  try {
    return await podman();
  } catch (error) {
    if (!isSeamError(error, 'INVALID_CONFIGURATION')) throw error;
    process.stderr.write(`SKIPPED: no containers here. ${messageOf(error)}\n`);
    return undefined;
  }
}
