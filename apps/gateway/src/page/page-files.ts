/** The built page in memory: few files, each whole, so that no request can name a path of this machine. */
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface PageFile {
  readonly type: string;
  /** Its name changes with its content. */
  readonly isImmutable: boolean;
  readonly plain: Buffer;
  /** Compressed when the page was built; undefined where that saves nothing. */
  readonly gzip: Buffer | undefined;
  readonly brotli: Buffer | undefined;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Where `npm run build` puts the page. */
const FOLDER = new URL('../../../dashboard/dist/', import.meta.url);

/** Files by their path from the page's root; empty where the page was not built. */
export async function loadPage(): Promise<ReadonlyMap<string, PageFile>> {
  const folder = fileURLToPath(FOLDER);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = new Map<string, PageFile>();
  for (const entry of entries) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const compressed = (suffix: string): Promise<Buffer | undefined> =>
      readFile(`${path}${suffix}`).catch(() => undefined);
    const name = path.slice(folder.length);
    files.set(name, {
      type,
      isImmutable: name.startsWith('assets/'),
      plain: await readFile(path),
      gzip: await compressed('.gz'),
      brotli: await compressed('.br'),
    });
  }
  return files;
}
