import { readdirSync, rmSync } from 'node:fs';
import { basename } from 'node:path';

/**
 * Removes the run's temporary folder. Each file's own is gone by now (test-environment.cjs); one that is still there is of a worker that
 * died, or of a process that outlived its test, and is reported.
 */
export default function afterAllSuites() {
  const folder = globalThis.seamTestFolder;
  const left = readdirSync(folder).filter((name) => name !== basename(process.env.NODE_COMPILE_CACHE));
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  if (left.length > 0)
    throw new Error(
      `Cannot end the suites cleanly: expected nothing in ${folder}, got ${left.join(', ')}. It is removed now. Let the tests that made it end what they start.`,
    );
}
