// GRPO that earns its place: ways to learn in a world of attributes, from the same number of rollouts.
//   npm run study:grpo -- [--folder DIR] [--seeds 21,22,23] [--arms sft,taper] [--method attributes] [--rounds 8] [--problems 300] [--table] [--json]
// One arm and seed after the other: the whole demonstration, then the adapter that it serves on three sets of problems. Each has a
// file in DIR when it is done and is not run again: a study that was stopped resumes. --table runs nothing and shows what is there.
// The choice of an arm is made on the set "development" alone; "heldOut" and "newWords" are for reporting.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import {
  ARMS,
  armEnvironment,
  attributeSet,
  attributeWorldOf,
  chooseArm,
  compareArms,
  embeddedEnvironment,
  STUDY_SETS,
  studyTable,
} from '@seamstream/standalone';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const run = promisify(execFile);
const CONVERGED = 0;
const NOT_CONVERGED = 3;
const ROUND_SIZE = 64;

const { values: options } = parseArgs({
  options: {
    folder: { type: 'string', default: 'study-grpo' },
    seeds: { type: 'string', default: '21,22,23,24,25' },
    arms: { type: 'string', default: ARMS.map(({ name }) => name).join(',') },
    method: { type: 'string', default: 'attributes' },
    rounds: { type: 'string', default: '8' },
    problems: { type: 'string', default: '300' },
    table: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const folder = resolve(options.folder);
const names = options.arms.split(',');
const unknown = names.filter((name) => !ARMS.some((arm) => arm.name === name));
if (unknown.length > 0)
  throw new Error(
    `Cannot run the study: expected arms of ${ARMS.map(({ name }) => name).join(', ')}, got ${unknown.join(', ')}.`,
  );
const { method } = options;
const rounds = Number(options.rounds);

/** One seed's arms follow one another, so that a study that is stopped early compares whole seeds. */
async function main() {
  await mkdir(folder, { recursive: true });
  if (!options.table)
    for (const seed of options.seeds.split(',').map(Number))
      for (const arm of ARMS.filter(({ name }) => names.includes(name))) await runOnce(arm, seed);
  const results = await allResults();
  if (options.json) {
    process.stdout.write(
      `${JSON.stringify({ chosen: chooseArm(results), comparisons: compareArms(results, 'sft') }, null, 2)}\n`,
    );
    return;
  }
  process.stdout.write(`${studyTable(results, 'sft')}\n`);
}

async function runOnce(arm, seed) {
  const path = join(folder, `${method}-${rounds}-rounds-${options.problems}-problems-${arm.name}-${seed}.json`);
  if (existsSync(path)) return;
  process.stderr.write(`${new Date().toISOString()} ${arm.name}, seed ${seed}\n`);
  const dataDir = await mkdtemp(join(tmpdir(), 'seam-study-'));
  try {
    // 1. The loop, as anybody starts it; what it measures itself is kept small.
    const report = await demonstration(arm, seed, dataDir);
    // 2. What it serves in the end, greedily, on problems that no round asked.
    const verdicts = await verdictsOf(arm, seed, dataDir);
    // 3. The result, whole or not at all.
    const result = { arm: arm.name, seed, method, rounds, ...figuresOf(report), verdicts };
    await writeFile(`${path}.part`, `${JSON.stringify(result)}\n`);
    await rename(`${path}.part`, path);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function demonstration(arm, seed, dataDir) {
  const args = ['--exit', '--json', '--method', method, '--seed', `${seed}`, '--algorithm', arm.algorithm];
  const limits = ['--round-size', `${ROUND_SIZE}`, '--max-rounds', `${rounds}`, '--held-out', '8'];
  const start = join(root, 'apps/standalone/bin/start.js');
  const settings = { cwd: root, maxBuffer: 1 << 27, env: { ...process.env, ...armEnvironment(arm) } };
  const { stdout, code } = await run(process.execPath, [start, ...args, ...limits, '--data-dir', dataDir], settings)
    .then((done) => ({ ...done, code: CONVERGED }))
    .catch((cause) => cause);
  if (code !== CONVERGED && code !== NOT_CONVERGED)
    throw new Error(`Cannot continue the study: the demonstration of ${arm.name} on seed ${seed} ended with ${code}.`);
  return JSON.parse(stdout);
}

function figuresOf({ rounds: played, attempts, loopSeconds, ended }) {
  return {
    ...{ attempts, loopSeconds, ended },
    promoted: played.filter(({ status }) => status === 'promoted').length,
    explored: played.map(({ explored }) => explored),
    outcomes: played.map(({ status }) => status),
  };
}

async function verdictsOf(arm, seed, dataDir) {
  const world = attributeWorldOf(method, seed);
  const sets = STUDY_SETS.map((split) => [split, attributeSet(world, split, Number(options.problems))]);
  const [file, predictions] = [join(dataDir, 'measured.jsonl'), join(dataDir, 'predictions.jsonl')];
  const problems = sets.flatMap(([, own]) => own);
  await writeFile(file, problems.map((problem) => `${JSON.stringify(problem)}\n`).join(''));
  const environment = embeddedEnvironment(
    { dataFolder: dataDir, method, seed, roundSize: ROUND_SIZE, algorithm: arm.algorithm },
    process.env,
  );
  const cli = join(root, 'apps/cli/bin/seam.js');
  const args = ['eval', file, '--arms', 'trained', '--predictions', predictions, '--json', '--data-dir', dataDir];
  // A run without any promotion serves the base model, and that is what is measured.
  await run(process.execPath, [cli, ...args], { cwd: root, maxBuffer: 1 << 27, env: environment });
  const judged = (await readFile(predictions, 'utf8')).trimEnd().split('\n').map(JSON.parse);
  const solved = new Map(judged.map(({ problemId, success }) => [problemId, success === true]));
  return Object.fromEntries(sets.map(([split, own]) => [split, own.map(({ problemId }) => solved.get(problemId))]));
}

async function allResults() {
  const own = `${method}-${rounds}-rounds-${options.problems}-problems-`;
  const files = (await readdir(folder)).filter((name) => name.startsWith(own) && name.endsWith('.json'));
  return Promise.all(files.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'))));
}

await main();
