/** The event log's side of its writer thread: starts it with the first write, matches answers to requests. */
import { Worker } from 'node:worker_threads';
import { messageOf, SeamError } from '@seamstream/kernel';
import type { MembershipChange } from './group-membership.js';
import type { PlainError, WriterMessage, WriterRequest, WriterStart } from './log-writer.protocol.js';

/** Compiled by scripts/build.mjs; a thread cannot run TypeScript. */
const WORKER = new URL('../dist/log-writer.worker.js', import.meta.url);

export interface MembershipListener {
  readonly onChange: (change: MembershipChange) => void;
  readonly onError: (error: SeamError) => void;
}

export class WriterThread {
  private readonly pending = new Map<
    number,
    { readonly resolve: (result: never) => void; readonly reject: (error: unknown) => void }
  >();
  readonly members = new Map<string, MembershipListener>();
  private worker: Worker | undefined;
  private nextId = 0;
  private failure: SeamError | undefined;

  constructor(
    private readonly start: WriterStart,
    private readonly onReturned: (memory: readonly ArrayBuffer[]) => void,
  ) {}

  /** Sends a request and answers its result, or throws its SeamError. LOG_UNAVAILABLE when the thread has ended. */
  request<T>(message: WriterRequest, transfer: readonly ArrayBuffer[] = []): Promise<T> {
    if (this.failure) return Promise.reject(this.failure);
    const worker = (this.worker ??= this.startWorker());
    const id = this.nextId++;
    return new Promise<T>((resolve, reject) => {
      if (this.pending.size === 0) worker.ref(); // a process stays alive for its unfinished writes only
      this.pending.set(id, { resolve, reject });
      worker.postMessage({ id, message }, transfer);
    });
  }

  async close(): Promise<void> {
    const { worker } = this;
    if (!worker || this.failure) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    await this.request({ kind: 'close' });
    worker.ref(); // the last answer let go of the thread, but a process whose last act this is must see it end
    await ended;
  }

  private startWorker(): Worker {
    // The thread needs none of the process's own flags (a test runner's, say), and warnings belong to the main thread.
    const worker = new Worker(WORKER, { workerData: this.start, name: 'event-log-writer', execArgv: [] });
    worker.on('message', (message: WriterMessage) => this.onMessage(message));
    worker.on('error', (error) => this.onEnd(`its writer failed: ${messageOf(error)}`, error));
    worker.on('exit', () => this.onEnd('its writer has ended'));
    return worker;
  }

  private onMessage(message: WriterMessage): void {
    if ('returned' in message) this.onReturned(message.returned);
    switch (message.kind) {
      case 'membership':
        this.members.get(message.memberId)?.onChange(message.change);
        return;
      case 'memberFailed':
        this.members.get(message.memberId)?.onError(revived(message.error));
        return;
      case 'done':
        this.take(message.id)?.resolve(message.result as never);
        return;
      case 'failed':
        this.take(message.id)?.reject(revived(message.error));
    }
  }

  private take(
    id: number,
  ): { readonly resolve: (result: never) => void; readonly reject: (error: unknown) => void } | undefined {
    const found = this.pending.get(id);
    this.pending.delete(id);
    if (this.pending.size === 0) this.worker?.unref();
    return found;
  }

  private onEnd(reason: string, cause?: unknown): void {
    this.failure ??= new SeamError(
      'LOG_UNAVAILABLE',
      `Cannot use the event log: ${reason}. Open the log again.`,
      cause === undefined ? {} : { cause },
    );
    for (const { reject } of this.pending.values()) reject(this.failure);
    for (const { onError } of this.members.values()) onError(this.failure);
    this.pending.clear();
    this.members.clear();
  }
}

function revived({ code, message, details }: PlainError): SeamError {
  return new SeamError(code, message, { details });
}
