/** Digests a checkpoint on a separate thread, which takes seconds of a large one, and remembers what came out. */

import { serveCalls } from '../worker/worker-call.js';
import { checkpointDigest, openCheckpoint } from './checkpoint.js';
import { DigestMemory, findFiles } from './digest-memory.js';

serveCalls(async (folder: string) => ({
  digest: async () => {
    const beganMs = Date.now();
    const checkpoint = await openCheckpoint(folder);
    const before = await findFiles(checkpoint);
    const digest = await checkpointDigest(checkpoint);
    await new DigestMemory().remember(before, await findFiles(checkpoint), digest, beganMs);
    return digest;
  },
}));
