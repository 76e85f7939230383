/**
 * Downloaded and compiled servers live outside the tree, in `$SEAMSTREAM_CACHE`, else in the user's cache folder
 * (https://specifications.freedesktop.org/basedir-spec/latest/). An entry is filled in a folder next to its place and
 * renamed into it: what is there is whole, and two processes that fill the same entry at once do not disturb each other.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder of all cached servers, under the given environment. */
export function cacheFolder(environment: Readonly<Record<string, string | undefined>>, home: string): string {
  const own = environment.SEAMSTREAM_CACHE;
  if (own !== undefined && own !== '') return own;
  const userCache = environment.XDG_CACHE_HOME;
  return join(userCache === undefined || userCache === '' ? join(home, '.cache') : userCache, 'seamstream');
}

/** The folder of the cache entry `name`; `fill` makes its content, in an empty folder, when it is not there yet. */
export async function cached(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const cache = cacheFolder(process.env, homedir());
  const entry = join(cache, name);
  if (existsSync(entry)) return entry;
  await mkdir(cache, { recursive: true });
  const filling = await mkdtemp(join(cache, `${name}.filling-`));
  try {
    await fill(filling);
    await rename(filling, entry).catch((error: unknown) => {
      // Another process was quicker: its entry is as good.
      if (!existsSync(entry)) throw error;
    });
  } finally {
    await rm(filling, { recursive: true, force: true });
  }
  return entry;
}
