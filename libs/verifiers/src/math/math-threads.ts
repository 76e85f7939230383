/** Mathematics is compared in threads: what takes one too long is ended with it, and is the check's failure. */
import { BoundedThreads, limitOf } from '@seamstream/bounded-work';
import { isSeamError, messageOf, SeamError } from '@seamstream/kernel';
import type { EquivalenceResult, EquivalenceTask } from '../verifier.types.js';

/** Compiled by scripts/build.mjs; a thread cannot run TypeScript. */
const WORKER = new URL('../../dist/math/math.worker.js', import.meta.url);

/** Heap of a thread: the parser needs 60 MB. */
const HEAP_MB = 256;
/** A verdict with the answer it is about, which is at most as long as what was judged. */
const OUTPUT_BYTES = 1 << 18;

export class MathThreads {
  private readonly threads: BoundedThreads;

  /** @param limit most threads at once; they start with the first tasks */
  constructor(limit: number) {
    this.threads = new BoundedThreads({ module: WORKER, threads: limit, heapMb: HEAP_MB });
  }

  /**
   * @param deadlineMs processor time of the thread
   * @throws VERIFIER_FAILED past the deadline, where `details.limit` says `processorTime`, or when the thread fails; ABORTED
   */
  async run(task: EquivalenceTask, deadlineMs: number, signal?: AbortSignal): Promise<EquivalenceResult> {
    try {
      return await this.threads.run('compare', task, { cpuMs: deadlineMs, outputBytes: OUTPUT_BYTES, signal });
    } catch (error) {
      if (isSeamError(error, 'ABORTED'))
        throw new SeamError('ABORTED', 'Cannot check an answer: it was aborted before there was a verdict.');
      const limit = limitOf(error);
      const why =
        limit === undefined
          ? messageOf(error)
          : `expected a verdict within ${deadlineMs} ms, got none (${messageOf(error)}) The answer or the reference is too costly to compare; the check was ended.`;
      throw new SeamError('VERIFIER_FAILED', `Cannot verify by math@1: ${why}`, {
        details: limit === undefined ? {} : { deadlineMs, limit },
        cause: error,
      });
    }
  }

  close(): Promise<void> {
    return this.threads.close();
  }
}
