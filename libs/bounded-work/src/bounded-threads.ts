/**
 * Threads for work on what strangers wrote, whose time, memory and answer cannot be predicted. Each works on one task; one that
 * reaches a limit is ended and replaced, so the worst input costs its limits on one thread and the event loop nothing.
 *
 * What is not bounded here: memory outside of V8's heap (buffers: bound what is decompressed), and the length of a single native call
 * (a thread ends after it; the task fails at its wall time).
 */
import { aborted, BoundedThread, type Job } from './bounded-thread.js';
import type { WorkLimits } from './limits.js';

export interface ThreadSettings {
  /** Compiled worker module, which calls `answerTasks`: a thread cannot run TypeScript. */
  readonly module: URL;
  /** Most threads at once; they start with the first tasks. */
  readonly threads: number;
  /** Old generation of a thread's heap, in MB. */
  readonly heapMb: number;
  /** Given to every thread as its `workerData`. */
  readonly workerData?: unknown;
}

/** Nothing is started before it is needed, and what idles does not keep the process alive. */
export class BoundedThreads {
  private readonly threads = new Set<BoundedThread>();
  private readonly idle: BoundedThread[] = [];
  private readonly waiting: { readonly job: Job; readonly onTaken: (thread: BoundedThread) => void }[] = [];
  private isClosed = false;

  constructor(private readonly settings: ThreadSettings) {}

  /**
   * Runs a task of the module to its answer.
   * @param input what the structured clone algorithm can copy
   * @param transfer buffers within `input` that are handed over instead of copied
   * @throws LIMIT_EXCEEDED naming the limit (see `limitOf`); ABORTED; what the task throws, INTERNAL where that is no SeamError
   */
  run<T>(task: string, input: unknown, limits: WorkLimits, transfer: readonly ArrayBuffer[] = []): Promise<T> {
    if (this.isClosed || limits.signal?.aborted === true) return Promise.reject(aborted(task));
    return new Promise<T>((resolve, reject) => {
      const onAnswer = (value: unknown): void => resolve(value as T);
      this.enqueue(
        { task, input, transfer, limits, wants: 'answer', onAnswer, onEnd: () => undefined, onError: reject },
        () => undefined,
      );
    });
  }

  /**
   * Runs a task that answers in pieces; the thread works on one only when it is asked for, and is free when the caller is done.
   * @throws as {@link run}
   */
  async *pieces<T>(
    task: string,
    input: unknown,
    limits: WorkLimits,
    transfer: readonly ArrayBuffer[] = [],
  ): AsyncGenerator<T, void> {
    if (this.isClosed || limits.signal?.aborted === true) throw aborted(task);
    let heard = Promise.withResolvers<{ readonly value: T } | null>();
    let thread: BoundedThread | undefined;
    let isOpen = true;
    const isStillOpen = (): boolean => isOpen;
    const ended = (tell: () => void) => (): void => {
      isOpen = false;
      tell();
    };
    this.enqueue(
      {
        task,
        input,
        transfer,
        limits,
        wants: 'pieces',
        onAnswer: (value) => heard.resolve({ value: value as T }),
        onEnd: ended(() => heard.resolve(null)),
        onError: (error) => ended(() => heard.reject(error))(),
      },
      (taken) => (thread = taken),
    );
    try {
      for (;;) {
        const piece = await heard.promise;
        if (piece === null) return;
        heard = Promise.withResolvers();
        // After an abort between two pieces no caller waits yet.
        heard.promise.catch(() => undefined);
        yield piece.value;
        thread!.next();
      }
    } finally {
      if (isStillOpen()) thread?.drop();
    }
  }

  /** Ends what is under way with ABORTED. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const { job } of this.waiting.splice(0)) job.onError(aborted(job.task));
    for (const thread of this.threads) thread.end(aborted('under way'));
  }

  private enqueue(job: Job, onTaken: (thread: BoundedThread) => void): void {
    this.waiting.push({ job, onTaken });
    this.assign();
  }

  private assign(): void {
    while (this.waiting.length > 0 && (this.idle.length > 0 || this.threads.size < this.settings.threads)) {
      const { job, onTaken } = this.waiting.shift()!;
      if (job.limits.signal?.aborted === true) {
        job.onError(aborted(job.task));
        continue;
      }
      const thread = this.usable() ?? this.startThread();
      onTaken(thread);
      thread.take(job);
    }
  }

  /** An idle thread that has not ended in the meantime. */
  private usable(): BoundedThread | undefined {
    for (let thread = this.idle.pop(); thread !== undefined; thread = this.idle.pop()) {
      if (!thread.hasEnded) return thread;
      this.threads.delete(thread);
    }
    return undefined;
  }

  private startThread(): BoundedThread {
    const thread = new BoundedThread(this.settings, (free) => {
      if (free.hasEnded) this.threads.delete(free);
      else this.idle.push(free);
      this.assign();
    });
    this.threads.add(thread);
    return thread;
  }
}
