// A table instead of a generator: what counting the words that entries quote learns of a world of attributes, from blind attempts alone.
//   npm run study:table -- [--seeds 11,14,19] [--attempts 1024,2048,4096,8192,16384] [--draws 3]
//     [--method attributes|familiar-attributes|attribute-pairs] [--table 'table of pairs']
// No model runs. Entries are random plans of one who reads well and knows nothing, 16 for each problem in turn, as many as a group of the
// loop has. What an obedient executor writes with them is computed. The table is a baseline of the report, by its name there.
// Each seed is drawn several times, since few attempts succeed. docs/experiments/LOG.md has what came out.
import { parseArgs } from 'node:util';
import {
  attributeProblems,
  BASELINES,
  drawWorld,
  followPlan,
  learnBaseline,
  planSchemaFor,
  randomPlan,
} from '@seamstream/attribute-world';
import { entryText } from '@seamstream/experience';
import { Random } from '@seamstream/kernel';

const PRESETS = { attributes: 'strange', 'familiar-attributes': 'familiar', 'attribute-pairs': 'pairs' };
const PER_PROBLEM = 16;
const PROBLEMS = { train: 1024, heldOut: 300, newWords: 300 };

const { values: options } = parseArgs({
  options: {
    seeds: { type: 'string', default: '11,14,19' },
    attempts: { type: 'string', default: '1024,2048,4096,8192,16384' },
    draws: { type: 'string', default: '3' },
    method: { type: 'string', default: 'attributes' },
    table: { type: 'string', default: 'table of quoted attributes' },
  },
});
const preset = PRESETS[options.method];
if (preset === undefined)
  throw new Error(
    `Cannot run the study: expected --method ${Object.keys(PRESETS).join(' or ')}, got ${options.method}. Choose one.`,
  );
if (!BASELINES.includes(options.table))
  throw new Error(
    `Cannot run the study: expected --table as one of ${BASELINES.join(', ')}, got ${options.table}. Name one.`,
  );
const [seeds, counts, [draws]] = ['seeds', 'attempts', 'draws'].map((name) => {
  if (/^[1-9]\d*(,[1-9]\d*)*$/.test(options[name])) return options[name].split(',').map(Number);
  throw new Error(
    `Cannot run the study: expected --${name} as whole numbers from 1 by comma, got ${options[name]}. Name one or more.`,
  );
});

const solves = (problem, entry) => followPlan(problem, entry).endsWith(`Answer: ${problem.reference}`);

function attemptsIn(world, { seed, draw, count }) {
  const problems = attributeProblems({ world, seed, split: 'train', count: PROBLEMS.train });
  return Array.from({ length: count }, (_, at) => {
    const problem = problems[Math.floor(at / PER_PROBLEM) % problems.length];
    const plan = randomPlan(problem, Random.of('blind attempts', seed, draw, at));
    return { problem, entry: entryText(plan, planSchemaFor(problem.domain)), success: solves(problem, plan) };
  });
}

const rate = (advise, problems) => {
  const solved = problems.filter((problem) => {
    const entry = advise(problem);
    return entry !== null && solves(problem, JSON.parse(entry));
  });
  return ((100 * solved.length) / problems.length).toFixed(1);
};

process.stdout.write('| seed | attempts | successes | held out, % | new words, % |\n|---|---|---|---|---|\n');
for (const seed of seeds) {
  const world = drawWorld(seed, preset);
  const [heldOut, newWords] = ['heldOut', 'newWords'].map((split) =>
    attributeProblems({ world, seed, split, count: PROBLEMS[split] }),
  );
  const drawn = Array.from({ length: draws }, (_, draw) =>
    attemptsIn(world, { seed, draw, count: Math.max(...counts) }),
  );
  for (const count of counts) {
    const known = drawn.map((attempts) => attempts.slice(0, count));
    const tables = known.map((attempts) => learnBaseline(options.table, attempts));
    const cells = [
      known.map((attempts) => attempts.filter(({ success }) => success).length),
      tables.map((advise) => rate(advise, heldOut)),
      tables.map((advise) => rate(advise, newWords)),
    ].map((each) => each.join(', '));
    process.stdout.write(`| ${[seed, count, ...cells].join(' | ')} |\n`);
  }
}
