import { createHash } from 'node:crypto';

/**
 * A file that can be read anywhere and more than once: what is too large for memory is checked in a first pass and used in
 * a second. The same shape as hyparquet's AsyncBuffer.
 */
export interface FileBytes {
  /** As a person knows it, for messages. */
  readonly name?: string;
  readonly byteLength: number;
  /** Bytes from `start` to before `end` (default: the file's end). */
  slice(start: number, end?: number): ArrayBuffer | Promise<ArrayBuffer>;
}

/** Bytes read in one piece. */
const PIECE_BYTES = 1 << 20;

/** A file that is in memory already. */
export function bytesInMemory(bytes: Uint8Array): FileBytes {
  return {
    byteLength: bytes.length,
    // A Buffer's own slice would be a view of memory that it shares with others.
    slice: (start, end = bytes.length) => Uint8Array.from(bytes.subarray(start, end)).buffer,
  };
}

/** The bytes of the file in their order, in pieces of at most 1 MiB. */
export async function* piecesOf(file: FileBytes): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.byteLength; at += PIECE_BYTES) {
    yield new Uint8Array(await file.slice(at, Math.min(at + PIECE_BYTES, file.byteLength)));
  }
}

/** SHA-256 of the whole file as 64 hexadecimal digits. */
export async function fileDigest(file: FileBytes): Promise<string> {
  const digest = createHash('sha256');
  for await (const piece of piecesOf(file)) digest.update(piece);
  return digest.digest('hex');
}
