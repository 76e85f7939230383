// What studies share that run the loop: results that are kept, and the loop as a command.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const run = promisify(execFile);
const CONVERGED = 0;
const NOT_CONVERGED = 3;
const MOST_OUTPUT = 1 << 27;

/**
 * A result has its file, whole or not at all: what is there is not run again, so a study that was stopped resumes.
 * @param name for a person who waits
 * @param make is given a folder for its work, which is removed afterwards
 */
export async function once(path, name, make) {
  if (existsSync(path)) return;
  process.stderr.write(`${new Date().toISOString()} ${name}\n`);
  const work = await mkdtemp(join(tmpdir(), 'seam-study-'));
  try {
    await writeFile(`${path}.part`, `${JSON.stringify(await make(work))}\n`);
    await rename(`${path}.part`, path);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** The report of the demonstration, as anybody starts it; it may end without having converged. */
export async function loopReport(args, { name, env = process.env }) {
  const start = join(root, 'apps/standalone/bin/start.js');
  const settings = { cwd: root, maxBuffer: MOST_OUTPUT, env };
  const { stdout, code } = await run(process.execPath, [start, '--exit', '--json', ...args], settings)
    .then((done) => ({ ...done, code: CONVERGED }))
    .catch((cause) => cause);
  if (code !== CONVERGED && code !== NOT_CONVERGED)
    throw new Error(
      `Cannot continue the study: expected the loop of ${name} to end, got status ${code}. See its error.`,
    );
  return JSON.parse(stdout);
}

/** What a process writes to its standard output. */
export async function outputOf(command, args, env) {
  const { stdout } = await run(command, args, { cwd: root, maxBuffer: MOST_OUTPUT, env });
  return stdout;
}
