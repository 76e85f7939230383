/**
 * Digests of large models, remembered from one process to the next: to read gigabytes at every start takes as long as all the
 * rest. As version control does with its index, a file is taken for the one that was read where its place, inode, size and
 * both its times are the same; whoever changes a file moves its ctime. What is remembered is a beginning, not a proof:
 * LanguageModel measures it again beside its first work.
 *
 * One file per model in the user's cache folder (XDG Base Directory Specification). Where none can be written, nothing is
 * remembered.
 */
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { canonicalJson, newId, sha256 } from '@seamstream/kernel';
import type { Checkpoint } from './checkpoint.js';

/** What changed so shortly before it was read may change again without another time: clocks of file systems are coarse. */
const SETTLED_AFTER_MS = 2_000;
const DIGEST = /^[0-9a-f]{64}$/;

/** A checkpoint's files as they are found. */
export interface FilesFound {
  /** Names this configuration with these files. */
  readonly identity: string;
  /** When one of them changed last, in milliseconds since 1970. */
  readonly changedMs: number;
}

/** Looks at the files of a checkpoint without reading them. */
export async function findFiles({ config, weights }: Checkpoint): Promise<FilesFound> {
  const paths = [...new Set([...weights.values()].map(({ file }) => file))].sort();
  const found = await Promise.all(paths.map(async (path) => ({ path, ...(await placeAndTimes(path)) })));
  return {
    identity: sha256(canonicalJson({ config, files: found.map(({ changedMs: _, ...file }) => file) })),
    changedMs: Math.max(...found.map(({ changedMs }) => changedMs)),
  };
}

async function placeAndTimes(path: string) {
  const { dev, ino, size, mtimeNs, ctimeNs, mtimeMs, ctimeMs } = await stat(path, { bigint: true });
  const words = [dev, ino, size, mtimeNs, ctimeNs].map(String);
  return { words, changedMs: Number(mtimeMs > ctimeMs ? mtimeMs : ctimeMs) };
}

export class DigestMemory {
  private readonly folder: string;

  /** @param environment says where the user's cache is */
  constructor(environment: Readonly<Record<string, string | undefined>> = process.env) {
    const { XDG_CACHE_HOME: given = '' } = environment;
    // The specification: a path that is not absolute is to be ignored.
    this.folder = join(isAbsolute(given) ? given : join(homedir(), '.cache'), 'seamstream', 'model-digests');
  }

  /** The digest that was measured when the files were these; undefined when none was. */
  async of({ identity }: FilesFound): Promise<string | undefined> {
    const text = await readFile(join(this.folder, identity), 'utf8').catch(() => '');
    return DIGEST.test(text) ? text : undefined;
  }

  /**
   * Remembers what was measured between two looks at the files, where nothing says that they changed meanwhile.
   * @param beganMs when measuring began, in milliseconds since 1970
   */
  async remember(before: FilesFound, after: FilesFound, digest: string, beganMs: number): Promise<void> {
    if (before.identity !== after.identity || beganMs - before.changedMs < SETTLED_AFTER_MS) return;
    const path = join(this.folder, before.identity);
    const written = `${path}.${newId()}`;
    try {
      await mkdir(this.folder, { recursive: true });
      await writeFile(written, digest);
      await rename(written, path);
    } catch {
      await rm(written, { force: true }).catch(() => undefined); // the next start measures, too
    }
  }

  async forget({ identity }: FilesFound): Promise<void> {
    await rm(join(this.folder, identity), { force: true }).catch(() => undefined);
  }
}
