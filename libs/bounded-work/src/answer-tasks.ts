/** The side inside a thread: a worker module calls {@link answerTasks} once with what it can do. */
import { serialize } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { isSeamError, SeamError } from '@seamstream/kernel';
import type { BufferLimit } from './buffer-limit.js';
import { plainError, type Reply, type Request } from './messages.js';

type Pieces = AsyncIterator<unknown> | Iterator<unknown>;

/**
 * Tasks by name. A task answers a value or a promise of one, or, as a generator, in pieces that are asked for one by one. What a task throws later than at once ends its thread, since parts of it may go on there;
 * by a SeamError it vouches that none does. The type of an input is agreed between the two modules that name the task.
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
  const reply = (message: Reply, transfer: readonly ArrayBuffer[] = []): void => port.postMessage(message, transfer);
  let outputBytes = 0;
  let pieces: Pieces | undefined;

  const send = (kind: 'answer' | 'piece', value: unknown): void => {
    let bytes: Uint8Array | undefined;
    try {
      bytes = isLongerThan(outputBytes, value) ? undefined : serialize(value);
    } catch (error) {
      fail(error, false);
      return;
    }
    if (bytes === undefined || bytes.length > outputBytes) reply({ kind: 'tooLong' });
    else reply({ kind, bytes, cpuMs: cpuMs() }, [bytes.buffer as ArrayBuffer]);
  };
  const fail = (error: unknown, isLate: boolean): void => {
    const isSpoilt = isLate && !isSeamError(error);
    pieces = undefined;
    reply({ kind: 'failed', error: plainError(error), isSpoilt, cpuMs: cpuMs() });
  };
  const sendNext = async (): Promise<void> => {
    try {
      const piece = await pieces?.next();
      if (piece !== undefined && piece.done !== true) {
        send('piece', piece.value);
        return;
      }
      pieces = undefined;
      reply({ kind: 'end', cpuMs: cpuMs() });
    } catch (error) {
      fail(error, true);
    }
  };
  const begin = (task: string, input: unknown): void => {
    let outcome: unknown;
    buffers?.begin(task);
    try {
      const work = Object.hasOwn(tasks, task) ? tasks[task] : undefined;
      if (work === undefined)
        throw new SeamError('INTERNAL', `Cannot begin a task: expected one that the module knows, got ${task}.`);
      outcome = work(input as never);
    } catch (error) {
      fail(error, false);
      return;
    }
    if (isPieces(outcome)) {
      pieces = outcome;
      void sendNext();
    } else if (outcome instanceof Promise) {
      outcome.then(
        (value: unknown) => send('answer', value),
        (error: unknown) => fail(error, true),
      );
    } else send('answer', outcome);
  };

  // Of several parts of a task that fail, the first is its error; those after it have nobody to tell. The thread is replaced then.
  process.on('unhandledRejection', () => undefined);
  port.on('message', (request: Request) => {
    switch (request.kind) {
      case 'begin':
        outputBytes = request.outputBytes;
        {
          begin(request.task, request.input);
          return;
        }
      case 'next':
        return void sendNext();
      case 'drop':
        void pieces?.return?.();
        pieces = undefined;
    }
  });
  reply({ kind: 'ready', cpuMs: cpuMs() });
}

/**
 * Whether a value certainly takes more bytes. One text may stand in it a thousand times, and would be serialised as often, so this is
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
