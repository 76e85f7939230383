/**
 * Calls across a worker thread: one request, one answer, begun in the order they were sent; news on the way and an end before
 * the answer where a caller wants them. Typed errors arrive as typed errors on the other side.
 */
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { type ErrorCode, isSeamError, messageOf, SeamError } from '@seamstream/kernel';
import { countNativeCalls, lastNativeCall, lastNativeCallSync, nativeCallCounter } from '@seamstream/tensor-graph';

interface Call {
  readonly id: number;
  readonly method: string;
  readonly payload: unknown;
}

/** Ends a call that is under way. */
interface Cancellation {
  readonly cancel: number;
}

interface Answer {
  readonly id: number;
  /** Not the answer yet. */
  readonly news?: unknown;
  readonly result?: unknown;
  readonly error?: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly details: Readonly<Record<string, unknown>>;
  };
}

/** What a worker answers to. The payload's type is agreed between the two sides that share this file's callers. */
export type WorkerMethods = Readonly<Record<string, (payload: never, call: ServedCall) => Promise<unknown>>>;

export interface ServedCall {
  /** Aborted when the caller gave the call up. */
  readonly signal: AbortSignal;
  readonly tell: (news: unknown) => void;
}

/**
 * Inside a worker: builds the methods from the data it was started with, then answers until it is ended.
 * @param turns whether a call waits until the one before it is answered.
 */
export function serveCalls(
  start: (data: never) => Promise<WorkerMethods>,
  turns: 'in turn' | 'side by side' = 'in turn',
): void {
  const port = parentPort;
  if (!port)
    throw new SeamError(
      'INTERNAL',
      'Cannot answer calls: expected to run in a worker thread. Start this module as one.',
    );
  // A failed start is the answer to every call.
  const { data, nativeCalls } = workerData as StartData;
  countNativeCalls(nativeCalls);
  const methods = start(data as never);
  methods.catch(() => undefined);
  const underWay = new Map<number, AbortController>();
  let turn: Promise<void> = Promise.resolve();
  const answer = async ({ id, method, payload }: Call, { signal }: AbortController): Promise<void> => {
    try {
      const handler = (await methods)[method]!;
      const tell = (news: unknown): void => port.postMessage({ id, news } satisfies Answer);
      port.postMessage({ id, result: await handler(payload as never, { signal, tell }) } satisfies Answer);
    } catch (error) {
      const code = isSeamError(error) ? error.code : 'INTERNAL';
      const details = isSeamError(error) ? error.details : {};
      port.postMessage({ id, error: { code, message: messageOf(error), details } } satisfies Answer);
    } finally {
      underWay.delete(id);
    }
  };
  port.on('message', (message: Call | Cancellation) => {
    if ('cancel' in message) {
      underWay.get(message.cancel)?.abort();
      return;
    }
    const controller = new AbortController();
    underWay.set(message.id, controller);
    if (turns === 'side by side') void answer(message, controller);
    else turn = turn.then(() => answer(message, controller));
  });
}

interface StartData {
  readonly data: unknown;
  readonly nativeCalls: Int32Array;
}

/** A call of the runtime computes a step or compiles a graph, of a large model in tens of seconds. What takes longer is ended as it is. */
const LONGEST_NATIVE_CALL_MS = 120_000;

/** Counters of the threads that live. */
const living = new Set<Int32Array>();
process.on('exit', () => {
  for (const nativeCalls of living) lastNativeCallSync(nativeCalls, LONGEST_NATIVE_CALL_MS);
});

export interface CallOptions {
  /** Asks the worker to end the call; it still answers. */
  readonly signal?: AbortSignal | undefined;
  readonly onNews?: ((news: never) => void) | undefined;
}

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
  readonly onNews: CallOptions['onNews'];
}

/** Outside: a worker to call. */
export class WorkerClient {
  readonly #worker: Worker;
  readonly #nativeCalls = nativeCallCounter();
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 0;
  #ended: SeamError | undefined;

  constructor(entry: URL, data: unknown) {
    this.#worker = new Worker(entry, {
      workerData: { data, nativeCalls: this.#nativeCalls } satisfies StartData,
      // Of the caller, as it is now.
      env: process.env,
    });
    living.add(this.#nativeCalls);
    this.#worker.on('message', (answer: Answer) => {
      const { id, result, error } = answer;
      const caller = this.#waiting.get(id);
      if ('news' in answer) {
        caller?.onNews?.(answer.news as never);
        return;
      }
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
  call<Result>(method: string, payload: unknown, { signal, onNews }: CallOptions = {}): Promise<Result> {
    if (this.#ended) return Promise.reject(this.#ended);
    const id = this.#nextId++;
    const cancel = (): void => this.#worker.postMessage({ cancel: id } satisfies Cancellation);
    const answered = new Promise<Result>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, onNews });
      // An idle worker does not keep the process alive; one that computes does.
      this.#worker.ref();
      this.#worker.postMessage({ id, method, payload } satisfies Call);
      if (signal?.aborted) cancel();
      else signal?.addEventListener('abort', cancel, { once: true });
    });
    return answered.finally(() => signal?.removeEventListener('abort', cancel));
  }

  async close(): Promise<void> {
    this.#ended ??= new SeamError('SESSION_FAILED', 'Cannot call the model: it was closed. Load it again.');
    await lastNativeCall(this.#nativeCalls, LONGEST_NATIVE_CALL_MS);
    await this.#worker.terminate();
  }

  #end(what: string, cause?: unknown): void {
    living.delete(this.#nativeCalls);
    this.#ended ??= new SeamError(
      'SESSION_FAILED',
      `Cannot call the model: its worker thread ${what}. Load the model again.`,
      {
        cause,
      },
    );
    for (const { reject } of this.#waiting.values()) reject(this.#ended);
    this.#waiting.clear();
  }
}
