// Generates mutants of the files between a sampled token and a served adapter, and asks the specs that reach them: how many are noticed?
//
//   npm run mutants:generated                       300 mutants, drawn by seed 1
//   npm run mutants:generated -- --count 50 --seed 7
//   npm run mutants:generated -- --only grpo.ts     the drawn mutants of files whose path holds the word
//   npm run mutants:generated -- --json             one object a mutant, and a summary
//   npm run mutants:generated -- --check            only whether the mutants of reviewed.mjs are still there
//   npm run mutants:generated -- --afresh           nothing of earlier runs is believed
//
// A run that is killed continues where it was: a finding is kept until the mutated file or a spec that it rests on changes (memory.mjs).
// What changes elsewhere in the tree is not seen; --afresh is for that. docs/adr/0108-mutants-are-generated-as-well.md says why it is so.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { wilsonInterval } from '@seamstream/statistics';
import { copyTree } from '../tree-copy.mjs';
import { mutantsOf } from './instrument.mjs';
import { prepareJest, runSpec } from './jest.mjs';
import { askedSpecs, learningPath } from './learning-path.mjs';
import { Memory } from './memory.mjs';
import { reviewed } from './reviewed.mjs';
import { drawn, named, placeOf } from './sample.mjs';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Specs that run at the same time. */
const LANES = 2;
/** A spec may take so many times what it took with every mutant dormant, and this on top, before it counts as one that does not end. */
const PATIENCE = { times: 3, seconds: 20 };
const MOST_SECONDS = 600;
/** Specs of other rooms that a mutant is shown to: it has to be noticed near its code. */
const MOST_FAR_SPECS = 6;

const { values: options } = parseArgs({
  options: {
    count: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    afresh: { type: 'boolean', default: false },
  },
});
const count = Number(options.count);
if (!Number.isSafeInteger(count) || count < 1)
  throw new Error(`Cannot draw mutants: expected a count of 1, 2, 3, …, got ${options.count}. Correct --count.`);

const texts = new Map();
const all = [];
// A check needs the files of its rows alone.
const inRows = new Set(reviewed.map(({ file }) => file));
for (const file of learningPath(ROOT).filter((path) => !options.check || inRows.has(path))) {
  const { text, mutants } = await mutantsOf(ROOT, file);
  texts.set(file, text);
  all.push(...mutants);
}
if (options.check) checkReviewed();
else await tryAll();

function checkReviewed() {
  const places = new Set(all.map(placeOf));
  const stale = reviewed.filter((row) => !places.has(placeOf(row)));
  for (const { file, from } of stale)
    console.log(`reviewed.mjs: ${file} has no mutant of ${from} any more; mend the row`);
  if (stale.length === 0) console.log(`${reviewed.length} reviewed mutants have their place`);
  process.exitCode = stale.length === 0 ? 0 : 1;
}

async function tryAll() {
  const chosen = drawn(named(all), options.seed)
    .slice(0, count)
    .filter(({ file }) => file.includes(options.only));
  if (chosen.length === 0)
    throw new Error(`Cannot run mutants: expected some of ${options.only}, got none. Raise --count or correct --only.`);
  const files = [...texts.keys(), ...askedSpecs(ROOT)];
  const memories = {
    reached: new Memory(ROOT, 'reached.jsonl', files),
    verdicts: new Memory(ROOT, 'verdicts.jsonl', files),
  };
  const copy = copyTree(ROOT);
  for (const [file, text] of texts) writeFileSync(join(copy, file), text);
  prepareJest(copy);
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: copy, stdio: 'ignore' });
  const reach = await reachOfSpecs(copy, memories.reached);
  const known = new Set(reviewed.map(placeOf));
  const began = performance.now();
  const results = [];
  let tried = 0;
  await inLanes(chosen, async (mutant) => {
    const result = known.has(placeOf(mutant))
      ? { verdict: 'equivalent', by: null, seconds: 0 }
      : await judge(copy, mutant, reach, memories.verdicts);
    results.push({ ...result, mutant });
    if (result.isNew) tried++;
    const secondsEach = (performance.now() - began) / 1000 / Math.max(1, tried);
    report({ ...result, mutant }, results.length, chosen.length, secondsEach);
  });
  conclude(results);
}

/** What each spec reaches with every mutant dormant, and how long that takes: { spec, seconds, reached }. One that fails is not asked. */
async function reachOfSpecs(copy, memory) {
  const specs = askedSpecs(ROOT);
  const found = [];
  let done = 0;
  await inLanes(specs, async (spec) => {
    const finding = (!options.afresh && memory.recall(spec)) || (await reachOf(copy, spec, memory));
    done++;
    if (finding.verdict === 'passed') found.push({ spec, ...finding, reached: new Set(finding.reached) });
    else console.error(`not asked: ${spec} (${finding.verdict} with every mutant dormant)`);
    if (!options.json && !finding.isOld) console.log(`${done}/${specs.length} specs: what ${spec} reaches`);
  });
  return found;
}

async function reachOf(copy, spec, memory) {
  const folder = mkdtempSync(join(tmpdir(), 'seam-mutants-reached-'));
  const list = join(folder, 'reached');
  // Once more where it fails: machines are busy.
  let run = await runSpec(copy, spec, { reached: list, capSeconds: MOST_SECONDS });
  if (run.verdict !== 'passed') run = await runSpec(copy, spec, { reached: list, capSeconds: MOST_SECONDS });
  const reached = existsSync(list) ? [...new Set(readFileSync(list, 'utf8').split('\n').filter(Boolean))] : [];
  rmSync(folder, { recursive: true, force: true });
  const files = new Set(reached.map((id) => id.split('#')[0]));
  const finding = { verdict: run.verdict, seconds: run.seconds, reached };
  memory.keep(spec, { ...finding, isOld: true }, [spec, ...files]);
  return finding;
}

/** The specs that reach the mutant: those of its room, quickest first, then the others that reach most of its file. */
function askedOf(mutant, reach) {
  const room = mutant.file.split('/').slice(0, 2).join('/');
  const reaching = reach.filter(({ reached }) => reached.has(mutant.id));
  const { true: near = [], false: far = [] } = Object.groupBy(reaching, ({ spec }) => spec.startsWith(`${room}/`));
  const ofFile = ({ reached }) => [...reached].filter((id) => id.startsWith(`${mutant.file}#`)).length;
  return [
    ...near.sort((a, b) => a.seconds - b.seconds),
    ...far.sort((a, b) => ofFile(b) - ofFile(a) || a.seconds - b.seconds).slice(0, MOST_FAR_SPECS),
  ];
}

async function judge(copy, mutant, reach, memory) {
  const asked = askedOf(mutant, reach);
  if (asked.length === 0) return { verdict: 'unreached', by: null, seconds: 0 };
  const specs = asked.map(({ spec }) => spec);
  const before = options.afresh ? undefined : memory.recall(mutant.name);
  // A survivor has to survive what is asked now.
  if (before !== undefined && (isNoticed(before) || specs.every((spec) => before.specs.includes(spec)))) return before;
  const finding = await tryOn(copy, mutant, asked);
  memory.keep(mutant.name, finding, [mutant.file, ...(finding.by === null ? specs : [finding.by])]);
  return { ...finding, isNew: true };
}

/** Until a spec notices it. */
async function tryOn(copy, mutant, asked) {
  const specs = asked.map(({ spec }) => spec);
  let seconds = 0;
  for (const { spec, seconds: dormant } of asked) {
    const capSeconds = PATIENCE.seconds + PATIENCE.times * dormant;
    const run = await runSpec(copy, spec, { mutant: mutant.id, capSeconds });
    seconds += run.seconds;
    if (run.verdict === 'hung') return { verdict: 'hung', by: spec, seconds, specs };
    if (run.verdict !== 'passed') return { verdict: 'killed', by: spec, seconds, specs };
  }
  return { verdict: 'SURVIVED', by: null, seconds, specs };
}

function isNoticed({ verdict }) {
  return verdict === 'killed' || verdict === 'hung';
}

function report({ mutant, verdict, by, seconds }, done, whole, secondsEach) {
  if (options.json) {
    const { file, line, mutator, within, from, to } = mutant;
    console.log(JSON.stringify({ verdict, file, line, mutator, within, from, to, by, seconds }));
    return;
  }
  const left = (secondsEach * (whole - done)) / 60;
  const place = `${mutant.file}:${mutant.line} ${mutant.mutator}`;
  console.log(
    `${done}/${whole} ${verdict.padEnd(10)} ${place} ${seconds.toFixed(1)} s${by === null ? '' : ` by ${by}`}; ${left.toFixed(0)} min left`,
  );
}

function conclude(results) {
  const counted = results.filter(({ verdict }) => verdict !== 'equivalent');
  const noticed = counted.filter(isNoticed).length;
  const [low, high] = wilsonInterval(noticed, counted.length);
  const hung = counted.filter(({ verdict }) => verdict === 'hung').length;
  const equivalent = results.length - counted.length;
  const summary = { mutants: counted.length, noticed, hung, equivalent, seed: options.seed, low, high };
  if (options.json) return console.log(JSON.stringify(summary));
  const missed = counted.filter((result) => !isNoticed(result));
  for (const { mutant, verdict } of missed.sort((a, b) => (a.mutant.id < b.mutant.id ? -1 : 1))) {
    const { file, line, mutator, within, from, to } = mutant;
    console.log(`\n${verdict} ${file}:${line} ${mutator}\n  ${within}\n- ${from}\n+ ${to}`);
  }
  const percent = (share) => (share * 100).toFixed(1);
  console.log(
    `\n${noticed} of ${counted.length} mutants noticed, ${percent(noticed / counted.length)} % (${percent(low)} to ${percent(high)} %, Wilson), ${hung} of them by not ending; ${equivalent} more are reviewed as equivalent. Seed ${options.seed}, of ${all.length} generated in ${texts.size} files.`,
  );
}

async function inLanes(items, work) {
  const waiting = [...items];
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
    }),
  );
}
