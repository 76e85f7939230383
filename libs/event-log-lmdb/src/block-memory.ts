/**
 * Memory in which blocks are put together and travel to the writer's thread. A slab is lent to the writer with a request and
 * comes back with the answer, so an appender that waits for each commit writes the same warm bytes again and again; fresh
 * memory costs a page fault for every 4 KiB. One slab is always at home to encode into: when it is the last, and for small
 * requests, what was written is copied into separate memory instead.
 */

const SLAB_BYTES = 4 * 1024 ** 2;
const SLABS = 3;
/** Copying this little is cheaper than keeping a slab busy. */
const SMALL_BYTES = 16 * 1024;

/** Memory to write into; free from byte `end` on. */
export interface Slab {
  readonly bytes: Buffer<ArrayBuffer>;
  /** The same memory, whose sub-arrays are plain arrays. */
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly view: DataView;
  end: number;
}

export class BlockMemory {
  private readonly home: Slab[] = [];
  private made = 0;

  /** A slab to write into, exclusive to the caller until {@link send}. */
  take(): Slab {
    const slab = this.home.pop();
    if (slab) return slab;
    this.made++;
    return slabOf(new ArrayBuffer(SLAB_BYTES)); // the system provides pages when they are first written
  }

  /**
   * The bytes of the slab in memory that can move to another thread; `lent` when that is the slab itself, which is then to be
   * brought home.
   */
  send(slab: Slab): { readonly buffer: ArrayBuffer; readonly lent: boolean } {
    const { end, plain } = slab;
    const isLast = this.home.length === 0 && this.made >= SLABS;
    if (end > SMALL_BYTES && !isLast) return { buffer: plain.buffer, lent: true };
    this.home.push(slab);
    slab.end = 0;
    const { buffer } = Buffer.allocUnsafeSlow(end);
    new Uint8Array(buffer).set(plain.subarray(0, end));
    return { buffer, lent: false };
  }

  /** Brings slabs home that were lent. */
  bringHome(buffers: readonly ArrayBuffer[]): void {
    for (const buffer of buffers) this.home.push(slabOf(buffer));
  }
}

function slabOf(memory: ArrayBuffer): Slab {
  return { bytes: Buffer.from(memory), plain: new Uint8Array(memory), view: new DataView(memory), end: 0 };
}

/** Whether a slab has room for `size` more bytes. */
export function hasRoom(slab: Slab, size: number): boolean {
  return slab.end + size <= SLAB_BYTES;
}
