// SmolLM2-135M-Instruct, and models in the shape of Qwen2.5 with 0.1 and 0.5 billion random weights and its vocabulary of 151,936,
// against transformers and peft on the same machine in the same minutes, by turns: a LoRA training step, sampling of one group
// under a schema, the time to the first token, and what the schema costs. Each side has separate processes, so that their peaks
// of memory can be compared. Ratios are medians over rounds of the ratio within a round: other work on the machine slows both. Besides
// them stands the ratio of processor times, which others on the machine hardly change (OMP_WAIT_POLICY=PASSIVE keeps the threads of
// the reference from spinning, which counts as work).
//
//   node test/performance/large-model.bench.mjs [--json] [--rounds N] [--models smollm2,0.1B,0.5B] [--measures load,training,sampling]
//     THREADS=2, TOKENIZER=tokenizer.json of Qwen2 (else of bytes), PYTHON=path/to/python3 with torch, transformers and peft
//     (else they are fetched)
import { spawn } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { pythonWithTransformers, smolLm2 } from '../../infra/dev/dist/index.js';
import { Random } from '../../libs/kernel/dist/index.js';
import { LanguageModel, TrainingSession } from '../../libs/language-model/dist/index.js';
import { Tokenizer, trainByteLevelBpe } from '../../libs/tokenizer/dist/index.js';

/** Random weights in these shapes; no shape: the published model. */
const MODELS = {
  smollm2: undefined,
  '0.1B': {
    hidden_size: 512,
    num_hidden_layers: 8,
    num_attention_heads: 8,
    num_key_value_heads: 2,
    intermediate_size: 1408,
  },
  '0.5B': {
    hidden_size: 896,
    num_hidden_layers: 24,
    num_attention_heads: 14,
    num_key_value_heads: 2,
    intermediate_size: 4864,
  },
};
const VOCABULARY = 151_936;
const SMOLLM2_VOCABULARY = 49_152;
const PROMPT = 256;
const NEW_TOKENS = 128;
const CANDIDATES = 8;
const RANK = 16;
const SEQUENCES = 4;
const OPTIMIZER = { learningRate: 1e-4, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0.01, clipNorm: 1 };
const threads = Number(process.env.THREADS ?? 2);

// So long that every candidate takes all its tokens, as every one of the reference does.
const TEXT = { type: 'string', minLength: 1000, maxLength: 4000 };
const SCHEMA = {
  type: 'object',
  properties: {
    concepts: { type: 'array', items: { type: 'string', maxLength: 200 }, minItems: 1, maxItems: 4 },
    strategy: TEXT,
    pitfalls: TEXT,
  },
  required: ['concepts', 'strategy', 'pitfalls'],
  additionalProperties: false,
};

// ── Our side: the same jobs as large-model-reference.py ──────────────────────────────────────────────────────────────────────
let model;
let answer;
let session;
const jobs = {
  /** Until a reader has the first token; its answer ends when the digest of the weights is measured. */
  async first_token({ folder, prompt }) {
    model = await LanguageModel.load(folder, { threads, digest: 'remembered' });
    await new Promise((resolve, reject) => {
      answer = model.generate([request(prompt, 1, 1)], { onTokens: resolve });
      answer.catch(reject);
    });
  },
  async answered() {
    await answer;
  },
  async sample({ prompt, candidates, new_tokens, constrained }) {
    const [rows] = await model.generate([request(prompt, candidates, new_tokens, constrained ? SCHEMA : undefined)]);
    return { tokens: rows.reduce((count, { tokenIds }) => count + tokenIds.length, 0) };
  },
  async start_training({ folder, rank }) {
    const targetModules = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'];
    session = await TrainingSession.create({
      checkpoint: folder,
      trainable: { kind: 'lora', rank, alpha: 2 * rank, targetModules, modulesToSave: [], seed: 'bench' },
      objective: { kind: 'negative-log-likelihood' },
      threads,
    });
  },
  async train({ sequences, prompt_length }) {
    const count = sequences.reduce((sum, { length }) => sum + length - prompt_length, 0);
    const batch = sequences.map((tokenIds) => {
      const targets = tokenIds.map((_, at) => at).slice(prompt_length);
      return { tokenIds, targets, weights: targets.map(() => 1 / count) };
    });
    return session.step(batch, OPTIMIZER);
  },
};
const request = (promptTokenIds, candidates, maxTokens, schema) => ({
  promptTokenIds,
  seeds: Array.from({ length: candidates }, (_, at) => `candidate ${at}`),
  sampling: { temperature: 1, topK: 0, topP: 1, maxTokens },
  stopTokenIds: [],
  ...(schema ? { schema } : {}),
});

if (process.argv.includes('--side')) {
  process.stdout.write('{}\n');
  for await (const line of createInterface({ input: process.stdin })) {
    const { job, ...operands } = JSON.parse(line);
    const [begun, used] = [performance.now(), process.cpuUsage()];
    const result = await jobs[job](operands);
    const ms = performance.now() - begun;
    const { user, system } = process.cpuUsage(used);
    const status = await readFile('/proc/self/status', 'utf8');
    const peakKb = Number(/VmHWM:\s*(\d+)/.exec(status)[1]);
    process.stdout.write(`${JSON.stringify({ ...result, ms, cpuMs: (user + system) / 1000, peakKb })}\n`);
  }
  await model?.close();
  await session?.close();
  process.exit(0);
}

// ── The comparison ───────────────────────────────────────────────────────────────────────────────────────────────────────────
const flag = (name, otherwise) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : process.argv[at + 1];
};
const rounds = Number(flag('rounds', '5'));
const isJson = process.argv.includes('--json');
const SETTLED_MS = 2_500;
const names = flag('models', Object.keys(MODELS).join()).split(',');
const measures = flag('measures', 'load,training,sampling').split(',');
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const say = (text) => process.stderr.write(`${text}\n`);

async function startSide(command, args, environment = {}) {
  const child = spawn(command, args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...environment, THREADS: `${threads}`, XDG_CACHE_HOME: cacheFolder },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${command} ended; if PYTHON is set, has it torch, transformers and peft?`);
    return JSON.parse(value);
  };
  const failed = new Promise((_, reject) => child.on('error', reject));
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const hello = await Promise.race([next(), failed]);
  return {
    hello,
    run(job, operands) {
      child.stdin.write(`${JSON.stringify({ job, ...operands })}\n`);
      return next();
    },
    /** Resolves when it is gone: giving gigabytes back takes time, too. */
    async end() {
      child.stdin.end();
      await ended;
    },
  };
}
const startReference = () =>
  startSide(python.command, [fileURLToPath(new URL('large-model-reference.py', import.meta.url))], python.environment);
const startOurs = () => startSide(process.execPath, [fileURLToPath(import.meta.url), '--side', 'ours']);

const cacheFolder = await mkdtemp(join(tmpdir(), 'large-model-cache-'));
const python = await pythonWithTransformers();
const greeted = await startReference();
await greeted.end();
const random = Random.of('large models');
const report = { threads, rounds, reference: greeted.hello, models: {} };

/** A checkpoint of random weights in the folder. */
async function makeCheckpoint(folder, shape) {
  const maker = await startReference();
  await maker.run('make', { folder, shape });
  await maker.end();
  if (process.env.TOKENIZER) await copyFile(process.env.TOKENIZER, join(folder, 'tokenizer.json'));
  else
    await writeFile(
      join(folder, 'tokenizer.json'),
      JSON.stringify(trainByteLevelBpe(['"concepts"'], 300, ['<|end|>'])),
    );
}

/** What the model is asked: a real one something real, others any tokens. */
async function promptOf(shape, folder) {
  if (shape) return tokens(PROMPT, VOCABULARY);
  const text =
    'Ada sells 12 loaves a day for $3.50 each. After 9 days she gives a third of the money to Bao. How much is left? ';
  return (await Tokenizer.load(folder)).encode(text.repeat(PROMPT / 16)).slice(0, PROMPT);
}
/** Without control tokens, which the vocabularies have at one of their ends. */
const tokens = (length, vocabulary) => Array.from({ length }, () => 100 + random.int(vocabulary - 1000));

for (const name of names) {
  const shape = MODELS[name];
  const made = shape ? await mkdtemp(join(tmpdir(), 'large-model-')) : undefined;
  const folder = made ?? (await smolLm2()).folder;
  const vocabulary = shape ? VOCABULARY : SMOLLM2_VOCABULARY;
  try {
    if (made) {
      say(`${name}: writing a checkpoint`);
      await makeCheckpoint(made, shape);
    }
    const result = {};
    report.models[name] = result;
    const prompt = await promptOf(shape, folder);
    if (measures.includes('load')) {
      // The first load of all measures the digest of the weights before anything; later ones remember it, see ADR 0020.
      await pause(SETTLED_MS);
      const [first, later] = [
        { ours: [], theirs: [] },
        { ours: [], theirs: [] },
      ];
      const proven = [];
      // The same from the start of the process, imports of libraries included: what a user waits for.
      const started = { ours: [], theirs: [] };
      for (let round = -1; round < rounds; round++) {
        say(`${name}: time to the first token, round ${round + 1} of ${rounds}`);
        for (const [side, start] of [
          ['ours', startOurs],
          ['theirs', startReference],
        ]) {
          const begun = performance.now();
          const process_ = await start();
          const { ms } = await process_.run('first_token', { folder, prompt });
          (round < 0 ? first : later)[side].push(ms);
          if (round >= 0) started[side].push(performance.now() - begun);
          if (side === 'ours' && round >= 0) proven.push(ms + (await process_.run('answered')).ms);
          await process_.end();
        }
      }
      result.firstToken = {
        ...ratioOf(later),
        answeredMs: median(proven),
        firstLoad: ratioOf({ ...first, theirs: later.theirs }),
        fromStart: ratioOf(started),
      };
    }
    if (measures.includes('sampling')) {
      const [ours, theirs] = [await startOurs(), await startReference()];
      for (const side of [ours, theirs]) await side.run('first_token', { folder, prompt });
      await ours.run('answered');
      const operands = { prompt, candidates: CANDIDATES, new_tokens: NEW_TOKENS };
      const perToken = { ours: [], theirs: [], free: [], oursCpu: [], theirsCpu: [] };
      for (let round = -1; round < rounds; round++) {
        say(`${name}: sampling, round ${round + 1} of ${rounds}`);
        const constrained = await ours.run('sample', { ...operands, constrained: true });
        const free = await ours.run('sample', { ...operands, constrained: false });
        const reference = await theirs.run('sample', operands);
        if (round < 0) continue;
        perToken.ours.push(constrained.ms / constrained.tokens);
        perToken.free.push(free.ms / free.tokens);
        perToken.theirs.push(reference.ms / reference.tokens);
        perToken.oursCpu.push(constrained.cpuMs / constrained.tokens);
        perToken.theirsCpu.push(reference.cpuMs / reference.tokens);
      }
      for (const side of [ours, theirs]) await side.end();
      const { ms, ...figures } = ratioOf(perToken);
      result.sampling = {
        ...figures,
        tokensPerSecond: 1000 / ms,
        schemaCost: median(perToken.ours) / median(perToken.free) - 1,
      };
    }
    if (measures.includes('training')) {
      const [ours, theirs] = [await startOurs(), await startReference()];
      for (const side of [ours, theirs]) await side.run('start_training', { folder, rank: RANK });
      const times = { ours: [], theirs: [], oursCpu: [], theirsCpu: [] };
      let peaks;
      for (let round = -1; round < rounds; round++) {
        say(`${name}: a training step, round ${round + 1} of ${rounds}`);
        const sequences = Array.from({ length: SEQUENCES }, () => tokens(PROMPT + NEW_TOKENS, vocabulary));
        const mine = await ours.run('train', { sequences, prompt_length: PROMPT });
        const other = await theirs.run('train', { sequences, prompt_length: PROMPT });
        peaks = { oursMiB: Math.round(mine.peakKb / 1024), theirsMiB: Math.round(other.peakKb / 1024) };
        if (round < 0) continue;
        times.ours.push(mine.ms);
        times.theirs.push(other.ms);
        times.oursCpu.push(mine.cpuMs);
        times.theirsCpu.push(other.cpuMs);
      }
      for (const side of [ours, theirs]) await side.end();
      const step = ratioOf(times);
      result.training = {
        ...step,
        tokensPerSecond: (SEQUENCES * (PROMPT + NEW_TOKENS) * 1000) / step.ms,
        peak: { ...peaks, ratio: peaks.oursMiB / peaks.theirsMiB },
      };
    }
  } finally {
    if (made) await rm(made, { recursive: true });
  }
}

/** Rounds side by side have their own ratios, whose median it is; others have one of their medians. */
function ratioOf({ ours, theirs, oursCpu = [], theirsCpu = [] }) {
  const ratios = ours.length === theirs.length ? ours.map((ms, round) => theirs[round] / ms) : [];
  const ratio = ratios.length > 0 ? median(ratios) : median(theirs) / median(ours);
  const cpuRatio = median(oursCpu.map((ms, round) => theirsCpu[round] / ms));
  return { ms: median(ours), referenceMs: median(theirs), ratio, ratios, cpuRatio };
}

await rm(cacheFolder, { recursive: true });

if (isJson) {
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
} else {
  const { torch, transformers } = report.reference;
  const spread = ({ ratios, cpuRatio }) =>
    `(${Math.min(...ratios).toFixed(2)} … ${Math.max(...ratios).toFixed(2)}; of processor time ${cpuRatio.toFixed(2)})`;
  console.log(
    `${threads} threads, medians of ${rounds} rounds, load ${loadavg()[0].toFixed(1)} at the end, against transformers ${transformers} on torch ${torch}`,
  );
  for (const [name, { firstToken, sampling, training }] of Object.entries(report.models)) {
    if (firstToken) {
      const { answeredMs, firstLoad, fromStart } = firstToken;
      const said = ({ ms, ratio }) => `${ms.toFixed(0)} ms  ${ratio.toFixed(2)} ×`;
      console.log(`${name}  first token  ${said(firstToken)}, answered ${answeredMs.toFixed(0)} ms`);
      console.log(`      from the process's start  ${said(fromStart)}; at the very first load  ${said(firstLoad)}`);
    }
    if (sampling)
      console.log(
        `${name}  sampling     ${sampling.tokensPerSecond.toFixed(1)} tokens/s  ${sampling.ratio.toFixed(2)} × ${spread(sampling)}, the schema costs ${(100 * sampling.schemaCost).toFixed(1)} %`,
      );
    if (training)
      console.log(
        `${name}  training     ${training.tokensPerSecond.toFixed(0)} tokens/s  ${training.ratio.toFixed(2)} × ${spread(training)}, peak of memory ${training.peak.oursMiB} MiB (${training.peak.ratio.toFixed(2)} ×)`,
      );
  }
}
