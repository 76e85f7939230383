/** The side inside a thread: a worker module calls {@link answerTasks} once with what it can do. */
import { serialize } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { isSeamError, SeamError } from '@seamstream/kernel';
import type { BufferLimit } from './buffer-limit.js';
import { plainError, type Reply, type Request } from './messages.js';

type Pieces = AsyncIterator<unknown> | Iterator<unknown>;

/**
 * Tasks by name. A task answers a value or a promise of one, or, as a generator, pieces that are asked for one by one. An error that
 * a task throws after its first turn ends its thread, since parts of the task may still run there. A SeamError vouches that none does.
 * The two modules that name the task agree on the type of its input.
 */
export type Tasks = Readonly<Record<string, (input: never) => unknown>>;

/**
 * Answers tasks until the thread is ended. What has to be warm before the first limit counts is done before this call.
 * @param buffers counts each task's buffers from 0
 * @throws INTERNAL outside of a thread
 */
export function answerTasks(tasks: Tasks, buffers?: BufferLimit): void {
  const port = parentPort;
  if (port === null)
    throw new SeamError(
      'INTERNAL',
      'Cannot answer tasks: expected to run inside a worker thread, got the main thread.',
    );
  const answerer = new TaskAnswerer(tasks, (message, transfer = []) => port.postMessage(message, transfer), buffers);
  // Of several parts of a task that fail, the first is its error; no caller waits for the others. The thread is replaced then.
  process.on('unhandledRejection', () => undefined);
  port.on('message', (request: Request) => {
    switch (request.kind) {
      case 'begin':
        answerer.begin(request.task, request.input, request.outputBytes);
        return;
      case 'next':
        return void answerer.sendNext();
      case 'drop':
        answerer.drop();
    }
  });
  answerer.reply({ kind: 'ready', cpuMs: cpuMs() });
}

/** Runs one task after the other, and holds the pieces of the current one. */
class TaskAnswerer {
  private outputBytes = 0;
  private pieces: Pieces | undefined;

  constructor(
    private readonly tasks: Tasks,
    readonly reply: (message: Reply, transfer?: readonly ArrayBuffer[]) => void,
    private readonly buffers: BufferLimit | undefined,
  ) {}

  begin(task: string, input: unknown, outputBytes: number): void {
    this.outputBytes = outputBytes;
    let outcome: unknown;
    this.buffers?.begin(task);
    try {
      const work = Object.hasOwn(this.tasks, task) ? this.tasks[task] : undefined;
      if (work === undefined)
        throw new SeamError('INTERNAL', `Cannot begin a task: expected one that the module knows, got ${task}.`);
      outcome = work(input as never);
    } catch (error) {
      this.fail(error, false);
      return;
    }
    if (isPieces(outcome)) {
      this.pieces = outcome;
      void this.sendNext();
    } else if (outcome instanceof Promise) {
      outcome.then(
        (value: unknown) => this.send('answer', value),
        (error: unknown) => this.fail(error, true),
      );
    } else this.send('answer', outcome);
  }

  async sendNext(): Promise<void> {
    try {
      const piece = await this.pieces?.next();
      if (piece !== undefined && piece.done !== true) {
        this.send('piece', piece.value);
        return;
      }
      this.pieces = undefined;
      this.reply({ kind: 'end', cpuMs: cpuMs() });
    } catch (error) {
      this.fail(error, true);
    }
  }

  drop(): void {
    void this.pieces?.return?.();
    this.pieces = undefined;
  }

  private send(kind: 'answer' | 'piece', value: unknown): void {
    let bytes: Uint8Array | undefined;
    try {
      bytes = isLongerThan(this.outputBytes, value) ? undefined : serialize(value);
    } catch (error) {
      this.fail(error, false);
      return;
    }
    if (bytes === undefined || bytes.length > this.outputBytes) this.reply({ kind: 'tooLong' });
    else this.reply({ kind, bytes, cpuMs: cpuMs() }, [bytes.buffer as ArrayBuffer]);
  }

  private fail(error: unknown, isLate: boolean): void {
    const isSpoilt = isLate && !isSeamError(error);
    this.pieces = undefined;
    this.reply({ kind: 'failed', error: plainError(error), isSpoilt, cpuMs: cpuMs() });
  }
}

/**
 * Whether a value certainly takes more bytes. It may hold one text a thousand times, and would be serialised as often, so this is
 * found out before. What leads back to itself ends here too: each visit counts.
 */
function isLongerThan(limit: number, value: unknown): boolean {
  const open: unknown[] = [value];
  for (let bytes = 0; open.length > 0; ) {
    const each = open.pop();
    bytes += typeof each === 'string' ? each.length : ArrayBuffer.isView(each) ? each.byteLength : 1;
    if (bytes > limit || open.length > limit) return true;
    if (typeof each !== 'object' || each === null || ArrayBuffer.isView(each)) continue;
    for (const inner of Array.isArray(each) ? (each as unknown[]) : Object.values(each)) open.push(inner);
  }
  return false;
}

/** Processor time of this thread so far, in milliseconds. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

const isPieces = (value: unknown): value is Pieces =>
  typeof value === 'object' &&
  value !== null &&
  'next' in value &&
  typeof value.next === 'function' &&
  (Symbol.iterator in value || Symbol.asyncIterator in value);
