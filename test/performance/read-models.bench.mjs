// What a read model costs the first time, and from its snapshot. A log of N problems (one publication, four experiences and four outcomes each;
// one in twenty of them unsolved or still on its way) is made in LMDB; then the command line itself answers:
//   first       from the first record on; writes the snapshot
//   again       nothing is new
//   after news  1,000 problems (9,000 records) later
// Seconds are those of the whole command, Node's start included. Bar: `seam ledger` again < 1 s.
//   npm run build && node test/performance/read-models.bench.mjs [--problems 250000] [--folder DIR] [--json]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { appendProblems } from './log-of-problems.mjs';

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    problems: { type: 'string', default: '250000' },
    folder: { type: 'string', default: tmpdir() },
  },
});
const NEWS = 1000;
const BAR_SECONDS = 1;
const seam = fileURLToPath(new URL('../../apps/cli/bin/seam.js', import.meta.url));

/** What a command answers, its seconds, processor seconds and most memory (where GNU time is there). */
function timed(folder, ...args) {
  const started = performance.now();
  const command = [process.execPath, seam, '--data-dir', folder, '--json', ...args];
  const measured = hasTime
    ? spawnSync('/usr/bin/time', ['-f', '%U %S %M', ...command], { encoding: 'utf8', maxBuffer: 2 ** 26 })
    : spawnSync(command[0], command.slice(1), { encoding: 'utf8', maxBuffer: 2 ** 26 });
  const seconds = (performance.now() - started) / 1000;
  if (measured.status !== 0) throw new Error(measured.stderr);
  const [user, system, kib] = hasTime ? measured.stderr.trim().split('\n').at(-1).split(' ').map(Number) : [];
  const cpu = hasTime ? { cpuSeconds: user + system, memoryMib: Math.round(kib / 1024) } : {};
  return { answer: JSON.parse(measured.stdout), seconds, ...cpu };
}

const hasTime = spawnSync('/usr/bin/time', ['--version']).status === 0;
const bytesUnder = (folder) =>
  readdirSync(folder, { recursive: true })
    .map((name) => statSync(join(folder, name)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);

const folder = mkdtempSync(join(options.folder, 'seam-read-models-'));
try {
  const problems = Number(options.problems);
  const records = await appendProblems(folder, 0, problems);
  const result = { problems, records, logMiB: Math.round(bytesUnder(join(folder, 'log')) / 2 ** 20) };
  for (const [name, ...args] of [['ledger'], ['status'], ['runs'], ['adapters']]) {
    const first = timed(folder, name, ...args);
    const again = timed(folder, name, ...args);
    result[name] = { first: { ...first, answer: undefined }, again: { ...again, answer: undefined } };
    if (name === 'ledger') {
      result.ledger.balanced = again.answer.balanced;
      result.ledger.from = again.answer.from;
    }
  }
  result.snapshotMiB = Math.round(bytesUnder(join(folder, 'read-models')) / 2 ** 20);
  const news = await appendProblems(folder, problems, problems + NEWS);
  result.news = news;
  for (const name of ['ledger', 'status']) {
    const { answer, ...cost } = timed(folder, name);
    result[name].afterNews = cost;
    const scratch = problems <= 300_000 && name === 'ledger' ? timed(folder, name, '--from-scratch').answer : undefined;
    const without = ({ from: _from, snapshot: _snapshot, ...facts }) => JSON.stringify(facts);
    if (scratch !== undefined) result.equal = without(scratch) === without(answer);
  }
  if (options.json) process.stdout.write(`${JSON.stringify(result)}\n`);
  else {
    const line = ({ seconds, cpuSeconds, memoryMib }) =>
      `${seconds.toFixed(2)} s, ${cpuSeconds?.toFixed(2) ?? '?'} s of processor time, ${memoryMib ?? '?'} MiB`;
    console.log(
      `${records} records of ${problems} problems, log ${result.logMiB} MiB, snapshots ${result.snapshotMiB} MiB`,
    );
    for (const name of ['ledger', 'status', 'runs', 'adapters'])
      for (const [when, cost] of Object.entries(result[name]))
        if (cost?.seconds !== undefined) console.log(`seam ${name.padEnd(8)} ${when.padEnd(9)} ${line(cost)}`);
    console.log(`equal to a fold from the beginning: ${result.equal ?? 'not compared'}`);
    console.log(
      `${result.ledger.again.seconds < BAR_SECONDS ? 'met' : 'MISSED'}: seam ledger again < ${BAR_SECONDS} s`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
