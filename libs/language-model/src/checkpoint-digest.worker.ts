/** Digests a checkpoint on a thread of its own: a large one takes seconds. */
import { checkpointDigest, openCheckpoint } from './checkpoint.js';
import { serveCalls } from './worker-call.js';

serveCalls(async (folder: string) => ({ digest: async () => checkpointDigest(await openCheckpoint(folder)) }));
