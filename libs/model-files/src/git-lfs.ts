/** The pointer file, a few lines of text, that replaces a large file in a clone without Git LFS. */
export function isLfsPointer(beginning: string): boolean {
  return beginning.startsWith('version ');
}
