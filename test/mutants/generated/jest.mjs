// Runs specs of a copy of the tree, in the order they are given and until the first fails, with one mutant awake or none.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ACTIVE } from './instrument.mjs';

const NOTES = 'test/mutants/generated/note-coverage.mjs';
const CONFIG = 'mutants.jest.config.mjs';
const SEQUENCER = 'mutants.sequencer.mjs';
const ORDER = 'SEAM_MUTANTS_ORDER';

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
const setupFiles = process.env.SEAM_MUTANTS_REACHED === undefined ? [] : ['<rootDir>/${NOTES}'];
export default { ...quick, testTimeout: base.testTimeout, testSequencer: '<rootDir>/${SEQUENCER}', setupFiles, bail: 1 };
`,
  );
  writeFileSync(
    join(copy, SEQUENCER),
    `import Sequencer from '@jest/test-sequencer';
const order = process.env.${ORDER}.split(',');
const rank = ({ path }) => order.findIndex((spec) => path.endsWith('/' + spec));
export default class InOrder extends Sequencer {
  sort(tests) {
    return [...tests].sort((a, b) => rank(a) - rank(b));
  }
}
`,
  );
}

/**
 * @param mutant its id; undefined leaves all dormant
 * @param reached a file that is to list the mutants that are reached
 * @param capSeconds after which a run counts as one that does not end
 * @returns { verdict, by, seconds }: passed, failed (and by which spec), hung, or none (no test ran)
 */
export async function runSpecs(copy, specs, { mutant, reached, capSeconds }) {
  const folder = mkdtempSync(join(tmpdir(), 'seam-mutants-run-'));
  const report = join(folder, 'report.json');
  const began = performance.now();
  const hung = await untilEnd(copy, [...specs.map((spec) => join(copy, spec)), '--outputFile', report], {
    capSeconds,
    env: {
      ...process.env,
      PATH: `${process.execPath.replace(/\/[^/]*$/, '')}:${process.env.PATH}`,
      TMPDIR: folder,
      [ORDER]: specs.join(','),
      ...(mutant !== undefined && { [ACTIVE]: mutant }),
      ...(reached !== undefined && {
        SEAM_MUTANTS_REACHED: reached,
        NODE_OPTIONS: `--import ${join(copy, NOTES)}`,
      }),
    },
  });
  const seconds = (performance.now() - began) / 1000;
  const verdict = hung ? { verdict: 'hung', by: null } : verdictOf(copy, report);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  return { ...verdict, seconds };
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

function verdictOf(copy, report) {
  let read;
  try {
    read = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return { verdict: 'failed', by: null }; // the process died with the mutant in it: noticed
  }
  const failed = read.testResults.find(({ status }) => status === 'failed');
  if (failed !== undefined) return { verdict: 'failed', by: relative(copy, failed.name) };
  return { verdict: read.numPassedTests > 0 ? 'passed' : 'none', by: null };
}
