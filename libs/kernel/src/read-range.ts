import type { FileHandle } from 'node:fs/promises';

/** Bytes. A single read call returns at most 2 GiB on Linux, and so does Node's `readFile`. */
const MOST_AT_ONCE = 2 ** 30;

/** Up to `length` bytes from `offset` on; fewer where the file ends early. */
export async function readRange(
  handle: Pick<FileHandle, 'read'>,
  offset: number,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const most = Math.min(length - filled, MOST_AT_ONCE);
    const { bytesRead } = await handle.read(bytes, filled, most, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
