/**
 * What all that is remembered for one reader of evidence takes, and how little of it has to go. Counted is what is held, not what was
 * written: a record's objects and key as well as its value, and of a value the whole piece of memory that it is a part of (a log's block,
 * or an answer of the broker), once, as long as one record in it is remembered.
 */

/** All partitions together: some ten thousand experiences. */
const MEMORY_BYTES = 64 * 2 ** 20;

export interface Held {
  readonly key: string | null;
  /** Besides the value and the key: objects, texts, places in maps. */
  readonly entryBytes: number;
  readonly value: Uint8Array | null;
}

/** UTF-16, at most. */
const BYTES_PER_CHARACTER = 2;

export class Memory {
  /** Bytes of all parts. */
  held = 0;
  private readonly parts: MemoryPart[] = [];

  constructor(readonly limit = MEMORY_BYTES) {}

  part(owner: Owner): MemoryPart {
    const part = new MemoryPart(this, owner);
    this.parts.push(part);
    return part;
  }

  /**
   * Bytes that a part may take, after all have forgotten what they need no more to make room for so many. Half of all is divided among the
   * parts, so that none waits for another's; the other half is whose it is first.
   */
  roomFor(part: MemoryPart, bytes: number): number {
    let room = this.roomOf(part);
    while (room < bytes) {
      const stale = this.parts.filter(({ owner }) => owner.isOldestStale());
      if (stale.length === 0 || !largestOf(stale).owner.forgetOldest()) break;
      room = this.roomOf(part);
    }
    return room;
  }

  private roomOf(part: MemoryPart): number {
    const share = this.limit / (2 * this.parts.length);
    const common = this.parts.reduce((left, { bytes }) => left - Math.max(0, bytes - share), this.limit / 2);
    return common + Math.max(0, share - part.bytes);
  }

  /** Forgets what is oldest in the part that holds most, until all is within the limit. */
  shrink(): void {
    while (this.held > this.limit) {
      if (!largestOf(this.parts).owner.forgetOldest()) return;
    }
  }
}

function largestOf(parts: readonly MemoryPart[]): MemoryPart {
  return parts.reduce((most, part) => (part.bytes > most.bytes ? part : most));
}

/** Who remembers records. */
interface Owner {
  /** False when nothing is remembered. */
  forgetOldest(): boolean;
  /** Whether what is oldest is not waited for: what came after it has been asked for. */
  isOldestStale(): boolean;
}

/** A piece of memory, and how many values in it are held. */
interface Piece {
  readonly buffer: ArrayBufferLike;
  values: number;
}

/** What one partition's records take. */
export class MemoryPart {
  bytes = 0;
  private readonly pieces = new Map<ArrayBufferLike, Piece>();
  private last: Piece | undefined;

  constructor(
    private readonly whole: Memory,
    readonly owner: Owner,
  ) {}

  hold(held: Held): void {
    this.count(held, 1);
  }

  release(held: Held): void {
    this.count(held, -1);
  }

  /** One function for both: this is asked for every record, and each function that is hot has to be compiled. */
  private count({ key, entryBytes, value }: Held, values: 1 | -1): void {
    let bytes = values * (entryBytes + BYTES_PER_CHARACTER * (key?.length ?? 0));
    if (value !== null) {
      const { buffer } = value;
      // Records that follow one another mostly lie in one piece.
      if (this.last?.buffer !== buffer) {
        let piece = this.pieces.get(buffer);
        if (piece === undefined) this.pieces.set(buffer, (piece = { buffer, values: 0 }));
        this.last = piece;
      }
      const piece = this.last;
      if (piece.values === 0) bytes += buffer.byteLength;
      piece.values += values;
      if (piece.values === 0) {
        this.pieces.delete(buffer);
        this.last = undefined;
        bytes -= buffer.byteLength;
      }
    }
    this.bytes += bytes;
    this.whole.held += bytes;
  }
}
