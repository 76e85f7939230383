/** Folders of adapters that vLLM loads from. */
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The files under their final name, or nothing: a server never sees half an adapter. What is there already stays, since a server may be reading it. */
export async function writeFolder(
  parent: string,
  name: string,
  files: Readonly<Record<string, Uint8Array>>,
): Promise<void> {
  const folder = join(parent, name);
  if (await holds(folder, files)) return;
  await mkdir(parent, { recursive: true });
  const part = await mkdtemp(join(parent, 'part-'));
  try {
    for (const [file, bytes] of Object.entries(files)) await writeFile(join(part, file), bytes);
    await rm(folder, { recursive: true, force: true });
    await rename(part, folder);
  } catch (error) {
    // Another generator may have written the same at the same time.
    if (!(await holds(folder, files))) throw error;
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}

async function holds(folder: string, files: Readonly<Record<string, Uint8Array>>): Promise<boolean> {
  const same = await Promise.all(
    Object.entries(files).map(async ([file, bytes]) => {
      const there = await readFile(join(folder, file)).catch(() => undefined);
      return there?.equals(bytes) === true;
    }),
  );
  return same.every(Boolean);
}
