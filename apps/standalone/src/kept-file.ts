/** Files that a data folder keeps next to the log. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { messageOf, onOneLine, SeamError } from '@seamstream/kernel';
import { z } from 'zod';

/** Whole or not at all: a process that dies meanwhile leaves the earlier one. */
export async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

/**
 * What a JSON file holds; undefined where there is none.
 * @param expected what it should hold, and `remedy` what to do where it does not, for the message
 * @throws INVALID_CONFIGURATION for a file that holds something else, and for one that the file system refuses
 */
export async function readKept<T>(
  path: string,
  schema: z.ZodType<T>,
  { expected, remedy }: { readonly expected: string; readonly remedy: string },
): Promise<T | undefined> {
  const refused = (got: string, cause: unknown): SeamError =>
    new SeamError(
      'INVALID_CONFIGURATION',
      onOneLine(`Cannot read ${path}: expected ${expected}, got ${got}. ${remedy}`),
      {
        cause,
      },
    );
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw refused(messageOf(cause), cause);
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    const found = cause instanceof z.ZodError ? z.prettifyError(cause).replaceAll('\n', ' ') : messageOf(cause);
    throw refused(`something else (${found})`, cause);
  }
}
