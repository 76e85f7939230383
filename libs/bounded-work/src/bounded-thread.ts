/** One thread with at most one task. It ends when a limit is hit: there is no other way to stop code that does not ask. */
import { deserialize } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { messageOf, SeamError } from '@seamstream/kernel';
import { limitExceeded, OUTPUT_BYTES, type WorkLimits, wallMsFor } from './limits.js';
import type { Reply, Request } from './messages.js';

/** A thread that is not ready by then never will be: starting one takes half a second on an idle machine. */
const START_LIMIT_MS = 60_000;
/** Processor time is looked at no more often than this. Milliseconds. */
const SHORTEST_LOOK_MS = 5;

/** What is heard of a task: its answer, or where pieces are wanted these and their end, or an error. */
export interface Job {
  readonly task: string;
  readonly input: unknown;
  readonly transfer: readonly ArrayBuffer[];
  readonly limits: WorkLimits;
  readonly wants: 'answer' | 'pieces';
  readonly onAnswer: (value: unknown) => void;
  readonly onEnd: () => void;
  readonly onError: (error: SeamError) => void;
}

export interface ThreadStart {
  readonly module: URL;
  readonly heapMb: number;
  readonly workerData?: unknown;
}

export class BoundedThread {
  private readonly worker: Worker;
  private job: Job | undefined;
  private timer: NodeJS.Timeout | undefined;
  private wallTimer: NodeJS.Timeout | undefined;
  private isReady = false;
  /** Processor time of the thread when it was last heard of. Milliseconds. */
  private cpuMsBefore = 0;
  /** Counts what is waited for, so that a look at the processor time that comes late is known as such. */
  private turn = 0;
  hasEnded = false;

  /** @param onFree called when the job is settled, whether or not the thread lives on */
  constructor(
    private readonly start: ThreadStart,
    private readonly onFree: (thread: BoundedThread) => void,
  ) {
    // Neither the process's flags (a test runner's, say) nor its environment, which holds secrets, are for code that meets strangers' data.
    this.worker = new Worker(start.module, {
      execArgv: [],
      env: {},
      workerData: start.workerData,
      resourceLimits: { maxOldGenerationSizeMb: start.heapMb },
    });
    this.worker.on('message', (reply: Reply) => this.hear(reply));
    this.worker.on('error', (error) => this.end(this.reasonOf(error)));
    this.worker.on('exit', (code) => this.end(broken(this.job?.task ?? 'none', `its thread ended with code ${code}`)));
  }

  take(job: Job): void {
    this.job = job;
    this.worker.ref(); // a process lives for the answers it waits for
    job.limits.signal?.addEventListener('abort', this.abort, { once: true });
    if (this.isReady) this.begin();
    else {
      const notReady = broken(job.task, `its thread was not ready after ${START_LIMIT_MS} ms`);
      this.timer = setTimeout(() => this.end(notReady), START_LIMIT_MS);
    }
  }

  /** Asks for the next piece of the task. */
  next(): void {
    this.await({ kind: 'next' });
  }

  /** Ends the thread, and with it the job. */
  end(error: SeamError): void {
    this.hasEnded = true;
    void this.worker.terminate();
    this.settle(({ onError }) => onError(error));
  }

  /** Forgets the rest of a task that answers in pieces, between two of them. */
  drop(): void {
    this.say({ kind: 'drop' });
    this.settle(() => undefined);
  }

  private readonly abort = (): void => this.end(aborted(this.job?.task ?? 'none'));

  private begin(): void {
    if (this.job === undefined) return;
    const { task, input, transfer, limits } = this.job;
    this.await({ kind: 'begin', task, input, outputBytes: limits.outputBytes ?? OUTPUT_BYTES }, transfer);
  }

  /** Sends a request and watches the limits of time until it is answered. */
  private await(request: Request, transfer: readonly ArrayBuffer[] = []): void {
    if (this.job === undefined) return;
    const { task, limits } = this.job;
    const { cpuMs, wallMs = wallMsFor(cpuMs) } = limits;
    this.restTimers();
    this.wallTimer = setTimeout(() => this.end(limitExceeded(task, 'wallTime', wallMs)), wallMs);
    this.lookAfter(cpuMs, this.turn, limitExceeded(task, 'processorTime', cpuMs), this.cpuMsBefore + cpuMs);
    try {
      this.say(request, transfer);
    } catch (error) {
      this.end(broken(task, `its input cannot be sent (${messageOf(error)})`));
    }
  }

  /** A thread cannot have used more processor time than wall time, so the next look is due when it could have used all of it. */
  private lookAfter(ms: number, turn: number, exceeded: SeamError, endsAtCpuMs: number): void {
    const look = async (): Promise<void> => {
      // Answered by an interrupt, also from within a loop or a regular expression; where it is not, the wall time ends the task.
      const usage = await this.worker.cpuUsage().catch(() => undefined);
      if (usage === undefined || turn !== this.turn) return;
      const leftMs = endsAtCpuMs - (usage.user + usage.system) / 1000;
      if (leftMs <= 0) this.end(exceeded);
      else this.lookAfter(leftMs, turn, exceeded, endsAtCpuMs);
    };
    this.timer = setTimeout(() => void look(), Math.max(SHORTEST_LOOK_MS, ms));
  }

  private hear(reply: Reply): void {
    if (this.hasEnded) return;
    if (reply.kind === 'ready') {
      this.isReady = true;
      this.cpuMsBefore = reply.cpuMs;
      this.begin();
    } else if (this.job !== undefined) {
      this.restTimers();
      if (reply.kind !== 'tooLong') this.cpuMsBefore = reply.cpuMs;
      this.hearOf(this.job, reply);
    }
  }

  private hearOf(job: Job, reply: Exclude<Reply, { readonly kind: 'ready' }>): void {
    const { task, wants } = job;
    switch (reply.kind) {
      case 'answer':
        if (wants === 'pieces') this.end(broken(task, 'expected pieces, got one answer'));
        else {
          const value: unknown = deserialize(reply.bytes);
          this.settle(({ onAnswer }) => onAnswer(value));
        }
        break;
      case 'piece':
        // Until the next is asked for the task is the caller's, and no time runs.
        if (wants === 'pieces') job.onAnswer(deserialize(reply.bytes));
        else this.end(broken(task, 'expected one answer, got pieces'));
        break;
      case 'end':
        this.settle(({ onEnd }) => onEnd());
        break;
      case 'tooLong':
        this.end(limitExceeded(task, 'output', job.limits.outputBytes ?? OUTPUT_BYTES));
        break;
      case 'failed': {
        const { code, message, details } = reply.error;
        const error = code === null ? broken(task, message) : new SeamError(code, message, { details });
        if (reply.isSpoilt) this.end(error);
        else this.settle(({ onError }) => onError(error));
      }
    }
  }

  private say(request: Request, transfer: readonly ArrayBuffer[] = []): void {
    this.worker.postMessage(request, transfer);
  }

  private reasonOf(error: unknown): SeamError {
    const task = this.job?.task ?? 'none';
    // Not by instanceof: the error comes from another thread, and a test runner has its own Error.
    const isFull = (error as { readonly code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
    return isFull
      ? limitExceeded(task, 'heap', this.start.heapMb)
      : broken(task, `its thread failed (${messageOf(error)})`);
  }

  private restTimers(): void {
    clearTimeout(this.timer);
    clearTimeout(this.wallTimer);
    this.turn++;
  }

  private settle(tell: (job: Job) => void): void {
    const { job } = this;
    if (job === undefined) return;
    this.job = undefined;
    this.restTimers();
    job.limits.signal?.removeEventListener('abort', this.abort);
    this.worker.unref();
    tell(job);
    this.onFree(this);
  }
}

export const aborted = (task: string): SeamError =>
  new SeamError('ABORTED', `Cannot finish the task ${task}: it was aborted before it had an answer.`);

const broken = (task: string, why: string): SeamError =>
  new SeamError('INTERNAL', `Cannot finish the task ${task}: ${why}.`, { details: { task } });
