// The inner update of SEAL on SmolLM2-135M-Instruct (LoRA of rank 32 on all linear layers, loss on all tokens), one document a step,
// next to PyTorch, transformers and peft (test/torch/inner_update_reference.py) in float32 with as many threads: tokens a second and
// the peak of resident memory. Then the same documents eight a step, whose memory should be that of one. Sides take turns, each run in
// a separate process; figures are medians over rounds, ratios medians of the ratio within a round. A run's speed is that of its median
// step, so that compiling counts for neither side. Processor time stands next to it, which other work on the machine hardly changes.
// test/torch/inner-update.spec.ts compares the losses.
//
//   node test/performance/inner-update.bench.mjs [--json] [--rounds 3] [--tokens 256] [--documents 8]
//     THREADS=2, PYTHON=path/to/python3 with torch, transformers and peft (else they are fetched)
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { pythonWithTransformers, smolLm2 } from '../../infra/dev/dist/index.js';
import { innerUpdate, innerUpdateSchema } from '../../libs/inner-update/dist/index.js';
import { Random } from '../../libs/kernel/dist/index.js';
import { LanguageModelTraining } from '../../libs/model-clients/dist/index.js';

const VOCABULARY = 49_152;
const BATCH = 8;

// ── Our side: one job, as inner_update_reference.py does it ──────────────────────────────────────────────────────────────────
/** Prints the milliseconds of each step and the peak of resident memory. */
async function runOurs(path) {
  const { folder, settings, documents, threads } = JSON.parse(await readFile(path, 'utf8'));
  // Training asks a model that serves only for its digest, fingerprint and texts: none of them is wanted here.
  const engine = new LanguageModelTraining(folder, {}, { threads, executionProvider: 'cpu' });
  const [milliseconds, cpuMilliseconds] = [[], []];
  let begun;
  let used;
  const begin = engine.begin.bind(engine);
  engine.begin = async (run) => {
    const weights = await begin(run);
    [begun, used] = [performance.now(), process.cpuUsage()];
    return weights;
  };
  const onStep = () => {
    const { user, system } = process.cpuUsage(used);
    milliseconds.push(performance.now() - begun);
    cpuMilliseconds.push((user + system) / 1000);
    [begun, used] = [performance.now(), process.cpuUsage()];
  };
  await innerUpdate(engine, {
    documents: documents.map((tokenIds) => ({ tokenIds, lossFrom: 1 })),
    settings,
    seed: 'bench',
    onStep,
  });
  await engine.close();
  const status = await readFile('/proc/self/status', 'utf8');
  const peakKb = Number(/VmHWM:\s*(\d+)/.exec(status)[1]);
  process.stdout.write(`${JSON.stringify({ milliseconds, cpuMilliseconds, peakKb })}\n`);
  process.exit(0);
}

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '3' },
    tokens: { type: 'string', default: '256' },
    documents: { type: 'string', default: '8' },
    side: { type: 'string' },
  },
});
if (options.side !== undefined) await runOurs(options.side);

// ── The comparison ───────────────────────────────────────────────────────────────────────────────────────────────────────────
const [rounds, tokens, count] = [options.rounds, options.tokens, options.documents].map(Number);
const threads = Number(process.env.THREADS ?? 2);
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const random = Random.of('inner update bench');
const documents = Array.from({ length: count }, () =>
  Array.from({ length: tokens }, () => 100 + random.int(VOCABULARY - 1000)),
);
const reference = fileURLToPath(new URL('../torch/inner_update_reference.py', import.meta.url));
const { folder } = await smolLm2();
const python = await pythonWithTransformers();
const place = await mkdtemp(join(tmpdir(), 'inner-update-bench-'));

/** A side's job of these settings, in a separate process. */
async function run(side, settings) {
  const job = join(place, 'job.json');
  const batches = documents.map((document) => [document]);
  const asked = { folder, adapter: null, settings, documents, batches, planned: count, threads };
  await writeFile(job, JSON.stringify(asked));
  const [command, args, environment] =
    side === 'ours'
      ? [process.execPath, [fileURLToPath(import.meta.url), '--side', job], {}]
      : [python.command, [reference, job], { ...python.environment, OMP_WAIT_POLICY: 'PASSIVE' }];
  const { stdout } = await promisify(execFile)(command, args, { env: { ...process.env, ...environment } });
  const result = JSON.parse(stdout.trim().split('\n').at(-1));
  return {
    ...result,
    tokensPerSecond: (1000 * tokens) / median(result.milliseconds),
    tokensPerCpuSecond: (1000 * tokens) / median(result.cpuMilliseconds),
  };
}

const single = innerUpdateSchema.parse({ epochs: 1 });
const ours = [];
const theirs = [];
const together = [];
try {
  for (let round = 0; round < rounds; round++) {
    process.stderr.write(`round ${round + 1} of ${rounds}\n`);
    ours.push(await run('ours', single));
    theirs.push(await run('theirs', single));
    together.push(await run('ours', { ...single, batchSize: BATCH }));
  }
} finally {
  await rm(place, { recursive: true });
}

const mib = (results) => Math.round(median(results.map(({ peakKb }) => peakKb)) / 1024);
const ratios = (of) => ours.map((_, round) => of(round));
const speed = ratios((round) => ours[round].tokensPerSecond / theirs[round].tokensPerSecond);
const report = {
  threads,
  rounds,
  tokens,
  load: loadavg()[0],
  versions: theirs[0].versions,
  tokensPerSecond: median(ours.map((result) => result.tokensPerSecond)),
  referenceTokensPerSecond: median(theirs.map((result) => result.tokensPerSecond)),
  speedRatio: median(speed),
  speedRatios: speed,
  cpuRatio: median(ratios((round) => ours[round].tokensPerCpuSecond / theirs[round].tokensPerCpuSecond)),
  peakMiB: mib(ours),
  referencePeakMiB: mib(theirs),
  memoryRatio: median(ratios((round) => ours[round].peakKb / theirs[round].peakKb)),
  peakTogetherMiB: mib(together),
  memoryTogetherRatio: median(ratios((round) => together[round].peakKb / ours[round].peakKb)),
};
if (options.json) {
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
} else {
  const fixed = (value) => value.toFixed(2);
  console.log(
    `${threads} threads, medians of ${rounds} rounds, ${count} documents of ${tokens} tokens, load ${report.load.toFixed(1)} at the end, ` +
      `against ${Object.entries(report.versions)
        .map((pair) => pair.join(' '))
        .join(', ')}`,
  );
  console.log(
    `tokens/s  ${report.tokensPerSecond.toFixed(0)} against ${report.referenceTokensPerSecond.toFixed(0)}: ${fixed(report.speedRatio)} × ` +
      `(${fixed(Math.min(...speed))} … ${fixed(Math.max(...speed))}; of processor time ${fixed(report.cpuRatio)}), bar 1.0 ×`,
  );
  console.log(
    `peak      ${report.peakMiB} MiB against ${report.referencePeakMiB}: ${fixed(report.memoryRatio)} ×, bar 1.0 ×`,
  );
  console.log(
    `peak, ${Math.min(BATCH, count)} documents a step  ${report.peakTogetherMiB} MiB: ${fixed(report.memoryTogetherRatio)} × that of one, bar 1.05 ×`,
  );
}
