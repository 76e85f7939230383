/**
 * Memory outside of V8's heap, within a thread: V8's own limit does not count it. Every buffer that code in this thread makes by
 * `new ArrayBuffer(n)` or `new Uint8Array(n)` (and the other arrays) is counted before it is made. What native code allocates is not seen
 * here; who decompresses gives that an output limit.
 */
import { limitExceeded } from './limits.js';

const ARRAYS = [
  'Int8Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'Int16Array',
  'Uint16Array',
  'Int32Array',
  'Uint32Array',
  'Float32Array',
  'Float64Array',
  'BigInt64Array',
  'BigUint64Array',
] as const;

type Constructor = new (...args: unknown[]) => object;

/** Counts buffers against a limit for each task. */
export class BufferLimit {
  private task = 'none';
  private bytes = 0;

  /** Takes the place of the thread's constructors; to be called before the modules are loaded that keep them. */
  constructor(private readonly allowed: number) {
    const world = globalThis as unknown as Record<string, Constructor>;
    this.count(world, 'ArrayBuffer', 1);
    for (const name of ARRAYS)
      this.count(world, name, (globalThis[name] as unknown as { BYTES_PER_ELEMENT: number }).BYTES_PER_ELEMENT);
  }

  begin(task: string): void {
    this.task = task;
    this.bytes = 0;
  }

  private count(world: Record<string, Constructor>, name: string, size: number): void {
    world[name] = new Proxy(world[name]!, {
      construct: (target, args: unknown[], newTarget) => {
        if (typeof args[0] === 'number') this.add(args[0] * size);
        return Reflect.construct(target, args, newTarget) as object;
      },
    });
  }

  private add(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes > this.allowed) throw limitExceeded(this.task, 'buffers', this.allowed);
  }
}
