// Many worlds: the demonstration of attributes whose lore each seed draws afresh, and what all of them say together.
//   npm run study:worlds -- [--folder DIR] [--seeds 11,12,…,20] [--method attributes|familiar-attributes|attribute-pairs] [--table] [--json]
// Each seed's report has a file in DIR when it is done and is not run again: a study that was stopped resumes. --table runs nothing and
// shows what is there. The bars are in apps/standalone/src/study/many-worlds.ts and in the report of each run; seed 1 is for choosing.
// Ends with 0 where all bars hold in all of them, 3 where one does not or a world was not run.
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { worldsShortcomings, worldsTable } from '@seamstream/standalone';
import { loopReport, once } from './kept-runs.mjs';

const METHODS = ['attributes', 'familiar-attributes', 'attribute-pairs'];
const NOT_SHOWN = 3;

const { values: options } = parseArgs({
  options: {
    folder: { type: 'string', default: 'study-worlds' },
    seeds: { type: 'string', default: '11,12,13,14,15,16,17,18,19,20' },
    method: { type: 'string', default: METHODS[0] },
    table: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const { method } = options;
if (!METHODS.includes(method))
  throw new Error(`Cannot run the study: expected --method ${METHODS.join(', ')}, got ${method}. Choose one.`);
const seeds = options.seeds.split(',').map(Number);
if (!/^\d+(,\d+)*$/.test(options.seeds) || new Set(seeds).size < seeds.length)
  throw new Error(
    `Cannot run the study: expected --seeds as different whole numbers by comma, got ${options.seeds}. Name each once.`,
  );
const folder = resolve(options.folder);
const fileOf = (seed) => `${method}-${seed}.json`;

await mkdir(folder, { recursive: true });
// 1. The loop in each world, as anybody starts it.
for (const seed of options.table ? [] : seeds)
  await once(join(folder, fileOf(seed)), `${method}, seed ${seed}`, (dataDir) =>
    loopReport(['--method', method, '--seed', `${seed}`, '--data-dir', dataDir], { name: `seed ${seed}` }),
  );
// 2. What they say together.
const present = new Set(await readdir(folder));
const runs = await Promise.all(
  seeds
    .map(fileOf)
    .filter((name) => present.has(name))
    .map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'))),
);
const missing = seeds.filter((seed) => !present.has(fileOf(seed)));
const short = [
  ...worldsShortcomings(runs),
  ...(missing.length === 0 ? [] : [`not run yet: seeds ${missing.join(', ')}`]),
];
process.stdout.write(
  options.json ? `${JSON.stringify({ method, runs: runs.length, short }, null, 2)}\n` : `${worldsTable(runs)}\n`,
);
if (missing.length > 0) process.stderr.write(`Not run yet: seeds ${missing.join(', ')}.\n`);
if (short.length > 0) process.exitCode = NOT_SHOWN;
