/**
 * The files that commands write. A file gets its name when it is whole. A long work grows next to it under the name of a part, line by
 * line, so that a stop loses nothing. Nothing but a plain file is ever replaced, and that only on request.
 */
import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, chmod, type FileHandle, link, lstat, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isSeamError, messageOf, SeamError } from '@seamstream/kernel';
import type { GrowingOutput, GrowOptions, OutputOptions } from '@seamstream/operations/evaluate';
import { outputTaken, STANDARD_STREAM } from '../command-runtime.js';

/** Only its owner reads a new file: answers quote the questions. */
const NEW_FILE = 0o600;

const LINE_BREAK = 0x0a;
/** Bytes of a part that are read at a time. */
const PIECE = 1 << 16;

/** What has the name that is to be written. */
type Place =
  | { readonly kind: 'free' }
  | { readonly kind: 'file'; readonly mode: number }
  /** A pipe or a character device: it holds nothing that could be lost. */
  | { readonly kind: 'stream' };

export type FileIdentity = Pick<Stats, 'dev' | 'ino'>;

/** @param inputs files that the command has opened to read: none of them may be replaced */
export class OutputFiles {
  constructor(
    private readonly inputs: readonly FileIdentity[],
    private readonly stdout: Pick<NodeJS.WriteStream, 'write'> = process.stdout,
  ) {}

  async check(path: string, options: OutputOptions = {}): Promise<void> {
    if (path !== STANDARD_STREAM) await this.placeOf(path, options);
  }

  async write(path: string, body: Uint8Array, options: OutputOptions = {}): Promise<void> {
    if (path === STANDARD_STREAM) return this.print(body);
    const place = await this.placeOf(path, options);
    if (place.kind === 'stream') return writing(path, () => writeFile(path, body));
    const part = `${path}.${randomUUID()}.part`;
    await writing(path, async () => {
      try {
        const file = await open(part, 'wx', NEW_FILE);
        try {
          await file.writeFile(body);
          await file.sync();
        } finally {
          await file.close();
        }
        await giveName(part, path, place);
      } catch (error) {
        await rm(part, { force: true });
        throw error;
      }
    });
  }

  async grow(path: string, options: GrowOptions = {}): Promise<GrowingOutput> {
    const { work, keep } = options;
    if (path === STANDARD_STREAM) return streamed((lines) => this.print(Buffer.from(lines)));
    const place = await this.placeOf(path, options);
    if (place.kind === 'stream') {
      const stream = await writing(path, () => open(path, 'w'));
      return streamed(
        (lines) => writing(path, () => stream.appendFile(lines)),
        () => stream.close(),
      );
    }
    // Two runs of the same work have one part, so that the second resumes where the first stopped; others never share one.
    const part = `${path}.${work ?? randomUUID().slice(0, 8)}.part`;
    return writing(part, async () => {
      const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR } = constants;
      const file = await open(part, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, NEW_FILE);
      try {
        if (!(await file.stat()).isFile()) throw new Error('no plain file');
        const { lines, bytes } = await keptOf(file, keep);
        await file.truncate(bytes);
        return new PartFile(this, file, { part, path, options, kept: lines }, bytes);
      } catch (error) {
        await file.close();
        throw error;
      }
    });
  }

  /** Looked at again when the part is whole: the place may have changed meanwhile. */
  async name(part: string, path: string, options: OutputOptions): Promise<void> {
    const place = await this.placeOf(path, options);
    await writing(path, () => giveName(part, path, place));
  }

  private print(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => void this.stdout.write(bytes, () => resolve()));
  }

  /**
   * @throws CONFLICT for a file that shall not be replaced; INVALID_INPUT for what is no plain file, for a file that the command reads, and for
   * a folder that is not there or cannot be written
   */
  private async placeOf(path: string, { replace = false }: OutputOptions): Promise<Place> {
    const own = await writing(path, () => lstat(path).catch(absent));
    const target = own?.isSymbolicLink() === true ? await stat(path).catch(() => undefined) : own;
    if (target !== undefined && this.inputs.some(({ dev, ino }) => dev === target.dev && ino === target.ino)) {
      throw refusal(path, 'a file that the command does not read', 'its own input', 'Choose another name.');
    }
    if (target?.isFIFO() === true || target?.isCharacterDevice() === true) return { kind: 'stream' };
    if (own !== undefined && !own.isFile()) {
      throw refusal(path, 'a plain file or none', kindOf(own), 'Choose another name; --force replaces files only.');
    }
    if (own !== undefined && !replace) throw outputTaken(path);
    await writing(path, () => access(dirname(path), constants.W_OK | constants.X_OK));
    return own === undefined ? { kind: 'free' } : { kind: 'file', mode: own.mode & 0o777 };
  }
}

/** A part on its way to be a file. */
class PartFile implements GrowingOutput {
  private isOpen = true;

  constructor(
    private readonly files: OutputFiles,
    private readonly file: FileHandle,
    private readonly about: {
      readonly part: string;
      readonly path: string;
      readonly options: OutputOptions;
      readonly kept: number;
    },
    private size: number,
  ) {}

  get kept(): number {
    return this.about.kept;
  }

  get partPath(): string {
    return this.about.part;
  }

  append(lines: string): Promise<void> {
    const { part } = this.about;
    return writing(part, async () => {
      const bytes = Buffer.from(lines);
      await this.file.appendFile(bytes);
      await this.file.datasync();
      this.size += bytes.length;
      await this.assertOwn();
    });
  }

  async finish(whole?: Uint8Array): Promise<void> {
    const { part, path, options } = this.about;
    await writing(part, () => this.assertOwn());
    await this.close();
    if (whole === undefined) return this.files.name(part, path, options);
    await this.files.write(path, whole, options);
    await rm(part, { force: true });
  }

  async close(): Promise<void> {
    if (!this.isOpen) return;
    this.isOpen = false;
    await this.file.close();
    if (this.size === 0) await rm(this.about.part, { force: true });
  }

  /** Two processes that do the same work at once would mix their lines. */
  private async assertOwn(): Promise<void> {
    const { part } = this.about;
    const { size } = await this.file.stat();
    if (size === this.size) return;
    throw new SeamError(
      'CONFLICT',
      `Cannot write ${part}: expected ${this.size} bytes, got ${size}: another process writes there. Let one of the two end, then run the command again; it resumes with the lines that are whole.`,
      { details: { file: part } },
    );
  }
}

/** Where nothing can be taken back: lines go out as they come. */
function streamed(
  append: (lines: string) => Promise<void>,
  close: () => Promise<void> = () => Promise.resolve(),
): GrowingOutput {
  return {
    kept: 0,
    partPath: null,
    append,
    finish: close,
    close,
  };
}

/** The whole lines at the start of a part that still hold, and their bytes. A line that was cut short is left out. */
async function keptOf(
  file: FileHandle,
  keep: GrowOptions['keep'],
): Promise<{ readonly lines: number; readonly bytes: number }> {
  if (keep === undefined) return { lines: 0, bytes: 0 };
  const ends: number[] = [];
  const lines = await keep(linesOf(file, ends));
  return { lines, bytes: ends[lines - 1] ?? 0 };
}

/** The whole lines of a file from its start, in memory one piece of it at a time. @param ends is given the place behind each line */
async function* linesOf(file: FileHandle, ends: number[]): AsyncGenerator<string> {
  const piece = Buffer.alloc(PIECE);
  let begun: Buffer[] = [];
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(piece, 0, PIECE, at);
    if (bytesRead === 0) return;
    const chunk = piece.subarray(0, bytesRead);
    let from = 0;
    for (let end = chunk.indexOf(LINE_BREAK); end >= 0; end = chunk.indexOf(LINE_BREAK, from)) {
      const line = Buffer.concat([...begun, chunk.subarray(from, end)]).toString();
      begun = [];
      from = end + 1;
      ends.push(at + from);
      yield line;
    }
    begun.push(Buffer.from(chunk.subarray(from)));
    at += bytesRead;
  }
}

/** A file that is replaced keeps its permissions. */
async function giveName(part: string, path: string, place: Place): Promise<void> {
  if (place.kind === 'file') {
    await chmod(part, place.mode);
    await rename(part, path);
  } else await placeNew(part, path);
}

/** Gives a file its name unless another has it: after a separate check another process could take the name. */
async function placeNew(part: string, path: string): Promise<void> {
  try {
    await link(part, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw outputTaken(path);
    // A file system without hard links.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
    await rename(part, path);
    return;
  }
  await rm(part);
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}

function kindOf(found: Stats): string {
  if (found.isDirectory()) return 'a folder';
  if (found.isSymbolicLink()) return 'a link';
  return found.isBlockDevice() ? 'a device' : 'a socket';
}

function refusal(path: string, expected: string, got: string, advice: string): SeamError {
  return new SeamError('INVALID_INPUT', `Cannot write ${path}: expected ${expected}, got ${got}. ${advice}`, {
    details: { file: path },
  });
}

/** What the system says about a place is the fault of who named it. */
async function writing<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    if (isSeamError(cause)) throw cause;
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot write ${path}: expected a writable place, got: ${messageOf(cause)}. Choose another place, or make this one writable.`,
      { cause, details: { file: path } },
    );
  }
}
