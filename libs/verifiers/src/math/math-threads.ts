/**
 * Threads for checks whose time cannot be told beforehand. Each works on one task; a thread that is not done at the deadline is ended and
 * replaced, so a pathological expression costs a deadline on one thread and the event loop nothing.
 */
import { Worker } from 'node:worker_threads';
import { messageOf, SeamError } from '@seamstream/kernel';
import type { EquivalenceResult, EquivalenceTask } from '../verifier.types.js';

/** Compiled by scripts/build.mjs; a thread cannot run TypeScript. */
const WORKER = new URL('../../dist/math/math.worker.js', import.meta.url);

/** Heap of a thread: the parser needs 60 MB. */
const HEAP_MB = 256;
/** A thread that is not ready by then never will be: starting one takes half a second on an idle machine. */
const START_LIMIT_MS = 60_000;

interface Job {
  readonly task: EquivalenceTask;
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (result: EquivalenceResult) => void;
  readonly reject: (error: SeamError) => void;
}

type Message = 'ready' | { readonly result: EquivalenceResult } | { readonly error: string };

/** One thread with at most one job. */
class MathThread {
  private readonly worker = new Worker(WORKER, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } });
  private job: Job | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isReady = false;
  hasEnded = false;

  /** @param onFree called when the job is settled, whether or not the thread lives on */
  constructor(private readonly onFree: (thread: MathThread) => void) {
    this.worker.on('message', (message: Message) => {
      if (message === 'ready') {
        this.isReady = true;
        this.begin();
      } else if ('error' in message) this.settle(({ reject }) => reject(failed(message.error)));
      else this.settle(({ resolve }) => resolve(message.result));
    });
    this.worker.on('error', (error) => this.end(failed(`its thread failed (${messageOf(error)})`)));
    this.worker.on('exit', (code) => this.end(failed(`its thread ended with code ${code}`)));
  }

  take(job: Job): void {
    this.job = job;
    this.worker.ref(); // a process lives for the answers it waits for
    job.signal?.addEventListener('abort', this.abort, { once: true });
    const notReady = (): void => this.end(failed(`its thread was not ready after ${START_LIMIT_MS} ms`));
    if (this.isReady) this.begin();
    else this.timer = setTimeout(notReady, START_LIMIT_MS);
  }

  /** Ends the thread, and with it the job. */
  end(error: SeamError): void {
    this.hasEnded = true;
    void this.worker.terminate();
    this.settle(({ reject }) => reject(error));
  }

  private readonly abort = (): void => this.end(aborted());

  private begin(): void {
    if (this.job === undefined) return;
    const { task, deadlineMs } = this.job;
    const message = `expected a verdict within ${deadlineMs} ms, got none. The answer or the reference is too costly to compare; the check was ended.`;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.end(failed(message, { deadlineMs })), deadlineMs);
    this.worker.postMessage(task);
  }

  private settle(tell: (job: Job) => void): void {
    const { job } = this;
    if (job === undefined) return;
    this.job = undefined;
    clearTimeout(this.timer);
    job.signal?.removeEventListener('abort', this.abort);
    this.worker.unref();
    tell(job);
    this.onFree(this);
  }
}

export class MathThreads {
  private readonly threads = new Set<MathThread>();
  private readonly idle: MathThread[] = [];
  private readonly waiting: Job[] = [];
  private isClosed = false;

  /** @param limit most threads at once; they start with the first tasks */
  constructor(private readonly limit: number) {}

  /** @throws VERIFIER_FAILED past the deadline or when the thread fails; ABORTED */
  run(task: EquivalenceTask, deadlineMs: number, signal?: AbortSignal): Promise<EquivalenceResult> {
    if (this.isClosed || signal?.aborted === true) return Promise.reject(aborted());
    return new Promise((resolve, reject) => {
      this.waiting.push({ task, deadlineMs, signal, resolve, reject });
      this.next();
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const { reject } of this.waiting.splice(0)) reject(aborted());
    for (const thread of this.threads) thread.end(aborted());
  }

  private next(): void {
    while (this.waiting.length > 0 && (this.idle.length > 0 || this.threads.size < this.limit)) {
      const job = this.waiting.shift()!;
      if (job.signal?.aborted === true) job.reject(aborted());
      else (this.usable() ?? this.start()).take(job);
    }
  }

  /** An idle thread that has not ended in the meantime. */
  private usable(): MathThread | undefined {
    for (let thread = this.idle.pop(); thread !== undefined; thread = this.idle.pop()) {
      if (!thread.hasEnded) return thread;
      this.threads.delete(thread);
    }
    return undefined;
  }

  private start(): MathThread {
    const thread = new MathThread((free) => {
      if (free.hasEnded) this.threads.delete(free);
      else this.idle.push(free);
      this.next();
    });
    this.threads.add(thread);
    return thread;
  }
}

const failed = (why: string, details: Readonly<Record<string, unknown>> = {}): SeamError =>
  new SeamError('VERIFIER_FAILED', `Verifier math@1: ${why}`, { details });
const aborted = (): SeamError =>
  new SeamError('ABORTED', 'Checking an answer: told to stop before there was a verdict.');
