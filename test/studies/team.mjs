// Sequential tuning of a team, with its gate, next to the same without a gate and to all agents at once: equal rollouts, several seeds.
//   npm run study:team -- [--folder DIR] [--seeds 1,2,3] [--arms team,team-simultaneous] [--stages 16] [--round-size 144]
//     [--held-out 512] [--table] [--json]
// Each way, with its settings, and seed has a file in DIR when it is done and is not run again. One that was stopped continues after its
// last stage. --table runs nothing and shows what is there. Ends with 0 where all bars hold, 3 where one does not or a way was not run.

import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { canonicalJson, sha256 } from '@seamstream/kernel';
import {
  studyTeamArm,
  TEAM_ARMS,
  TEAM_STUDY_ARMS,
  teamDifferences,
  teamShortcomings,
  teamStudyTable,
} from '@seamstream/standalone';

const NOT_SHOWN = 3;
const LARGEST = 1_000_000;

const { values: options } = parseArgs({
  options: {
    folder: { type: 'string', default: 'study-team' },
    seeds: { type: 'string', default: '1,2,3' },
    arms: { type: 'string', default: TEAM_ARMS.map(({ name }) => name).join(',') },
    stages: { type: 'string', default: '16' },
    'round-size': { type: 'string', default: '144' },
    'held-out': { type: 'string', default: '512' },
    table: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

function wholeNumber(text, what, least) {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= LARGEST) return value;
  throw new Error(`Cannot run the study: expected ${what} as a whole number of at least ${least}, got ${text}.`);
}

const folder = resolve(options.folder);
const seeds = options.seeds.split(',').map((seed) => wholeNumber(seed, '--seeds', 0));
if (new Set(seeds).size < seeds.length)
  throw new Error(`Cannot run the study: expected different --seeds, got ${options.seeds}. Name each once.`);
const arms = options.arms.split(',').map((name) => {
  const arm = TEAM_STUDY_ARMS.find((each) => each.name === name);
  if (arm !== undefined) return arm;
  const known = TEAM_STUDY_ARMS.map((each) => each.name).join(', ');
  throw new Error(`Cannot run the study: expected --arms of ${known}, got ${name}. Choose among them.`);
});
const sizes = {
  stages: wholeNumber(options.stages, '--stages', 1),
  // A stage's problems are shared out among three agents.
  roundSize: wholeNumber(options['round-size'], '--round-size', 3),
  heldOut: wholeNumber(options['held-out'], '--held-out', 2),
};
const kind = `${sizes.stages}-stages-${sizes.roundSize}-problems-${sizes.heldOut}-held-out`;
const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopped.abort());

await mkdir(folder, { recursive: true });
// 1. Every way on a seed before the next seed, so that a study that is stopped early compares whole seeds.
for (const seed of options.table ? [] : seeds) for (const arm of arms) await runOnce(arm, seed);
// 2. What they say together.
const made = seeds.flatMap((seed) => arms.map((arm) => join(folder, `${nameOf(arm, seed)}.json`))).filter(existsSync);
const runs = await Promise.all(made.map(async (path) => JSON.parse(await readFile(path, 'utf8'))));
const short = teamShortcomings(runs, seeds);
process.stdout.write(
  options.json
    ? `${JSON.stringify({ runs, differences: teamDifferences(runs), short }, null, 2)}\n`
    : `${teamStudyTable(runs, seeds)}\n`,
);
if (short.length > 0) process.exitCode = NOT_SHOWN;

/** With a part of the settings' digest: what was measured on others counts for nothing here. */
function nameOf(arm, seed) {
  return `${kind}-${arm.name}-${sha256(canonicalJson(arm.settings)).slice(0, 8)}-${seed}`;
}

async function runOnce(arm, seed) {
  const path = join(folder, `${nameOf(arm, seed)}.json`);
  if (existsSync(path)) return;
  const say = (line) => process.stderr.write(`${new Date().toISOString()} seed ${seed}: ${line}\n`);
  say(arm.title);
  const work = join(folder, `work-${nameOf(arm, seed)}`);
  const environment = process.env;
  const run = await studyTeamArm({ arm, seed, ...sizes, folder: work, environment, signal: stopped.signal, say });
  await writeFile(`${path}.part`, `${JSON.stringify(run)}\n`);
  await rename(`${path}.part`, path);
  await rm(work, { recursive: true });
}
