// Switches off one control at a time and runs the tests that prove it: each must fail. A control whose absence no test notices is not proven.
//
//   npm run mutants                          every row of test/mutants/*.mutants.mjs
//   npm run mutants -- --only kafka,sign     rows whose area, control or file holds one of these words
//   npm run mutants -- --area learning       rows of test/mutants/learning.mutants.mjs
//   npm run mutants -- --check                only whether every row's place is still there
//   npm run mutants -- --json                one object a row, and a summary
//
// A row: { control, file, from, to, suite, spec, title }
//   control  what is switched off, as a sentence: "a batch is not read beyond its output limit"
//   file     the source, from the root; `from` (text or regular expression) must occur in it once, `to` takes its place
//   suite    a project of jest.config.mjs; `spec` a pattern of the spec's path; `title` (optional) a pattern of the tests' names
//
// Rows run on a copy of the tree in a temporary folder, so a run that is killed leaves no fault behind. Before a row's mutant its tests run
// once as they are: a test that fails anyway would prove nothing.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { copyTree } from './tree-copy.mjs';

if (Number(process.versions.node.split('.')[0]) < 24)
  throw new Error(`Cannot run mutants: expected Node 24, got ${process.version}. Start it with "npm run mutants".`);

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    area: { type: 'string' },
    json: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
});

const rows = (await loadRows()).filter(isWanted);
if (rows.length === 0)
  throw new Error(
    `Cannot run mutants: expected rows of ${options.area ?? 'any area'} that hold "${options.only ?? ''}", got none.`,
  );
if (options.list) {
  for (const { area, control, spec } of rows) console.log(`${area}: ${control} (${spec})`);
  process.exit(0);
}

if (options.check) {
  const specs = execFileSync('git', ['ls-files', '*.spec.ts'], { cwd: ROOT, encoding: 'utf8' }).split('\n');
  const stale = rows.flatMap((row) => {
    if (!existsSync(join(ROOT, row.file))) return [`${row.area}: ${row.control}: there is no ${row.file}`];
    const places = placesOf(row, readFileSync(join(ROOT, row.file), 'utf8'));
    if (places !== 1) return [`${row.area}: ${row.control}${stalePlace(row, places)}`];
    return specs.some((path) => new RegExp(row.spec).test(path))
      ? []
      : [`${row.area}: ${row.control}: no spec file is named ${row.spec}`];
  });
  console.log(stale.length === 0 ? `${rows.length} mutants have their place` : stale.join('\n'));
  process.exit(stale.length === 0 ? 0 : 1);
}

// 1. A copy of the tree.
const copy = copyTree(ROOT);

// 2. Every row: the tests as they are, then with the control off.
const passesUnchanged = new Map();
const results = rows.map((row, index) => {
  const result = { area: row.area, control: row.control, ...judge(row) };
  if (options.json) console.log(JSON.stringify(result));
  else
    console.log(`${index + 1}/${rows.length} ${result.verdict.padEnd(8)} ${row.area}: ${row.control}${result.detail}`);
  return result;
});

// 3. The score.
const caught = results.filter(({ verdict }) => verdict === 'caught').length;
if (options.json) console.log(JSON.stringify({ mutants: results.length, caught }));
else console.log(`${caught} of ${results.length} mutants caught`);
process.exitCode = caught === results.length ? 0 : 1;

async function loadRows() {
  const folder = join(ROOT, 'test/mutants');
  const files = readdirSync(folder).filter((name) => name.endsWith('.mutants.mjs'));
  const areas = files.map(async (name) => {
    const { default: own } = await import(pathToFileURL(join(folder, name)).href);
    return own.map((row) => ({ area: name.replace('.mutants.mjs', ''), ...row }));
  });
  return (await Promise.all(areas)).flat();
}

function isWanted({ area, control, file }) {
  if (options.area !== undefined && !options.area.split(',').includes(area)) return false;
  const words = options.only?.split(',') ?? [''];
  return words.some((word) => `${area} ${control} ${file}`.toLowerCase().includes(word.toLowerCase()));
}

function judge(row) {
  const path = join(copy, row.file);
  const source = readFileSync(path, 'utf8');
  const places = placesOf(row, source);
  if (places !== 1) return { verdict: 'stale', detail: stalePlace(row, places) };
  const test = `${row.suite} ${row.spec} ${row.title ?? ''}`;
  if (!passesUnchanged.has(test)) passesUnchanged.set(test, run(row) === 'passed');
  if (!passesUnchanged.get(test))
    return { verdict: 'broken', detail: ` (${row.spec} fails, or has no test, without the mutant)` };
  try {
    writeFileSync(
      path,
      source.replace(row.from, () => row.to),
    );
    return run(row) === 'failed'
      ? { verdict: 'caught', detail: '' }
      : { verdict: 'SURVIVED', detail: ` (${row.spec})` };
  } finally {
    writeFileSync(path, source);
  }
}

function placesOf({ from }, source) {
  return typeof from === 'string' ? source.split(from).length - 1 : (source.match(new RegExp(from, 'g')) ?? []).length;
}

function stalePlace({ file }, places) {
  return ` (expected one place in ${file}, found ${places}; mend the row)`;
}

/** passed, failed (a test ran and failed), or none (no test ran: a mutant that does not compile proves nothing). */
function run({ suite, spec, title }) {
  const report = join(copy, 'mutants-report.json');
  rmSync(report, { force: true });
  const jest = join(copy, 'node_modules/jest/bin/jest.js');
  const args = [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    jest,
    '--runInBand',
    '--silent',
    '--json',
  ];
  const chosen = ['--outputFile', report, '--selectProjects', suite, '--testPathPatterns', spec];
  spawnSync(process.execPath, [...args, ...chosen, ...(title === undefined ? [] : ['-t', title])], {
    cwd: copy,
    stdio: 'ignore',
    timeout: suite === 'quick' ? 600_000 : 1_800_000,
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
  });
  const { numPassedTests, numFailedTests } = read(report);
  if (numFailedTests > 0) return 'failed';
  return numPassedTests > 0 ? 'passed' : 'none';
}

function read(report) {
  try {
    return JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return { numPassedTests: 0, numFailedTests: 1 }; // the process died or hung with the mutant in it: noticed
  }
}
