/**
 * Digests of large models, remembered from one process to the next: to read gigabytes takes as long as all the rest of a
 * start. As version control does with its index, a file is taken for the one that was read where its place, inode, size and
 * both its times are the same. What is remembered is what to expect, not a proof: LanguageModel begins with it, and measures
 * before it gives its first answer.
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
  const files: string[][] = [];
  let changedMs = 0;
  for (const path of paths) {
    const { dev, ino, size, mtimeNs, ctimeNs, mtimeMs, ctimeMs } = await stat(path, { bigint: true });
    files.push([path, ...[dev, ino, size, mtimeNs, ctimeNs].map(String)]);
    changedMs = Math.max(changedMs, Number(mtimeMs), Number(ctimeMs));
  }
  return { identity: sha256(canonicalJson({ config, files })), changedMs };
}

export class DigestMemory {
  /** Undefined where the user has no place for it. */
  private readonly folder: string | undefined;

  /** @param environment says where the user's cache is */
  constructor(environment: Readonly<Record<string, string | undefined>> = process.env) {
    const { XDG_CACHE_HOME: given = '' } = environment;
    // The specification: a path that is not absolute is to be ignored.
    const cache = isAbsolute(given) ? given : homeCache();
    this.folder = cache && join(cache, 'seamstream', 'model-digests');
  }

  /** The digest that was measured when the files were these; undefined when none was. */
  async of({ identity }: FilesFound): Promise<string | undefined> {
    if (this.folder === undefined) return undefined;
    const text = await readFile(join(this.folder, identity), 'utf8').catch(() => '');
    return DIGEST.test(text) ? text : undefined;
  }

  /**
   * Remembers what was measured between two looks at the files, where nothing says that they may have changed meanwhile:
   * then it is not to be relied on, and forgotten.
   * @param beganMs when measuring began, in milliseconds since 1970
   */
  async remember(before: FilesFound, after: FilesFound, digest: string, beganMs: number): Promise<void> {
    if (this.folder === undefined) return;
    const path = join(this.folder, before.identity);
    if (before.identity !== after.identity || beganMs - before.changedMs < SETTLED_AFTER_MS) {
      // Nor is what was thought of them before.
      await rm(path, { force: true }).catch(() => undefined);
      return;
    }
    const written = `${path}.${newId()}`;
    try {
      await mkdir(this.folder, { recursive: true });
      await writeFile(written, digest);
      await rename(written, path);
    } catch {
      await rm(written, { force: true }).catch(() => undefined); // the next start measures, too
    }
  }
}

/** Undefined for a user who is in no list of users. */
function homeCache(): string | undefined {
  try {
    return join(homedir(), '.cache');
  } catch {
    return undefined;
  }
}
