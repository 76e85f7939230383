// GRPO that earns its place: ways to learn in a world of attributes, from the same number of rollouts.
//   npm run study:grpo -- [--folder DIR] [--seeds 21,22,23] [--arms sft,taper] [--method attributes] [--rounds 8] [--problems 300] [--table] [--json]
// One arm and seed after the other: the whole demonstration, then the adapter that it serves on three sets of problems. Each has a
// file in DIR when it is done and is not run again: a study that was stopped resumes. --table runs nothing and shows what is there.
// The choice of an arm is made on the set "development" alone; "heldOut" and "newWords" are for reporting.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
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
import { loopReport, once, outputOf, root } from './kept-runs.mjs';

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

function runOnce(arm, seed) {
  const path = join(folder, `${method}-${rounds}-rounds-${options.problems}-problems-${arm.name}-${seed}.json`);
  return once(path, `${arm.name}, seed ${seed}`, async (dataDir) => {
    // 1. The loop, as anybody starts it; what it measures itself is kept small.
    const report = await demonstration(arm, seed, dataDir);
    // 2. What it serves in the end, greedily, on problems that no round asked.
    const verdicts = await verdictsOf(arm, seed, dataDir);
    return { arm: arm.name, seed, method, rounds, ...figuresOf(report), verdicts };
  });
}

function demonstration(arm, seed, dataDir) {
  const args = ['--method', method, '--seed', `${seed}`, '--algorithm', arm.algorithm];
  const limits = ['--round-size', `${ROUND_SIZE}`, '--max-rounds', `${rounds}`, '--held-out', '8'];
  const env = { ...process.env, ...armEnvironment(arm) };
  return loopReport([...args, ...limits, '--data-dir', dataDir], { name: `${arm.name} on seed ${seed}`, env });
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
  const world = attributeWorldOf({ method, seed });
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
  await outputOf(process.execPath, [cli, ...args], environment);
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
