// Runs jest, and the files that failed once more, one after the other and alone. A file that passes only then fails no suite, and is named
// at the end: it depends on what ran at the same time, which is a fault of the test or of the system, to be found.
//
//   node scripts/second-try.mjs --selectProjects slow …    any arguments of jest
//
// For suites with many processes on few cores, and for quick specs that listen and wait.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** More files that fail at once are no accident. */
const MOST_FILES = 3;

const folder = mkdtempSync(join(tmpdir(), 'second-try-'));
try {
  process.exitCode = run(process.argv.slice(2));
} finally {
  rmSync(folder, { recursive: true });
}

/** @returns the exit status of both tries together */
function run(args) {
  const first = jest(args);
  if (first.status === 0) return 0;
  const { failed } = first;
  if (failed.length === 0 || failed.length > MOST_FILES) return first.status;
  const second = jest([...projectOf(args), '--runInBand', '--runTestsByPath', ...failed]);
  const names = failed.map((file) => relative(ROOT, file)).join(', ');
  console.error(
    second.status === 0
      ? `UNSTABLE: failed next to other tests, passed alone: ${names}. What failed at first stands above.`
      : `FAILED TWICE, the second time alone, of ${names}`,
  );
  return second.status;
}

/** @returns the exit status, 1 for a run that was killed, and the files that failed */
function jest(args) {
  const results = join(folder, 'results.json');
  rmSync(results, { force: true });
  const status = spawnSync('npm', ['run', '--silent', 'jest', '--', ...args, '--json', '--outputFile', results], {
    cwd: ROOT,
    // What jest prints as JSON is in the file.
    stdio: ['inherit', 'ignore', 'inherit'],
  }).status;
  const { testResults = [] } = existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : {};
  const failed = testResults.filter((each) => each.status === 'failed').map(({ name }) => name);
  return { status: status ?? 1, failed };
}

/** What the second try keeps of the first one's arguments. */
function projectOf(args) {
  const at = args.indexOf('--selectProjects');
  return [...(at < 0 ? [] : args.slice(at, at + 2)), ...args.filter((each) => each === '--forceExit')];
}
