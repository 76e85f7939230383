/**
 * From now on files that this process makes are its user's alone (0600, folders 0700): a log holds references, answers and adapters. What
 * is there already keeps its permissions, and a user who wants to share a folder makes it beforehand.
 */
export function keepFilesPrivate(process: { umask(mask: number): unknown }): void {
  process.umask(0o077);
}
