/** What this folder's tests run containers with. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildImage, makeBases, type Podman, podman } from '@seamstream/dev-servers';
import { isSeamError, messageOf } from '@seamstream/kernel';

/** Name of the image that the tests of this folder build and run. */
export const IMAGE = 'localhost/seamstream:test';
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Podman; undefined, said aloud, where this machine has none. */
export async function containers(): Promise<Podman | undefined> {
  try {
    return await podman();
  } catch (error) {
    if (!isSeamError(error, 'INVALID_CONFIGURATION')) throw error;
    process.stderr.write(`SKIPPED: no containers here. ${messageOf(error)}\n`);
    return undefined;
  }
}

/** Has {@link IMAGE} of the newest commit: the one that another spec has built from it, or a new one. */
export async function haveImage(engine: Podman): Promise<void> {
  const label = '{{index .Config.Labels "org.opencontainers.image.revision"}}';
  const { stdout } = await engine.run(['image', 'inspect', '--format', label, IMAGE]);
  const { stdout: head } = await promisify(execFile)('git', ['rev-parse', 'HEAD'], { cwd: ROOT });
  if (stdout.trim() === head.trim()) return;
  const out = await mkdtemp(join(tmpdir(), 'seam-image-'));
  try {
    await makeBases(engine);
    await buildImage(engine, IMAGE, out);
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}
