/**
 * A file of cells, sorted by name, written once and never changed.
 *
 *   block   entries: bytes of the name (u32), bytes of the cell (u32), name, cell (UTF-8)
 *   …
 *   index   JSON: of each block its first name, offset, bytes, and CRC-32
 *
 * A reader knows the digest of the index, so that every byte that is read is checked: a block against the index, the index against the
 * digest. It is read with ordinary reads. A memory-mapped database would take the process down where its file is damaged.
 */
import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { sha256 } from '@seamstream/kernel';

export type Entry = readonly [name: string, cell: string];

/** What one has to know of a file to believe it. */
export interface CellFileFacts {
  readonly file: string;
  readonly cells: number;
  /** Bytes of all blocks: where the index begins. */
  readonly dataBytes: number;
  readonly indexBytes: number;
  /** SHA-256 of the index. */
  readonly indexDigest: string;
}

type BlockFacts = readonly [firstName: string, offset: number, bytes: number, crc: number];

/** A snapshot's bytes are not those that were written. */
export class DamagedSnapshot extends Error {}

/** Large enough that the index is small (one entry for about 80 cells), small enough that a look-up reads little. */
const BLOCK_BYTES = 8192;
/** Blocks of a file that stay in memory: 16 MiB. */
const CACHED_BLOCKS = 2048;
const OWNER_ONLY = 0o600;

/** @param entries in the order of their names by code unit, each name once */
export function writeCellFile(folder: string, file: string, entries: Iterable<Entry>): CellFileFacts {
  const fd = openSync(`${folder}/${file}`, 'wx', OWNER_ONLY);
  try {
    const blocks: BlockFacts[] = [];
    let dataBytes = 0;
    let cells = 0;
    let parts: Buffer[] = [];
    let firstName = '';
    let bytes = 0;
    const flush = (): void => {
      const block = Buffer.concat(parts);
      writeSync(fd, block);
      blocks.push([firstName, dataBytes, block.length, crc32(block)]);
      dataBytes += block.length;
      parts = [];
      bytes = 0;
    };
    for (const [name, cell] of entries) {
      if (bytes === 0) firstName = name;
      const entry = encoded(name, cell);
      parts.push(entry);
      bytes += entry.length;
      cells++;
      if (bytes >= BLOCK_BYTES) flush();
    }
    if (bytes > 0) flush();
    const index = Buffer.from(JSON.stringify(blocks));
    writeSync(fd, index);
    return { file, cells, dataBytes, indexBytes: index.length, indexDigest: sha256(index) };
  } finally {
    closeSync(fd);
  }
}

function encoded(name: string, cell: string): Buffer {
  const nameBytes = Buffer.byteLength(name);
  const entry = Buffer.allocUnsafe(8 + nameBytes + Buffer.byteLength(cell));
  entry.writeUInt32LE(nameBytes, 0);
  entry.writeUInt32LE(entry.length - 8 - nameBytes, 4);
  entry.write(name, 8);
  entry.write(cell, 8 + nameBytes);
  return entry;
}

export class CellFile {
  private readonly cached = new Map<number, Buffer>();

  private constructor(
    readonly facts: CellFileFacts,
    private readonly fd: number,
    private readonly blocks: readonly BlockFacts[],
  ) {}

  /** Stays readable when the file is deleted meanwhile. @throws DamagedSnapshot; what the file system throws */
  static open(folder: string, facts: CellFileFacts): CellFile {
    const fd = openSync(`${folder}/${facts.file}`, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const { dataBytes, indexBytes, indexDigest } = facts;
      if (fstatSync(fd).size !== dataBytes + indexBytes) throw new DamagedSnapshot(`${facts.file}: another length`);
      const index = readAt(fd, dataBytes, indexBytes);
      if (sha256(index) !== indexDigest) throw new DamagedSnapshot(`${facts.file}: another index`);
      return new CellFile(facts, fd, JSON.parse(index.toString()) as readonly BlockFacts[]);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  /** @throws DamagedSnapshot */
  get(name: string): string | undefined {
    let low = 0;
    let high = this.blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.blocks[middle]![0] <= name) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return undefined;
    const block = this.block(low - 1);
    const wanted = Buffer.from(name);
    for (let at = 0; at < block.length; ) {
      const nameBytes = block.readUInt32LE(at);
      const cellAt = at + 8 + nameBytes;
      const end = cellAt + block.readUInt32LE(at + 4);
      if (nameBytes === wanted.length && wanted.compare(block, at + 8, cellAt) === 0)
        return block.toString('utf8', cellAt, end);
      at = end;
    }
    return undefined;
  }

  /** All of them, in the order of their names. @throws DamagedSnapshot */
  *entries(): Generator<Entry> {
    for (const facts of this.blocks) {
      const block = this.checked(facts);
      for (let at = 0; at < block.length; ) {
        const cellAt = at + 8 + block.readUInt32LE(at);
        const end = cellAt + block.readUInt32LE(at + 4);
        yield [block.toString('utf8', at + 8, cellAt), block.toString('utf8', cellAt, end)];
        at = end;
      }
    }
  }

  close(): void {
    closeSync(this.fd);
  }

  private block(index: number): Buffer {
    let block = this.cached.get(index);
    if (block === undefined) {
      block = this.checked(this.blocks[index]!);
      const [oldest] = this.cached.keys();
      if (this.cached.size >= CACHED_BLOCKS && oldest !== undefined) this.cached.delete(oldest);
      this.cached.set(index, block);
    }
    return block;
  }

  private checked([, offset, bytes, crc]: BlockFacts): Buffer {
    const block = readAt(this.fd, offset, bytes);
    if (crc32(block) !== crc) throw new DamagedSnapshot(`${this.facts.file}: another block at ${offset}`);
    return block;
  }
}

function readAt(fd: number, offset: number, bytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(bytes);
  for (let read = 0; read < bytes; ) {
    const more = readSync(fd, buffer, read, bytes - read, offset + read);
    if (more === 0) throw new DamagedSnapshot('a file ends too early');
    read += more;
  }
  return buffer;
}
