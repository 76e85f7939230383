import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../../scripts/build.mjs';

const PREFIX = 'seamstream-tests-';
/** A folder that no process has touched for so long, and whose process is gone, belongs to a run that was killed. */
const ABANDONED_MS = 3600 * 1000;

function isAbandoned(name) {
  const touched = statSync(join(tmpdir(), name), { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
  if (Date.now() - touched < ABANDONED_MS) return false;
  try {
    process.kill(Number(name.slice(PREFIX.length).split('-')[0]), 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/**
 * Worker threads and child processes run compiled files, so the tree is compiled before any test. All that a run leaves in temporary
 * folders lies below one, which after-all-suites.mjs removes; what runs left that were killed is removed here.
 */
export default async function beforeAllSuites() {
  for (const name of readdirSync(tmpdir()))
    if (name.startsWith(PREFIX) && isAbandoned(name)) rmSync(join(tmpdir(), name), { recursive: true, force: true });
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  chmodSync(folder, 0o711);
  globalThis.seamTestFolder = folder;
  process.env.TMPDIR = folder;
  // Hundreds of processes load the same thousand modules: each finds them compiled (a seventh of a service's start).
  process.env.NODE_COMPILE_CACHE = join(folder, 'compiled');
  await build();
}
