// A step of engines/torch against the loop that one writes by hand with transformers and peft: the same model, batch, precision and
// threads, by turns in one process, all that the engine does in a step included: reading its sequences, metrics and files. Ratios are
// medians over rounds of the ratio within a round: other work on the machine slows both. Besides them stands the ratio of processor
// times, which others on the machine hardly change. Both must have the same losses.
//
//   node test/performance/torch.bench.mjs [--json] [--rounds N] [--model FOLDER]
//     THREADS=2, FOLDER: of a Hugging Face model, SmolLM2-135M when absent; PYTHON=path/to/python3 with torch, transformers and peft
//     (else they are fetched)
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { pythonWithTransformers, smolLm2 } from '../../infra/dev/dist/index.js';
import { Random } from '../../libs/kernel/dist/index.js';
import {
  checkpointFiles,
  createAdapter,
  initialTensors,
  loadCheckpoint,
} from '../../libs/language-model/dist/index.js';
import { JobFolder, writeJob } from '../../libs/training-contract/dist/index.js';

/** Lengths of prompts and of entries, by what they stand for. */
const BATCHES = {
  'equal lengths': Array.from({ length: 4 }, () => [256, 128]),
  'many lengths': [32, 64, 96, 128, 160, 192, 256, 352].map((prompt) => [prompt, 32 + prompt / 4]),
  'short ones': Array.from({ length: 16 }, (_, index) => [24 + 2 * index, 24]),
};
const TRAINABLE = {
  kind: 'lora',
  rank: 16,
  alpha: 32,
  targetModules: ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'],
  modulesToSave: [],
  seed: 'bench',
};
const OPTIMIZER = { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0.01, clipNorm: 1 };
const LEARNING_RATE = 1e-4;
/** Of losses: the same sums in another order. */
const CLOSE = 1e-3;

const flag = (name, otherwise) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : process.argv[at + 1];
};
const rounds = Number(flag('rounds', '5'));
const threads = Number(process.env.THREADS ?? 2);
const model = flag('model') ?? (await smolLm2()).folder;
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const random = Random.of('torch bench');

const python = await pythonWithTransformers();
const sources = fileURLToPath(new URL('../../engines/torch/src', import.meta.url));
const checkpoint = await loadCheckpoint(model);
const start = createAdapter({
  kind: 'lora',
  settings: TRAINABLE,
  baseModelDigest: checkpoint.digest,
  tensors: await initialTensors(checkpoint, TRAINABLE),
});
const baseModelFiles = await checkpointFiles(model);

/** One step of each length pair; a token of the prompt is read, one of the entry is trained. */
function stepOf(lengths) {
  const count = lengths.reduce((sum, [, entry]) => sum + entry, 0);
  const { vocabularySize } = checkpoint.config;
  const sequences = lengths.map(([prompt, entry]) => ({
    tokenIds: Array.from({ length: prompt + entry }, () => random.int(vocabularySize)),
    targets: Array.from({ length: entry }, (_, at) => prompt + at),
    weights: Array.from({ length: entry }, () => 1 / count),
  }));
  return { learningRate: LEARNING_RATE, sequences };
}

function startSides() {
  const packages = [sources, python.environment.PYTHONPATH].filter(Boolean).join(delimiter);
  const child = spawn(python.command, [fileURLToPath(new URL('torch-reference.py', import.meta.url)), model], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...python.environment, PYTHONPATH: packages, THREADS: `${threads}` },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${python.command} ended; if PYTHON is set, has it torch, transformers and peft?`);
    return JSON.parse(value);
  };
  return { child, next };
}

const { child, next } = startSides();
const report = { threads, rounds, model: checkpoint.config.family, versions: await next(), batches: {} };
try {
  for (const [name, lengths] of Object.entries(BATCHES)) {
    const taken = { ours: [], theirs: [] };
    // The first round warms up.
    for (let round = -1; round < rounds; round++) {
      process.stderr.write(`${name}: round ${round + 1} of ${rounds}\n`);
      const folder = await mkdtemp(join(tmpdir(), 'torch-bench-'));
      try {
        const runId = `${name} ${round} ${round % 2 === 0 ? 'even' : 'odd'}`;
        const facts = { runId, baseModelDigest: checkpoint.digest, baseModelFiles, trainable: TRAINABLE, start };
        await writeJob(new JobFolder(folder), '', {
          ...facts,
          operation: 'train',
          vocabularySize: checkpoint.config.vocabularySize,
          objective: { kind: 'negative-log-likelihood' },
          optimizer: OPTIMIZER,
          checkpointEverySteps: 1,
          steps: [stepOf(lengths)],
        });
        child.stdin.write(`${JSON.stringify({ folder })}\n`);
        const { ours, theirs } = await next();
        if (!(Math.abs(ours.losses[0] / theirs.losses[0] - 1) < CLOSE))
          throw new Error(`expected equal losses of both sides, got ${ours.losses} and ${theirs.losses}`);
        if (round < 0) continue;
        taken.ours.push(ours);
        taken.theirs.push(theirs);
      } finally {
        await rm(folder, { recursive: true });
      }
    }
    const ratiosOf = (what) => taken.ours.map((own, round) => own[what] / taken.theirs[round][what]);
    const [ms, byHandMs] = [taken.ours, taken.theirs].map((side) => median(side.map((each) => each.ms)));
    const [ratios, cpuRatios] = [ratiosOf('ms'), ratiosOf('cpuMs')];
    report.batches[name] = { ms, byHandMs, ratio: median(ratios), cpuRatio: median(cpuRatios), ratios, cpuRatios };
  }
} finally {
  child.stdin.end();
}

if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
else {
  const { torch, transformers } = report.versions;
  console.log(
    `${threads} threads, medians of ${rounds} rounds, load ${loadavg()[0].toFixed(1)} at the end, torch ${torch}, transformers ${transformers}; the bar is 1.10 ×`,
  );
  for (const [name, { ms, byHandMs, ratio, ratios, cpuRatio }] of Object.entries(report.batches))
    console.log(
      `${name.padEnd(14)} ${ms.toFixed(0)} ms a step, by hand ${byHandMs.toFixed(0)} ms: ${ratio.toFixed(2)} × (${Math.min(...ratios).toFixed(2)} … ${Math.max(...ratios).toFixed(2)}), of processor time ${cpuRatio.toFixed(2)} ×`,
    );
}
