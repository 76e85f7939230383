// Feeds readers of what strangers wrote with damaged input and looks for what must never come of it: a hang, a crash, an error that is
// no SeamError of a known code, an answer that the target itself says is wrong.
//
//   npm run fuzz                                        20 s for each target of test/fuzz/targets/
//   npm run fuzz -- --seconds 180 --target parquet      longer, one target (may be given again)
//   npm run fuzz -- --inputs 500                        so many inputs for each target instead of a time
//   npm run fuzz -- --seed 7 --jobs 2                   other damage; targets side by side
//
// A target is a module that exports { name, seeds, run(bytes), mutate? }: `seeds` are sound inputs (Uint8Arrays; the files of
// test/fuzz/corpus/<name>/ come on top), `run` gives one input to the reader and may throw SeamErrors only, `mutate(random, seeds)` makes an
// input where damaged bytes would not get far. Each target has its own thread. The input under way lies in memory that the thread shares
// with this process, so an input that never ends is ended from here and kept. What is found lies in test/fuzz/found/<name>/; once
// mended it belongs into the corpus, whose files are given unchanged before anything else.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { isSeamError } from '@seamstream/kernel';

const HERE = fileURLToPath(new URL('.', import.meta.url));
/** Longest input, in bytes. */
const INPUT_BYTES = 1 << 20;
/** Processor time without a new input after which a target hangs, and the wall time after which it hangs regardless of what it computes. Milliseconds. */
const HANG = { cpuMs: 8000, wallMs: 120_000 };
const LOOK_MS = 250;
/** A target that fails so often is broken; more of its inputs teach nothing. */
const MOST_FAULTS = 20;
/** Threads for one target: each but the first follows one that hung or died. */
const MOST_THREADS = 4;

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    inputs: { type: 'string' },
    target: { type: 'string', multiple: true, default: [] },
    seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '1' },
    targets: { type: 'string', default: join(HERE, 'targets') },
    found: { type: 'string', default: join(HERE, 'found') },
    hangMs: { type: 'string', default: String(HANG.cpuMs) },
    json: { type: 'boolean', default: false },
  },
});
const hangCpuMs = Number(options.hangMs);
const modules = readdirSync(options.targets)
  .filter((file) => file.endsWith('.mjs'))
  .map((file) => ({ name: file.slice(0, -'.mjs'.length), path: join(options.targets, file) }))
  .filter(({ name }) => options.target.length === 0 || options.target.includes(name));
const unknown = options.target.filter((name) => !modules.some((each) => each.name === name));
if (unknown.length > 0) throw new Error(`no target ${unknown.join(', ')} in ${options.targets}`);

const queue = [...modules];
const reports = [];
await Promise.all(
  Array.from({ length: Number(options.jobs) }, async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) reports.push(await fuzz(next));
  }),
);
reports.sort((a, b) => (a.target < b.target ? -1 : 1));
if (options.json) process.stdout.write(`${JSON.stringify(reports)}\n`);
process.exitCode = reports.some(({ faults }) => faults.length > 0) ? 1 : 0;

/** Runs one target for its time; a thread that hung or died is replaced and continues with other inputs. */
async function fuzz({ name, path }) {
  const begin = performance.now();
  const endsAt = options.inputs === undefined ? begin + Number(options.seconds) * 1000 : Number.POSITIVE_INFINITY;
  const most = options.inputs === undefined ? Number.POSITIVE_INFINITY : Number(options.inputs);
  const report = { target: name, inputs: 0, refused: {}, slowestMs: 0, faults: [] };
  for (
    let round = 0;
    report.inputs < most && performance.now() < endsAt && report.faults.length < MOST_FAULTS;
    round++
  ) {
    const limits = { endsAt: endsAt - performance.now(), most: most - report.inputs };
    const ended = await thread(name, path, round, limits, report);
    if (ended) break;
  }
  report.seconds = Math.round((performance.now() - begin) / 100) / 10;
  if (!options.json) print(report);
  return report;
}

/** One life of a target's thread. Answers whether the target is through. */
function thread(name, path, round, limits, report) {
  // [0] inputs so far, [1] length of the one under way, [2] whether one is under way; then its bytes.
  const shared = new SharedArrayBuffer(12 + INPUT_BYTES);
  const head = new Int32Array(shared, 0, 3);
  const workerData = {
    path,
    shared,
    seed: Number(options.seed) + round * 1_000_003,
    limits,
    corpus: join(HERE, 'corpus', name),
    round,
  };
  const worker = new Worker(new URL('./fuzz.worker.mjs', import.meta.url), {
    workerData,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 1024 },
  });
  const underWay = () => new Uint8Array(shared, 12, head[1]).slice();
  return new Promise((resolve) => {
    let isOver = false;
    let last = { inputs: -1, cpuMs: 0, at: performance.now() };
    const over = (isThrough) => {
      if (isOver) return;
      isOver = true;
      clearInterval(timer);
      report.inputs += head[0];
      void worker.terminate().then(() => resolve(isThrough));
    };
    const look = async () => {
      if (head[2] === 0) return;
      const usage = await worker.cpuUsage().catch(() => undefined);
      const now = {
        inputs: head[0],
        cpuMs: usage === undefined ? 0 : (usage.user + usage.system) / 1000,
        at: performance.now(),
      };
      if (now.inputs !== last.inputs) {
        last = now;
        return;
      }
      if (now.cpuMs - last.cpuMs < hangCpuMs && now.at - last.at < HANG.wallMs) return;
      if (!isOver)
        keep(
          report,
          name,
          'hang',
          `no end after ${Math.round(now.cpuMs - last.cpuMs)} ms of processor time`,
          underWay(),
        );
      over(false);
    };
    const timer = setInterval(() => void look(), LOOK_MS);
    worker.on('message', (message) => {
      if (message.kind === 'fault') keep(report, name, 'fault', message.text, message.bytes);
      if (message.kind !== 'done') return;
      for (const [code, count] of Object.entries(message.refused))
        report.refused[code] = (report.refused[code] ?? 0) + count;
      report.slowestMs = Math.max(report.slowestMs, message.slowestMs);
      over(true);
    });
    worker.on('error', (error) => {
      const isSet = head[2] === 1;
      keep(report, name, 'crash', String(error?.stack ?? error), isSet ? underWay() : new Uint8Array());
      over(!isSet);
    });
    worker.on('exit', (code) => {
      if (isOver) return;
      keep(report, name, 'crash', `the thread ended with code ${code}`, underWay());
      over(false);
    });
  });
}

function keep(report, name, kind, text, bytes) {
  const what = text.split('\n').slice(0, 4).join('\n');
  // One input for each kind of fault: numbers and quoted texts differ, the fault is the same.
  const sameness = `${kind} ${what.split('\n')[0].replaceAll(/\d+|"[^"]*"/g, '')}`;
  if (report.faults.some((fault) => fault.sameness === sameness)) return;
  const folder = join(options.found, name);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${kind}-${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`);
  writeFileSync(file, bytes);
  report.faults.push({ kind, what, sameness, file, bytes: bytes.length });
}

function print({ target, inputs, seconds, slowestMs, refused, faults }) {
  const codes = Object.entries(refused)
    .sort(([, a], [, b]) => b - a)
    .map(([code, count]) => `${code} ${count}`)
    .join(', ');
  process.stdout.write(
    `${target.padEnd(20)} ${String(inputs).padStart(8)} inputs  ${seconds} s  slowest ${Math.round(slowestMs)} ms  ${faults.length} faults  refused: ${codes || 'none'}\n`,
  );
  for (const { kind, what, file } of faults)
    process.stdout.write(`  ${kind}: ${what.replaceAll('\n', '\n    ')}\n  kept in ${file}\n`);
}

// Sent once, so that a target that knows no SeamError is seen to be loaded from another copy.
if (isSeamError(new Error('plain'))) throw new Error('isSeamError takes every error for one of ours');
