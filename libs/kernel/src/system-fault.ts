/** What the operating system refuses, in a sentence instead of its code: folders and files belong to the user who runs the program. */
import { isSeamError, SeamError } from './errors.js';

const MEANING: Readonly<Record<string, string>> = {
  EACCES: 'this user may not do that there',
  EPERM: 'this user may not do that there',
  EROFS: 'its file system is read-only',
  ENOSPC: 'its file system is full',
  EDQUOT: "this user's share of its file system is used up",
  ENOENT: 'nothing is there, or can be made there',
  ENOTDIR: 'a part of its path is a file',
  EISDIR: 'it is a folder',
  ENAMETOOLONG: 'its name is too long',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
};

/** What a code of the system means, e.g. `EACCES (this user may not do that there)`. */
export function systemMeaning(code: string | undefined): string {
  return `${code ?? 'an unknown fault'} (${MEANING[code ?? ''] ?? 'the system refused'})`;
}

/**
 * One of our errors for what the system said about a file: INVALID_CONFIGURATION with path and meaning. Undefined for everything else, also for
 * what is missing, which more often is a fault of ours.
 */
export function systemFault(error: unknown): SeamError | undefined {
  if (typeof error !== 'object' || error === null || isSeamError(error)) return undefined;
  const { code, syscall, path } = error as { code?: unknown; syscall?: unknown; path?: unknown };
  if (typeof code !== 'string' || typeof syscall !== 'string' || typeof path !== 'string') return undefined;
  if (code === 'ENOENT' || !(code in MEANING)) return undefined;
  return new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot ${syscall} ${path}: expected a place where that is allowed, got ${systemMeaning(code)}. Name another place, or change its rights.`,
    { details: { path, systemCode: code }, cause: error },
  );
}
