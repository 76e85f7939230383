// Tokens per second of a training step and of batched sampling, for a model of the shipped size and one of 25 M parameters,
// against PyTorch on the same machine in the same minutes: rounds alternate, the medians are compared.
// What the grammar mask costs is measured within constrained sampling.
//
//   node test/performance/engine.bench.mjs [--json] [--rounds N]      PYTHON=path/to/python3 (with torch), THREADS=2
import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Random } from '../../libs/kernel/dist/index.js';
import { GenerationLane } from '../../libs/language-model/dist/generation/generation-lane.js';
import { LanguageModel, loadCheckpoint, TrainingSession } from '../../libs/language-model/dist/index.js';
import { writeRandomModel } from '../../libs/language-model/dist/random-model.fake.js';

const flag = (name, otherwise) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : (process.argv[at + 1] ?? true);
};
const rounds = Number(flag('rounds', 7));
const threads = Number(process.env.THREADS ?? 2);
const isJson = process.argv.includes('--json');

const MODELS = [
  {
    name: '1 M',
    config: {
      vocabularySize: 908,
      hiddenSize: 128,
      layers: 4,
      heads: 4,
      keyValueHeads: 4,
      headDimension: 32,
      intermediateSize: 352,
      maxPositions: 512,
    },
    train: { sequences: 64, length: 64 },
    sample: { rows: 256, prompt: 45, newTokens: 32 },
  },
  {
    name: '25 M',
    config: {
      vocabularySize: 4096,
      hiddenSize: 512,
      layers: 7,
      heads: 8,
      keyValueHeads: 8,
      headDimension: 64,
      intermediateSize: 1408,
      maxPositions: 512,
    },
    train: { sequences: 16, length: 64 },
    sample: { rows: 64, prompt: 45, newTokens: 32 },
  },
];
const OPTIMIZER = { learningRate: 1e-4, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.01, clipNorm: 1 };

/** Python with torch for comparison, or why there is none. */
async function startReference() {
  const script = fileURLToPath(new URL('engine-reference.py', import.meta.url));
  const child = spawn(process.env.PYTHON ?? 'python3', [script], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, THREADS: String(threads) },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    return done ? undefined : JSON.parse(value);
  };
  const failed = new Promise((resolve) => child.on('error', () => resolve(undefined)));
  const hello = await Promise.race([next(), failed]);
  if (!hello) return undefined;
  return {
    ...hello,
    async run(job) {
      child.stdin.write(`${JSON.stringify(job)}\n`);
      return (await next()).ms;
    },
    end: () => child.stdin.end(),
  };
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const timed = async (work) => {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
};
const tokensOf = (seed, rows, length, vocabulary) => {
  const random = Random.of(seed);
  return Array.from({ length: rows }, () => Array.from({ length }, () => 1 + random.int(vocabulary - 1)));
};

/** Alternates the two sides, so that what else the machine does falls on both. */
async function compare(ours, theirs) {
  await ours();
  await theirs?.();
  const mine = [];
  const other = [];
  for (let round = 0; round < rounds; round++) {
    mine.push(await timed(ours));
    if (theirs) other.push(await theirs());
  }
  return { ms: median(mine), ...(theirs ? { referenceMs: median(other), ratio: median(other) / median(mine) } : {}) };
}

const reference = await startReference();
const report = {
  threads,
  rounds,
  reference: reference
    ? { torch: reference.torch, threads: reference.threads }
    : 'python3 with torch not found: set PYTHON',
  models: {},
};

for (const { name, config, train, sample } of MODELS) {
  const folder = await writeRandomModel(config);
  try {
    const batch = tokensOf('train', train.sequences, train.length, config.vocabularySize);
    const count = train.sequences * (train.length - 1);
    const sequences = batch.map((tokenIds) => ({
      tokenIds,
      targets: tokenIds.slice(1).map((_, at) => at + 1),
      weights: tokenIds.slice(1).map(() => 1 / count),
    }));
    const session = await TrainingSession.create({
      checkpoint: folder,
      trainable: { kind: 'full' },
      objective: { kind: 'negative-log-likelihood' },
      threads,
    });
    const step = await compare(
      () => session.step(sequences, OPTIMIZER),
      reference && (() => reference.run({ folder, task: 'train', tokens: batch })),
    );
    await session.close();

    const model = await LanguageModel.load(folder, { threads });
    const prompts = tokensOf('sample', sample.rows, sample.prompt, config.vocabularySize);
    const sampling = { temperature: 1, topK: 0, topP: 1, maxTokens: sample.newTokens };
    const requests = prompts.map((promptTokenIds, at) => ({
      promptTokenIds,
      seeds: [String(at)],
      sampling,
      stopTokenIds: [],
    }));
    const sampled = await compare(
      () => model.generate(requests),
      reference && (() => reference.run({ folder, task: 'sample', tokens: prompts, newTokens: sample.newTokens })),
    );
    await model.close();
    report.models[name] = {
      training: { ...step, tokensPerSecond: Math.round(((train.sequences * train.length) / step.ms) * 1000) },
      sampling: { ...sampled, tokensPerSecond: Math.round(((sample.rows * sample.newTokens) / sampled.ms) * 1000) },
      grammar: await grammarShare(folder, sample),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}
reference?.end();

/** Time inside the grammar as a share of constrained sampling, on one thread; 64 groups of 8. */
async function grammarShare(folder, { prompt }) {
  const checkpoint = await loadCheckpoint(folder);
  const words = ['red', 'orange', 'yellow', 'blue berry', 'sheep', 'swap order', 'none', 'cow'];
  const word = { enum: words.flatMap((first) => words.map((second) => `${first} ${second}`)) };
  const schema = {
    type: 'object',
    properties: { concepts: { type: 'array', items: word, minItems: 1, maxItems: 3 }, strategy: word, pitfalls: word },
    required: ['concepts', 'strategy', 'pitfalls'],
    additionalProperties: false,
  };
  const lane = new GenerationLane(checkpoint, {
    executionProvider: 'cpu',
    lanes: 1,
    threadsPerLane: 1,
    isLarge: false,
    cacheBytes: 2 ** 30,
  });
  const groups = checkpoint.config.hiddenSize > 256 ? 4 : 32;
  const prompts = tokensOf('grammar', groups, prompt, checkpoint.config.vocabularySize);
  const requests = prompts.map((promptTokenIds, at) => ({
    promptTokenIds,
    seeds: Array.from({ length: 8 }, (_, seed) => `${at} ${seed}`),
    sampling: { temperature: 1, topK: 0, topP: 1, maxTokens: 96 },
    schema,
  }));
  await lane.generate(requests);
  const grammar = (await lane.grammars.prepare([schema]))(schema);
  let inside = 0;
  for (const method of ['allowedWithin', 'advance', 'forcedRun', 'isComplete']) {
    const original = grammar[method].bind(grammar);
    grammar[method] = (...operands) => {
      const begun = performance.now();
      const result = original(...operands);
      inside += performance.now() - begun;
      return result;
    };
  }
  const shares = [];
  let tokens = 0;
  let ms = 0;
  for (let round = 0; round < rounds; round++) {
    inside = 0;
    let results;
    ms = await timed(async () => {
      results = await lane.generate(requests);
    });
    tokens = results.flat().reduce((sum, { tokenIds }) => sum + tokenIds.length, 0);
    shares.push(inside / ms);
  }
  await lane.close();
  return { share: median(shares), tokensPerSecond: Math.round((tokens / ms) * 1000) };
}

if (isJson) {
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
} else {
  const against = (result) => (result.ratio === undefined ? '' : `   ${result.ratio.toFixed(2)} × PyTorch`);
  process.stdout.write(
    `${threads} threads, medians of ${rounds}; reference: ${typeof report.reference === 'string' ? report.reference : `torch ${report.reference.torch}, ${report.reference.threads} threads`}\n`,
  );
  for (const [name, { training, sampling, grammar }] of Object.entries(report.models)) {
    process.stdout.write(
      `${name.padEnd(5)} training  ${String(training.tokensPerSecond).padStart(7)} tokens/s  ${training.ms.toFixed(0)} ms${against(training)}\n`,
    );
    process.stdout.write(
      `      sampling  ${String(sampling.tokensPerSecond).padStart(7)} tokens/s  ${sampling.ms.toFixed(0)} ms${against(sampling)}\n`,
    );
    process.stdout.write(`      grammar   ${(100 * grammar.share).toFixed(1)} % of constrained sampling\n`);
  }
}
