// Runs a spec of a copy of the tree with one mutant awake or none.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ACTIVE } from './instrument.mjs';

const NOTES = 'test/mutants/generated/note-coverage.mjs';
const CONFIG = 'mutants.jest.config.mjs';
const REACHED = 'SEAM_MUTANTS_REACHED';

/** Groups of processes that run now. They go with this process. */
const running = new Set();
process.on('exit', () => {
  for (const pid of running) endGroup(pid);
});

/** Lets a copy of the tree run specs as the suite `quick` does. */
export function prepareJest(copy) {
  writeFileSync(
    join(copy, CONFIG),
    `import base from './jest.config.mjs';
const { displayName, ...quick } = base.projects.find(({ displayName }) => displayName === 'quick');
const setupFiles = process.env.${REACHED} === undefined ? [] : ['<rootDir>/${NOTES}'];
export default { ...quick, testTimeout: base.testTimeout, setupFiles };
`,
  );
}

/**
 * @param mutant its id; undefined leaves all dormant
 * @param reached a file that is to list the mutants that are reached
 * @param capSeconds after which a run counts as one that does not end
 * @returns { verdict, seconds }: passed, failed, hung, or none (no test ran)
 */
export async function runSpec(copy, spec, { mutant, reached, capSeconds }) {
  const folder = mkdtempSync(join(tmpdir(), 'seam-mutants-run-'));
  const report = join(folder, 'report.json');
  const began = performance.now();
  const hung = await untilEnd(copy, [join(copy, spec), '--outputFile', report], {
    capSeconds,
    env: {
      ...process.env,
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      TMPDIR: folder,
      ...(mutant !== undefined && { [ACTIVE]: mutant }),
      ...(reached !== undefined && { [REACHED]: reached, NODE_OPTIONS: `--import ${join(copy, NOTES)}` }),
    },
  });
  const seconds = (performance.now() - began) / 1000;
  const verdict = hung ? 'hung' : verdictOf(report);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  return { verdict, seconds };
}

/** @returns whether the cap was reached */
function untilEnd(copy, args, { capSeconds, env }) {
  const jest = join(copy, 'node_modules/jest/bin/jest.js');
  const own = ['--config', join(copy, CONFIG), '--runInBand', '--silent', '--json', '--runTestsByPath'];
  return new Promise((resolve) => {
    const child = spawn(
      process.execPath,
      ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', jest, ...own, ...args],
      { cwd: copy, stdio: 'ignore', env, detached: true },
    );
    running.add(child.pid);
    let hung = false;
    const cap = setTimeout(() => {
      hung = true;
      endGroup(child.pid);
    }, capSeconds * 1000);
    child.on('close', () => {
      clearTimeout(cap);
      running.delete(child.pid);
      endGroup(child.pid);
      resolve(hung);
    });
  });
}

function endGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

function verdictOf(report) {
  let read;
  try {
    read = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return 'failed'; // the process died with the mutant in it: noticed
  }
  if (!read.success) return 'failed';
  return read.numPassedTests > 0 ? 'passed' : 'none';
}
