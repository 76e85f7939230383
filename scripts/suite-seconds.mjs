// Where the time of the suites goes, from the results that jest wrote.
//
//   npm run test:slow -- --json --outputFile /tmp/slow.json
//   npm run test:seconds -- /tmp/slow.json            seconds by file, and the longest tests
//   npm run test:seconds -- --write /tmp/slow.json    and keeps them in test/suite-seconds.json, by which runs are ordered (test/support/longest-first.mjs)
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RECORD = new URL('../test/suite-seconds.json', import.meta.url);
/** Shorter files are not recorded: their order makes no difference. */
const WORTH_SECONDS = 3;

const { values: options, positionals } = parseArgs({
  options: { write: { type: 'boolean', default: false } },
  allowPositionals: true,
});
if (positionals.length === 0)
  throw new Error('Cannot count seconds: expected files that jest wrote with --json, got none.');

const results = positionals.map((file) => JSON.parse(readFileSync(file, 'utf8')));
const files = results
  .flatMap(({ testResults }) => testResults)
  .map(({ name, startTime, endTime, assertionResults }) => ({
    name: relative(ROOT, name),
    seconds: Math.round((endTime - startTime) / 100) / 10,
    tests: assertionResults.map(({ fullName, duration }) => ({ fullName, seconds: (duration ?? 0) / 1000 })),
  }))
  .sort((a, b) => b.seconds - a.seconds);

for (const { name, seconds, tests } of files.filter((each) => each.seconds >= WORTH_SECONDS)) {
  console.log(`${seconds.toFixed(1).padStart(7)}  ${name}`);
  const longest = tests.toSorted((a, b) => b.seconds - a.seconds).slice(0, 3);
  for (const { fullName, seconds: own } of longest)
    if (own >= WORTH_SECONDS) console.log(`${own.toFixed(1).padStart(15)}  ${fullName}`);
}
const total = files.reduce((sum, { seconds }) => sum + seconds, 0);
console.log(`${total.toFixed(1).padStart(7)}  in all, of ${files.length} files`);

if (options.write) {
  const recorded = JSON.parse(readFileSync(RECORD, 'utf8'));
  for (const { name, seconds } of files) {
    if (seconds >= WORTH_SECONDS) recorded[name] = Math.round(seconds);
    else delete recorded[name];
  }
  const byLength = Object.entries(recorded)
    .filter(([name]) => existsSync(join(ROOT, name)))
    .sort(([, a], [, b]) => b - a);
  writeFileSync(RECORD, `${JSON.stringify(Object.fromEntries(byLength), null, 2)}\n`);
}
