import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../../scripts/build.mjs';

const PREFIX = 'seamstream-tests-';
/** No run takes so long: a folder that nobody has touched since belongs to one that was killed. */
const ABANDONED_MS = 24 * 3600 * 1000;

/**
 * Worker threads and child processes run compiled files, so the tree is compiled before any test. All that a run leaves in temporary
 * folders lies below one, which after-all-suites.mjs removes; what runs left that were killed is removed here.
 */
export default async function beforeAllSuites() {
  for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith(PREFIX))) {
    const left = join(tmpdir(), name);
    if (Date.now() - statSync(left, { throwIfNoEntry: false })?.mtimeMs > ABANDONED_MS)
      rmSync(left, { recursive: true, force: true });
  }
  const folder = mkdtempSync(join(tmpdir(), PREFIX));
  chmodSync(folder, 0o711);
  globalThis.seamTestFolder = folder;
  process.env.TMPDIR = folder;
  // Hundreds of processes load the same thousand modules: each finds them compiled (a seventh of a service's start).
  process.env.NODE_COMPILE_CACHE = join(folder, 'compiled');
  await build();
}
