/** The files that commands read. */
import { type FileHandle, open, readFile } from 'node:fs/promises';
import type { FileBytes } from '@seamstream/datasets';
import { messageOf, SeamError } from '@seamstream/kernel';
import { STANDARD_STREAM } from '../command-runtime.js';
import type { FileIdentity } from './output-file.js';

export async function readInput(path: string): Promise<Uint8Array> {
  if (path !== STANDARD_STREAM) {
    try {
      return await readFile(path);
    } catch (cause) {
      throw new SeamError('NOT_FOUND', `Cannot read ${path}: expected a readable file, got: ${messageOf(cause)}.`, {
        cause,
      });
    }
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

export interface OpenInput extends FileBytes {
  /** Undefined for standard input. */
  readonly identity?: FileIdentity;
  close(): Promise<void>;
}

/** An open file keeps its content for its reader, also where another takes its place. */
export async function openInput(path: string): Promise<OpenInput> {
  if (path === STANDARD_STREAM) {
    // Loaded when it is needed: most commands read no data set.
    const { bytesInMemory } = await import('@seamstream/datasets');
    return { ...bytesInMemory(await readInput(path)), close: () => Promise.resolve() };
  }
  let handle: FileHandle;
  try {
    handle = await open(path);
    if (!(await handle.stat()).isFile()) throw new Error('no plain file');
  } catch (cause) {
    throw new SeamError('NOT_FOUND', `Cannot read ${path}: expected a readable file, got: ${messageOf(cause)}.`, {
      cause,
    });
  }
  const { size, dev, ino } = await handle.stat();
  return {
    identity: { dev, ino },
    byteLength: size,
    async slice(start, end = size) {
      const bytes = new Uint8Array(end - start);
      let filled = 0;
      while (filled < bytes.length) {
        const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, start + filled);
        if (bytesRead === 0)
          throw new SeamError(
            'INVALID_INPUT',
            `Cannot read ${path}: expected ${size} bytes, got ${start + filled}: it was cut short while it was read. Read it again when no program writes to it.`,
          );
        filled += bytesRead;
      }
      return bytes.buffer;
    },
    close: () => handle.close(),
  };
}
