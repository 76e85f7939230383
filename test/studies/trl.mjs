// Speed of learning: executor calls until 90 % of the held-out problems are solved, of the loop and of TRL's GRPOTrainer.
//   npm run study:trl -- [--folder DIR] [--method attributes|experiences] [--seeds 1,2,3] [--calls 30000] [--learning-rate 3e-4] [--iterations 1] [--prompts 16] [--lora]
//     [--device cpu|cuda] [--only trl|loop] [--table] [--json]
// Both begin with the shipped base of the embedded world, read the same problems in the same order, ask the same frozen executor and are
// measured greedily on the same held-out problems, which is not counted. The loop runs as `npm start` does, without the shifted phase.
// Each run has a file in DIR when it is done and is not run again: a study that was stopped resumes. --table runs nothing.
// TRL's settings are to be chosen on seed 101 alone (docs/explanation/algorithms/learning-speed.md).
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { pythonWithTrl } from '@seamstream/dev-servers';
import { PromptInjection } from '@seamstream/environments';
import { loadPrompts } from '@seamstream/experience';
import { LanguageModel } from '@seamstream/language-model';
import { LanguageModelExecutor } from '@seamstream/model-clients';
import {
  embeddedEnvironment,
  learningOfAttributes,
  loopCurve,
  Rewards,
  SPEED_LEVELS,
  SPEED_METHODS,
  serveRewards,
  speedRatio,
  speedTable,
  speedWorld,
  trlCurve,
  trlMeasurements,
} from '@seamstream/standalone';
import { loopReport, once, outputOf, root } from './kept-runs.mjs';

const ROUND_SIZE = 64;
const GROUP_SIZE = 16;
const HELD_OUT = 256;
const EVALUATE_EVERY = 512;
/** Nothing is fetched; threads that wait for each other do not spin. */
const OFFLINE = { HF_HUB_OFFLINE: '1', OMP_NUM_THREADS: '1', OMP_WAIT_POLICY: 'PASSIVE' };
/** Beyond the bar, so that a curve shows that it stays above. */
const ENOUGH = 0.95;

const { values: options } = parseArgs({
  options: {
    folder: { type: 'string', default: 'study-trl' },
    method: { type: 'string', default: 'attributes' },
    seeds: { type: 'string', default: '1,2,3' },
    calls: { type: 'string', default: '30000' },
    'learning-rate': { type: 'string', default: '1e-3' },
    iterations: { type: 'string', default: '1' },
    prompts: { type: 'string', default: '16' },
    lora: { type: 'boolean', default: false },
    device: { type: 'string', default: 'cpu' },
    only: { type: 'string' },
    table: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const folder = resolve(options.folder);
const seeds = options.seeds.split(',').map(Number);
const budget = Number(options.calls);
const settings = {
  learning_rate: Number(options['learning-rate']),
  iterations: Number(options.iterations),
  prompts: Number(options.prompts),
  lora: options.lora,
};
const { method } = options;
if (!SPEED_METHODS.includes(method))
  throw new Error(
    `Cannot run the study: expected --method ${SPEED_METHODS.join(' or ')}, got ${method}. Choose one of them.`,
  );
const trlName = `${method}-trl-${budget}-calls-${Object.values(settings).join('-')}`;
const loopName = `${method}-loop`;
const fileOf = (name, seed) => join(folder, `${name}-seed-${seed}.json`);

async function main() {
  await mkdir(folder, { recursive: true });
  for (const seed of options.table ? [] : seeds) {
    if (options.only !== 'loop') await kept(trlName, seed, trained);
    if (options.only !== 'trl') await kept(loopName, seed, looped);
  }
  const runs = await allRuns();
  if (!options.json) process.stdout.write(`${speedTable(runs)}\n`);
  else process.stdout.write(`${JSON.stringify({ settings, runs, ratios: ratiosOf(runs) }, null, 2)}\n`);
}

function kept(name, seed, make) {
  const path = fileOf(name, seed);
  return once(path, path, (work) => make(seed, work));
}

/** TRL's measurements on one seed. */
async function trained(seed, work) {
  const python = await pythonWithTrl();
  const prompts = await loadPrompts();
  const world = worldOf(seed);
  const problems = { train: world.published(publishedRounds), heldOut: world.heldOut };
  const model = await LanguageModel.load(environment(work, seed).SEAM_EXECUTOR_MODEL_FOLDER, { threads: 1 });
  const executor = new LanguageModelExecutor(model, { name: 'executor', maxTokens: Number(maxTokens(work, seed)) });
  const asked = new PromptInjection(executor, prompts);
  const server = await serveRewards(new Rewards({ environment: asked, problems, schemaFor: world.schemaFor }));
  try {
    const rows = (set) =>
      set.map(({ problemId, prompt }) => ({ problem_id: problemId, prompt: prompts.generator(prompt) }));
    const log = join(work, 'log.jsonl');
    const job = {
      ...{ base: environment(work, seed).SEAM_GENERATOR_MODEL_FOLDER, judge: server.url, log, seed, settings },
      ...{ train: rows(problems.train), held_out: rows(problems.heldOut) },
      ...{
        entry_tokens: entryTokens(work, seed),
        most_calls: budget,
        evaluate_every: EVALUATE_EVERY,
        enough: ENOUGH,
        threads: 1,
        device: options.device,
      },
    };
    await writeFile(join(work, 'job.json'), JSON.stringify(job));
    const env = { ...process.env, ...python.environment, ...OFFLINE };
    const started = performance.now();
    await outputOf(python.command, [join(root, 'test/studies/trl_grpo.py'), join(work, 'job.json')], env);
    const measured = trlMeasurements(await readFile(log, 'utf8'));
    return {
      seed,
      settings,
      device: options.device,
      executor: model.digest,
      seconds: (performance.now() - started) / 1000,
      measured,
    };
  } finally {
    await server.close();
    await model.close();
  }
}

const worldOf = (seed) => speedWorld(method, seed, { roundSize: ROUND_SIZE, heldOut: HELD_OUT });
/** Texts that are no entries cost no call, so a budget may take twice the problems that it pays for. */
const publishedRounds = Math.ceil((budget / GROUP_SIZE / ROUND_SIZE) * 2);

/** The loop's report on one seed, and the held-out success of every adapter that it promoted. */
async function looped(seed, work) {
  const limits = ['--max-shifted-rounds', '0', '--held-out', '8'];
  const args = ['--method', method, '--seed', `${seed}`, ...limits, '--data-dir', work];
  const report = await loopReport(args, { name: `seed ${seed}` });
  const { executor, loopSeconds } = report;
  const { rounds, runs } = method === 'attributes' ? learningOfAttributes(report) : report;
  const file = join(work, 'held-out.jsonl');
  const problems = worldOf(seed).heldOut;
  await writeFile(file, problems.map((problem) => `${JSON.stringify(problem)}\n`).join(''));
  const promoted = runs.flatMap(({ status, digest }) => (status === 'promoted' ? [digest] : []));
  const heldOut = {};
  for (const adapter of ['base', ...promoted]) heldOut[adapter] = await measured(adapter, file, { work, seed });
  return { seed, executor: executor.digest, seconds: loopSeconds, rounds, runs, heldOut };
}

/** Greedy success of an adapter. */
async function measured(adapter, file, { work, seed }) {
  const cli = join(root, 'apps/cli/bin/seam.js');
  const args = ['eval', file, '--adapter', adapter, '--arms', 'trained', '--json', '--data-dir', work];
  return JSON.parse(await outputOf(process.execPath, [cli, ...args], environment(work, seed))).arms.trained.success;
}

function environment(dataFolder, seed) {
  const loop = { dataFolder, method, seed, roundSize: ROUND_SIZE, algorithm: 'curriculum' };
  return embeddedEnvironment(loop, process.env);
}

/** What the loop's generator may write. */
const entryTokens = (work, seed) => Number(environment(work, seed).SEAM_GENERATOR_SAMPLING_MAX_TOKENS ?? 64);

const maxTokens = (work, seed) => environment(work, seed).SEAM_EXECUTOR_MAX_TOKENS;

/** The seeds that have both, with these settings of TRL. */
async function allRuns() {
  const both = seeds.filter((seed) => [trlName, loopName].every((name) => existsSync(fileOf(name, seed))));
  return Promise.all(
    both.map(async (seed) => {
      const [trl, loop] = await Promise.all([trlName, loopName].map(async (name) => readJson(fileOf(name, seed))));
      if (trl.executor !== loop.executor)
        throw new Error(
          `Cannot compare seed ${seed}: expected one executor, got ${trl.executor} and ${loop.executor}. Remove its files.`,
        );
      const successOf = (digest) => loop.heldOut[digest ?? 'base'];
      return {
        ...{ seed, trl: trlCurve(trl.measured) },
        loop: loopCurve(loop, successOf, 'all'),
        loopExploring: loopCurve(loop, successOf, 'exploring'),
      };
    }),
  );
}

const readJson = async (path) => JSON.parse(await readFile(path, 'utf8'));

const ratiosOf = (runs) =>
  Object.fromEntries(
    SPEED_LEVELS.map((level) => [
      level,
      { loop: speedRatio(runs, level, 'loop'), loopExploring: speedRatio(runs, level, 'loopExploring') },
    ]),
  );

await main();
