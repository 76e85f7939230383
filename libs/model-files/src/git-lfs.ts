/** What stands in the place of a large file where a repository was cloned without Git LFS: a few lines of text. */
export function isLfsPointer(beginning: string): boolean {
  return beginning.startsWith('version ');
}
