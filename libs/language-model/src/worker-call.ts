/**
 * Calls across a worker thread: one request, one answer, answered in the order they were sent. Typed errors arrive
 * as typed errors on the other side.
 */
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { type ErrorCode, isSeamError, messageOf, SeamError } from '@seamstream/kernel';

interface Call {
  readonly id: number;
  readonly method: string;
  readonly payload: unknown;
}

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly details: Readonly<Record<string, unknown>>;
  };
}

/** What a worker answers to. The payload's type is agreed between the two sides that share this file's callers. */
export type WorkerMethods = Readonly<Record<string, (payload: never) => Promise<unknown>>>;

/** Inside a worker: builds the methods from the data it was started with, then answers until it is ended. */
export function serveCalls(start: (data: never) => Promise<WorkerMethods>): void {
  const port = parentPort;
  if (!port) throw new SeamError('INTERNAL', 'This module answers calls inside a worker thread; start it as one');
  // A failed start is the answer to every call.
  const methods = start(workerData as never);
  methods.catch(() => undefined);
  let turn: Promise<void> = Promise.resolve();
  port.on('message', ({ id, method, payload }: Call) => {
    turn = turn.then(async () => {
      try {
        const handler = (await methods)[method]!;
        port.postMessage({ id, result: await handler(payload as never) } satisfies Answer);
      } catch (error) {
        const code = isSeamError(error) ? error.code : 'INTERNAL';
        const details = isSeamError(error) ? error.details : {};
        port.postMessage({ id, error: { code, message: messageOf(error), details } } satisfies Answer);
      }
    });
  });
}

/** Outside: a worker to call. */
export class WorkerClient {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  #nextId = 0;
  #ended: SeamError | undefined;

  constructor(entry: URL, data: unknown) {
    this.#worker = new Worker(entry, { workerData: data });
    this.#worker.on('message', ({ id, result, error }: Answer) => {
      const caller = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error) caller?.reject(new SeamError(error.code, error.message, { details: error.details }));
      else caller?.resolve(result as never);
      if (this.#waiting.size === 0) this.#worker.unref();
    });
    this.#worker.on('error', (cause) => this.#end(`failed: ${messageOf(cause)}`, cause));
    this.#worker.on('exit', (code) => this.#end(`ended with exit code ${code}`));
    this.#worker.unref();
  }

  /** Whether every further call is refused: the worker was closed, or its thread is gone. */
  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** @throws what the method throws; SESSION_FAILED when the worker has ended. */
  call<Result>(method: string, payload: unknown): Promise<Result> {
    if (this.#ended) return Promise.reject(this.#ended);
    const id = this.#nextId++;
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      // An idle worker does not keep the process alive; one that computes does.
      this.#worker.ref();
      this.#worker.postMessage({ id, method, payload } satisfies Call);
    });
  }

  async close(): Promise<void> {
    this.#ended ??= new SeamError('SESSION_FAILED', 'The model was closed; load it again to call it');
    await this.#worker.terminate();
  }

  #end(what: string, cause?: unknown): void {
    this.#ended ??= new SeamError(
      'SESSION_FAILED',
      `The worker thread of a model ${what}; it has to be started again`,
      {
        cause,
      },
    );
    for (const { reject } of this.#waiting.values()) reject(this.#ended);
    this.#waiting.clear();
  }
}
