// A real model that learns: SmolLM2-135M-Instruct writes experiences for itself, frozen, on small tables that it reads badly alone.
//   npm run study:real-model -- --seed N [--folder DIR] [--rounds 3] [--round-size 48] [--validation 192] [--held-out 64]
//     [--algorithm sft|grpo|curriculum] [--task price-tables|embedded] [--json]
// What is done is kept in DIR: a study that was stopped or killed resumes with the same command and pays nothing twice. The task and its
// settings were chosen on the split "development"; "heldOut" is for reporting only. docs/how-to/real-model-study.md says how to read it.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { smolLm2 } from '@seamstream/dev-servers';
import { embeddedTask, priceTables, studyRealModel } from '@seamstream/standalone';

const TASKS = [priceTables(fileURLToPath(new URL('../real-model/templates', import.meta.url))), embeddedTask];
const LARGEST = 4096;

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string' },
    folder: { type: 'string' },
    task: { type: 'string', default: TASKS[0].name },
    algorithm: { type: 'string', default: 'sft' },
    rounds: { type: 'string', default: '3' },
    'round-size': { type: 'string', default: '48' },
    validation: { type: 'string', default: '192' },
    'held-out': { type: 'string', default: '64' },
    json: { type: 'boolean', default: false },
  },
});

function wholeNumber(name, least) {
  const value = Number(options[name]);
  if (options[name] !== undefined && Number.isInteger(value) && value >= least && value <= LARGEST) return value;
  throw new Error(
    `Cannot run the study: expected --${name} as a whole number from ${least} to ${LARGEST}, got ${options[name] ?? 'nothing'}. Name one.`,
  );
}

const task = TASKS.find(({ name }) => name === options.task);
if (task === undefined)
  throw new Error(
    `Cannot run the study: expected --task ${TASKS.map(({ name }) => name).join(' or ')}, got ${options.task}. Choose one.`,
  );
const seed = wholeNumber('seed', 0);
const sizes = {
  rounds: wholeNumber('rounds', 1),
  roundSize: wholeNumber('round-size', 8),
  validation: wholeNumber('validation', 12),
  heldOut: wholeNumber('held-out', 2),
};
const begun = performance.now();
const { report, text } = await studyRealModel({
  ...{ task, seed, ...sizes, algorithm: options.algorithm, environment: {} },
  modelFolder: task.name === embeddedTask.name ? '' : (await smolLm2()).folder,
  folder: resolve(options.folder ?? `study-real-model-${seed}`),
  say: (line) => process.stderr.write(`${((performance.now() - begun) / 1000).toFixed(0)} s: ${line}\n`),
});
process.stdout.write(options.json ? `${JSON.stringify(report)}\n` : `${text}\n`);
