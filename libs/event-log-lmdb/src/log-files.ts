/**
 * Opening the LMDB environment of a log. LMDB trusts the bytes it maps: a foreign or shortened file can end the process
 * with a signal, so the first pages are looked at before they are mapped. LMDB's errors become ours here.
 *
 * Settings: `overlappingSync: false`, because with it a commit is visible, and reported, before it is on disk; binary keys
 * and values; a map of {@link DEFAULT_MAP_SIZE_BYTES} of address space, of which the file takes only what is written.
 */
import {
  accessSync,
  appendFileSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isSeamError, messageOf, newId, SeamError } from '@seamstream/kernel';
import { type Database, open, type RootDatabase } from 'lmdb';
import { FORMAT, READABLE_VERSIONS, stateKey } from './log-keys.js';

/** Address space reserved for a log, bytes, and so the size at which it is full. Costs no disk and no memory. */
export const DEFAULT_MAP_SIZE_BYTES = 64 * 1024 ** 3;

const MAX_READERS = 1024;

/** More than this missing at the end of a file is a cut, not a tail of free pages. */
const MAX_UNWRITTEN_TAIL_BYTES = 1024 ** 2;

/** lmdb.h, and the version of LMDB's file format that lmdb 3 writes. */
const MDB_MAGIC = 0xbeefc0de;
const MDB_DATA_VERSION = 2;
const MDB_INVALID = -30793;
const MDB_VERSION_MISMATCH = -30794;
const MDB_CORRUPTED = -30796;
const MDB_PAGE_NOTFOUND = -30797;
const MDB_PANIC = -30795;
const MDB_MAP_FULL = -30792;
const MDB_READERS_FULL = -30790;
/** Of a value that we wrote: where LMDB's list of free pages is damaged, it gives it lengths that cannot be. */
const MDB_BAD_VALSIZE = -30781;

type BinaryDatabase = Database<Buffer, Buffer>;

export interface LogFiles {
  readonly root: RootDatabase<Buffer, Buffer>;
  readonly records: BinaryDatabase;
  readonly state: BinaryDatabase;
  /** LOG_READ_ONLY for a log from before there were identities, in a folder that cannot be written. */
  readonly identity: () => string;
}

/**
 * Opens, and unless `readOnly` creates, the log in a folder. NOT_FOUND when there is none to read, LOG_READ_ONLY when
 * the folder refuses to be written, LOG_CORRUPT for a file that is no log or a damaged one, LOG_INCOMPATIBLE_VERSION for one
 * of another format version.
 */
export function openLogFiles(
  folder: string,
  options: { readonly readOnly: boolean; readonly mapSizeBytes: number },
): LogFiles {
  try {
    return openChecked(folder, options);
  } catch (error) {
    throw translated(error, `open the event log in ${folder}`);
  }
}

function openChecked(
  folder: string,
  { readOnly, mapSizeBytes }: { readonly readOnly: boolean; readonly mapSizeBytes: number },
): LogFiles {
  if (!readOnly) makeFolder(resolve(folder));
  const exists = checkDataFile(folder, readOnly);
  if (readOnly && !exists) {
    throw new SeamError(
      'NOT_FOUND',
      `Cannot open the event log in ${folder} for reading: expected a log, got ${existsSync(folder) ? 'a folder without one' : 'nothing'}. Check the folder, or start a service that makes a log there.`,
      { details: { folder } },
    );
  }
  const writable = isWritable(folder);
  if (!readOnly && !writable) {
    throw new SeamError(
      'LOG_READ_ONLY',
      `Cannot open the event log in ${folder}: expected a folder that can be written, got one that cannot. Make it writable, or choose another one; what only reads works as it is.`,
    );
  }
  const lmdbReadOnly = readOnly && !writable;
  const root = open<Buffer, Buffer>({
    path: folder,
    noSubdir: false,
    mapSize: mapSizeBytes,
    maxDbs: 4,
    maxReaders: MAX_READERS,
    overlappingSync: false,
    encoding: 'binary',
    keyEncoding: 'binary',
    readOnly: lmdbReadOnly,
  });
  try {
    const databases = ['records', 'state'].map((name) => {
      try {
        return root.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' });
      } catch (error) {
        throw lmdbReadOnly ? foreign(folder, `it has no database "${name}"`, error) : error;
      }
    });
    const [records, state] = [databases[0]!, databases[1]!];
    const files: LogFiles = { root, records, state, identity: () => identityIn(folder, state, lmdbReadOnly) };
    checkFormat(folder, files, { readOnly, lmdbReadOnly });
    return files;
  } catch (error) {
    void root.close();
    throw error;
  }
}

/** Step by step: below /proc, where nothing can be made, Node's own `recursive` tries for ever. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return; // a file is found out by who looks into it
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return; // another process was faster
    if (code !== 'ENOENT') throw error;
    throw new SeamError(
      'LOG_READ_ONLY',
      `Cannot open the event log: no folder can be made at ${folder} (${messageOf(error)}). Choose another place (SEAM_DATA_FOLDER, SEAM_EVENT_LOG_FOLDER).`,
      { cause: error, details: { folder } },
    );
  }
}

function identityIn(folder: string, state: BinaryDatabase, lmdbReadOnly: boolean): string {
  const present = (): string | undefined => state.getBinary(stateKey.identity)?.toString();
  const found = present();
  if (found !== undefined) return found;
  if (lmdbReadOnly) {
    throw new SeamError(
      'LOG_READ_ONLY',
      `Cannot ask the event log in ${folder} for its identity: it has none yet, and the folder cannot be written. Make it writable once, or work on a copy.`,
    );
  }
  return state.transactionSync(() => {
    const identity = present() ?? newId(); // another process may have been faster
    state.putSync(stateKey.identity, Buffer.from(identity));
    return identity;
  });
}

/**
 * Writes the format record into a new log; refuses another program's file and an unknown version's. A log of an earlier
 * version that is opened for writing becomes one of the present version, so that the release before refuses it by name.
 */
function checkFormat(
  folder: string,
  { root, state, records }: LogFiles,
  { readOnly, lmdbReadOnly }: { readonly readOnly: boolean; readonly lmdbReadOnly: boolean },
): void {
  const present = (): boolean => state.getBinary(stateKey.format) !== undefined;
  if (!present() && !lmdbReadOnly) {
    root.transactionSync(() => {
      if (present()) return; // another process was faster
      if (
        state.getKeysCount({ limit: 1 }) > 0 ||
        records.getKeysCount({ limit: 1 }) > 0 ||
        root.getKeysCount({ limit: 3 }) > 2
      ) {
        throw foreign(folder, 'it holds data of another program');
      }
      state.putSync(stateKey.format, Buffer.from(JSON.stringify(FORMAT)));
    });
  }
  const row = state.getBinary(stateKey.format)?.toString();
  let format: { format?: unknown; version?: unknown } | undefined;
  try {
    format = row === undefined ? undefined : (JSON.parse(row) as { format?: unknown; version?: unknown });
  } catch {
    format = undefined; // not ours: said below
  }
  if (format?.format !== FORMAT.format) throw foreign(folder, 'its format record is missing or unreadable');
  if (!READABLE_VERSIONS.includes(format.version)) {
    throw new SeamError(
      'LOG_INCOMPATIBLE_VERSION',
      `Cannot open the event log in ${folder}: expected format version ${FORMAT.version} or an earlier one, got ${String(format.version)}. ` +
        'Use the release of Seamstream that wrote it, or copy its records into a new log with that release.',
      { details: { folder, expected: FORMAT.version, found: format.version } },
    );
  }
  if (format.version !== FORMAT.version && !readOnly) {
    state.putSync(stateKey.format, Buffer.from(JSON.stringify(FORMAT)));
  }
}

/** Whether there is a data file; throws unless what is there can be an LMDB file of full length. */
function checkDataFile(folder: string, readOnly: boolean): boolean {
  const path = join(folder, 'data.mdb');
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw error;
  }
  try {
    if (fstatSync(file).size === 0) return true; // a process was killed between creating and writing it; LMDB starts afresh
    const metas = [readMeta(file, 0), readMeta(file, 1)];
    const newest = metas.reduce((a, b) => (b && (!a || b.transaction > a.transaction) ? b : a));
    if (!newest) throw foreign(folder, 'data.mdb does not begin as an LMDB file');
    if (newest.version !== MDB_DATA_VERSION) {
      throw new SeamError(
        'LOG_INCOMPATIBLE_VERSION',
        `Cannot open the event log in ${folder}: expected LMDB data version ${MDB_DATA_VERSION}, got ${newest.version}. Use the release of Seamstream that wrote it.`,
        { details: { folder, expected: MDB_DATA_VERSION, found: newest.version } },
      );
    }
    // The size is taken after the meta pages: a live log only grows.
    const missing = newest.bytes - fstatSync(file).size;
    if (missing > MAX_UNWRITTEN_TAIL_BYTES) {
      throw foreign(folder, `data.mdb is ${missing} bytes shorter than its last commit: it was cut short`);
    }
    // Free pages at the end may never have been written. Zeros there keep a read of a shortened file from ending the process;
    // where it was records that are gone, checksums say so. Appending neither shortens nor overwrites what others write.
    if (missing > 0 && !readOnly) appendFileSync(path, Buffer.alloc(missing));
    return true;
  } finally {
    closeSync(file);
  }
}

/**
 * One of the two meta pages (mdb.c, MDB_meta, 64-bit): page header 24 bytes, then magic u32, version u32, address 8, map size
 * u64, two MDB_db of 48 bytes (the first begins with the page size), last page u64, transaction u64.
 */
function readMeta(file: number, number: 0 | 1): { version: number; bytes: number; transaction: bigint } | undefined {
  const META_AT = 24;
  const page = Buffer.alloc(META_AT + 136);
  const load = (at: number): boolean =>
    readSync(file, page, 0, page.length, at) === page.length && page.readUInt32LE(META_AT) === MDB_MAGIC;
  if (!load(0)) return undefined;
  const pageSize = page.readUInt32LE(META_AT + 24);
  if (number === 1 && !load(pageSize)) return undefined;
  return {
    version: page.readUInt32LE(META_AT + 4) & 0xffff,
    bytes: Number(page.readBigUInt64LE(META_AT + 120) + 1n) * pageSize,
    transaction: page.readBigUInt64LE(META_AT + 128),
  };
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function foreign(folder: string, why: string, cause?: unknown): SeamError {
  return new SeamError(
    'LOG_CORRUPT',
    `Cannot open the event log in ${folder}: ${why}. Choose another folder, or restore this one from a copy.`,
    { details: { folder }, ...(cause === undefined ? {} : { cause }) },
  );
}

/** The error of a log without space. */
export function logFull(operation: string, why: string, cause?: unknown): SeamError {
  return new SeamError(
    'LOG_FULL',
    `Cannot ${operation}: ${why}. Nothing was committed. Free some space and try again; the log continues by itself.`,
    {
      ...(cause === undefined ? {} : { cause }),
    },
  );
}

/** One of our errors for any error of LMDB or the file system. */
export function translated(error: unknown, operation: string): SeamError {
  if (isSeamError(error)) return error;
  const code: unknown = (error as { code?: unknown } | undefined)?.code;
  const message = messageOf(error);
  const is = (...wanted: (string | number)[]): boolean =>
    wanted.some((one) => code === one || message.startsWith(`${one}`));
  if (
    is('ENOSPC', 28, 'EDQUOT', 122, 'EFBIG', 27, MDB_MAP_FULL, 'MDB_MAP_FULL') ||
    /no space left|disk quota|file too large/i.test(message)
  ) {
    return logFull(operation, `there is no space left (${message})`, error);
  }
  if (is('EROFS', 30, 'EACCES', 13, 'EPERM', 1) || /read-only file system|permission denied/i.test(message)) {
    return new SeamError(
      'LOG_READ_ONLY',
      `Cannot ${operation}: the folder cannot be written (${message}). Make it writable, or choose another one; what only reads works as it is.`,
      {
        cause: error,
      },
    );
  }
  if (is(MDB_VERSION_MISMATCH, 'MDB_VERSION_MISMATCH')) {
    return new SeamError(
      'LOG_INCOMPATIBLE_VERSION',
      `Cannot ${operation}: LMDB does not know this file's version (${message}). Use the release of Seamstream that wrote it.`,
      {
        cause: error,
      },
    );
  }
  if (
    is(
      MDB_INVALID,
      MDB_CORRUPTED,
      MDB_PAGE_NOTFOUND,
      MDB_PANIC,
      MDB_BAD_VALSIZE,
      'MDB_INVALID',
      'MDB_CORRUPTED',
      'MDB_PAGE_NOTFOUND',
      'MDB_PANIC',
      'MDB_BAD_VALSIZE',
    )
  ) {
    return new SeamError(
      'LOG_CORRUPT',
      `Cannot ${operation}: the file is damaged or no log (${message}). Restore the folder from a copy.`,
      { cause: error },
    );
  }
  if (is(MDB_READERS_FULL, 'MDB_READERS_FULL')) {
    return new SeamError(
      'LOG_UNAVAILABLE',
      `Cannot ${operation}: more than ${MAX_READERS} readers use this log. Close some.`,
      { cause: error },
    );
  }
  return new SeamError('LOG_UNAVAILABLE', `Cannot ${operation}: ${message}`, { cause: error, details: { code } });
}
