/**
 * A thread must not be ended while it is inside the runtime: the runtime then comes back to a thread that has no JavaScript
 * any more and ends the whole process. So a thread counts its calls in memory that it shares with the thread that may end it, and begins none
 * once it is to end.
 *
 *   | int32: calls under way | int32: 1 when the thread is to end |
 */
const UNDER_WAY = 0;
const ENDING = 1;

let counted: Int32Array | undefined;

/** Memory for {@link countNativeCalls} and {@link lastNativeCall}. */
export function nativeCallCounter(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
}

/** Within a thread that another may end: counts its calls from now on. */
export function countNativeCalls(counter: Int32Array): void {
  counted = counter;
}

/** Makes a call of the runtime; never resolves where the thread is to end. */
export async function nativeCall<Result>(call: () => Promise<Result>): Promise<Result> {
  const counter = counted;
  if (!counter) return call();
  const leave = (): void => {
    Atomics.sub(counter, UNDER_WAY, 1);
    Atomics.notify(counter, UNDER_WAY);
  };
  // Counted before it looks: a caller that ends the thread between the two waits for it.
  Atomics.add(counter, UNDER_WAY, 1);
  if (Atomics.load(counter, ENDING) === 1) {
    leave();
    return new Promise(() => undefined);
  }
  try {
    return await call();
  } finally {
    leave();
  }
}

/** Outside: lets the thread begin no call any more, and resolves when its last has come back, or when one takes longer than the time. */
export async function lastNativeCall(counter: Int32Array, atMostMs: number): Promise<void> {
  Atomics.store(counter, ENDING, 1);
  for (let calls = Atomics.load(counter, UNDER_WAY); calls > 0; calls = Atomics.load(counter, UNDER_WAY)) {
    if ((await Atomics.waitAsync(counter, UNDER_WAY, calls, atMostMs).value) === 'timed-out') return;
  }
}

/** As {@link lastNativeCall}, for the end of the process, where nothing can be awaited. */
export function lastNativeCallSync(counter: Int32Array, atMostMs: number): void {
  Atomics.store(counter, ENDING, 1);
  for (let calls = Atomics.load(counter, UNDER_WAY); calls > 0; calls = Atomics.load(counter, UNDER_WAY)) {
    if (Atomics.wait(counter, UNDER_WAY, calls, atMostMs) === 'timed-out') return;
  }
}
