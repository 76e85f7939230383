// A folder as one compressed file: a line of JSON that lists its entries, then the bytes of its files in that order. What is large lies
// apart, under its digest: releases that write equal files share it.
import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';

const LARGE_BYTES = 1 << 20;

/** @param {string} digest SHA-256 */
const contentFile = (digest) => fileURLToPath(new URL(`contents/${digest}.br`, import.meta.url));

/** @param {Uint8Array} bytes @returns {string} SHA-256 */
const digestOf = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** @param {Buffer} bytes @returns {Promise<string>} the digest under which they are kept */
async function keepContent(bytes) {
  const digest = digestOf(bytes);
  const file = contentFile(digest);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, brotliCompressSync(bytes));
  return digest;
}

/**
 * @param {string} archive the file to write
 * @param {string} folder
 * @param {(path: string) => boolean} isKept whether a path below the folder belongs to the archive
 * @returns {Promise<void>}
 */
export async function packFolder(archive, folder, isKept) {
  const entries = [];
  const contents = [];
  for (const path of (await readdir(folder, { recursive: true })).sort()) {
    const from = join(folder, path);
    const found = await lstat(from);
    if (found.isDirectory() || !isKept(path)) continue;
    if (found.isSymbolicLink()) {
      entries.push({ path, link: await readlink(from) });
      continue;
    }
    const bytes = await readFile(from);
    const mode = found.mode & 0o777;
    if (bytes.length >= LARGE_BYTES) entries.push({ path, mode, digest: await keepContent(bytes) });
    else {
      entries.push({ path, mode, bytes: bytes.length });
      contents.push(bytes);
    }
  }
  await writeFile(
    archive,
    brotliCompressSync(Buffer.concat([Buffer.from(`${JSON.stringify(entries)}\n`), ...contents])),
  );
}

/**
 * @param {string} archive
 * @param {string} folder a new one; its user alone may read it, as a data folder
 * @returns {Promise<void>}
 */
export async function unpackFolder(archive, folder) {
  const whole = brotliDecompressSync(await readFile(archive));
  let at = whole.indexOf('\n') + 1;
  for (const { path, link, mode, digest, bytes } of JSON.parse(whole.subarray(0, at).toString())) {
    const to = join(folder, path);
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    if (link !== undefined) {
      await symlink(link, to);
      continue;
    }
    const content = digest === undefined ? whole.subarray(at, at + bytes) : await readContent(digest);
    await writeFile(to, content);
    await chmod(to, mode);
    at += bytes ?? 0;
  }
}

/** @param {string} digest @returns {Promise<Buffer>} @throws where the file is not what its name says */
async function readContent(digest) {
  const content = brotliDecompressSync(await readFile(contentFile(digest)));
  const found = digestOf(content);
  if (found === digest) return content;
  throw new Error(`Cannot unpack ${contentFile(digest)}: expected content ${digest}, got ${found}. Restore the file.`);
}
