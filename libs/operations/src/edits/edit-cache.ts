/**
 * Edits that were written before, in a folder that several processes may share.
 *
 *   <folder>/<first two digits of the key>/<key>.json   {"key": what the key is a digest of, "text": the edit, "digest": SHA-256 of the text}
 *   <folder>/usage.jsonl                                a line per run: how many edits it found here, and how many it did not
 *
 * A file gets its name when it is whole, so that a kill leaves nothing that could be read. What is read is compared with all that was asked for:
 * a file that was damaged, or that holds another edit, is not an edit and is removed. The time of a file's last change is that of its last use.
 */
import { randomUUID } from 'node:crypto';
import { appendFile, mkdir, opendir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, messageOf, SeamError, sha256 } from '@seamstream/kernel';
import { type EditKeyParts, editKeyText } from '@seamstream/self-edits';
import { z } from 'zod';

/** Ten gigabytes. */
export const DEFAULT_CACHE_BYTES = 10 * 1000 ** 3;

const ENTRY = z.object({ key: z.string(), text: z.string(), digest: z.string() });
const USAGE = z.object({ hits: z.int().nonnegative(), misses: z.int().nonnegative() });
const FILE = /^[0-9a-f]{64}\.json$/;
const PART = /^[0-9a-f]{64}\.[0-9a-f-]{36}\.part$/;
const SHELF = /^[0-9a-f]{2}$/;
/** A part that is older than so long belongs to a process that ended. */
const PART_LIVES_MS = 3_600_000;
/** The folder is measured again when so large a part of its limit was written since. */
const MEASURED_EVERY = 64;

export interface CacheStats {
  readonly folder: string;
  readonly edits: number;
  readonly bytes: number;
  /** Of all runs since the folder was cleared. */
  readonly hits: number;
  readonly misses: number;
  /** Of the edits that runs asked for the share that they found here; null before the first run. */
  readonly hitRate: number | null;
}

export interface Removed {
  readonly edits: number;
  readonly bytes: number;
}

interface CacheFile {
  readonly path: string;
  readonly bytes: number;
  readonly usedAtMs: number;
}

export class EditCache {
  private hits = 0;
  private misses = 0;
  /** Written since the folder was measured; at first as if all had been. */
  private unmeasured = Number.POSITIVE_INFINITY;

  constructor(
    readonly folder: string,
    private readonly clock: Clock,
    private readonly maxBytes = DEFAULT_CACHE_BYTES,
  ) {}

  /** The edit that was written for exactly these parts; undefined where there is not one. */
  async find(parts: EditKeyParts): Promise<string | undefined> {
    const { key, path } = this.placeOf(parts);
    const text = await this.read(path, key);
    if (text === undefined) {
      this.misses++;
      return undefined;
    }
    this.hits++;
    const now = new Date(this.clock.now());
    // Another process may have removed it meanwhile: what was read is right all the same.
    await utimes(path, now, now).catch(ignoreMissing);
    return text;
  }

  /** @throws INVALID_CONFIGURATION where the folder cannot be written */
  async keep(parts: EditKeyParts, text: string): Promise<void> {
    const { key, path } = this.placeOf(parts);
    const body = JSON.stringify({ key, text, digest: sha256(text) });
    const part = `${path.slice(0, -'.json'.length)}.${randomUUID()}.part`;
    await this.writing(async () => {
      await mkdir(join(path, '..'), { recursive: true });
      try {
        await writeFile(part, body, { flag: 'wx' });
        const now = new Date(this.clock.now());
        await utimes(part, now, now);
        await rename(part, path);
      } catch (error) {
        await rm(part, { force: true });
        throw error;
      }
    });
    this.unmeasured += Buffer.byteLength(body);
    if (this.unmeasured >= this.maxBytes / MEASURED_EVERY) {
      this.unmeasured = 0;
      await this.prune(this.maxBytes);
    }
  }

  /** Adds this run to what the folder knows of its use, where it was used. */
  async close(): Promise<void> {
    const { hits, misses } = this;
    if (hits + misses === 0) return;
    [this.hits, this.misses] = [0, 0];
    await this.writing(async () => {
      await mkdir(this.folder, { recursive: true });
      await appendFile(this.usagePath, `${JSON.stringify({ hits, misses })}\n`);
    });
  }

  async stats(): Promise<CacheStats> {
    let [edits, bytes] = [0, 0];
    for await (const file of this.files()) {
      edits++;
      bytes += file.bytes;
    }
    const { hits, misses } = await this.usage();
    const asked = hits + misses;
    return { folder: this.folder, edits, bytes, hits, misses, hitRate: asked === 0 ? null : hits / asked };
  }

  /** Removes those edits that were not used for the longest time, until what is left has at most so many bytes. */
  async prune(maxBytes: number): Promise<Removed> {
    const files: CacheFile[] = [];
    let total = 0;
    for await (const file of this.files()) {
      files.push(file);
      total += file.bytes;
    }
    files.sort((a, b) => a.usedAtMs - b.usedAtMs);
    const before = total;
    let edits = 0;
    for (const { path, bytes } of files) {
      if (total <= maxBytes) break;
      await rm(path, { force: true });
      total -= bytes;
      edits++;
    }
    return { edits, bytes: before - total };
  }

  /** Removes every edit and what is known of its use, and no other file. */
  async clear(): Promise<Removed> {
    const removed = await this.prune(-1);
    await rm(this.usagePath, { force: true });
    return removed;
  }

  private get usagePath(): string {
    return join(this.folder, 'usage.jsonl');
  }

  private placeOf(parts: EditKeyParts): { readonly key: string; readonly path: string } {
    const key = editKeyText(parts);
    const name = sha256(key);
    return { key, path: join(this.folder, name.slice(0, 2), `${name}.json`) };
  }

  private async read(path: string, key: string): Promise<string | undefined> {
    const body = await readFile(path, 'utf8').catch(ignoreMissing);
    if (body === undefined) return undefined;
    const entry = ENTRY.safeParse(parsed(body));
    if (entry.success && entry.data.key === key && entry.data.digest === sha256(entry.data.text))
      return entry.data.text;
    await rm(path, { force: true });
    return undefined;
  }

  private async usage(): Promise<z.infer<typeof USAGE>> {
    const text = (await readFile(this.usagePath, 'utf8').catch(ignoreMissing)) ?? '';
    let [hits, misses] = [0, 0];
    for (const line of text.split('\n')) {
      const run = USAGE.safeParse(parsed(line));
      if (!run.success) continue; // a line that a full disk cut short
      hits += run.data.hits;
      misses += run.data.misses;
    }
    return { hits, misses };
  }

  /** The edits of the folder. Parts that a killed process left are removed on the way. */
  private async *files(): AsyncGenerator<CacheFile> {
    for await (const shelf of entriesOf(this.folder)) {
      if (!SHELF.test(shelf)) continue;
      for await (const name of entriesOf(join(this.folder, shelf))) {
        const path = join(this.folder, shelf, name);
        const found = FILE.test(name) || PART.test(name) ? await stat(path).catch(ignoreMissing) : undefined;
        if (found === undefined) continue;
        if (FILE.test(name)) yield { path, bytes: found.size, usedAtMs: found.mtimeMs };
        else if (this.clock.now() - found.mtimeMs > PART_LIVES_MS) await rm(path, { force: true });
      }
    }
  }

  /** What the system says about the folder is the fault of its name. */
  private async writing(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (cause) {
      throw new SeamError(
        'INVALID_CONFIGURATION',
        `Cannot keep edits in ${this.folder}: expected a folder that can be written, got: ${messageOf(cause)}. Name another (--cache), or work without one (--no-cache).`,
        { cause, details: { folder: this.folder } },
      );
    }
  }
}

async function* entriesOf(folder: string): AsyncGenerator<string> {
  const entries = await opendir(folder).catch(ignoreMissing);
  if (entries === undefined) return;
  for await (const { name } of entries) yield name;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
