/**
 * Makes the models that the project ships, with its own engine:
 *   node models/make-models.mjs [--only executor|generator-base|self-edits|attributes|grids] [--to FOLDER] [--threads N]
 * The weights are a function of the seeds below and of the embedded world, not of the number of threads.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { loadPrompts } from '@seamstream/experience';
import { Random } from '@seamstream/kernel';
import { checkpointShapes, loadCheckpoint, saveCheckpoint, TrainingSession, warmUpCosineRate } from '@seamstream/language-model';
import { Tokenizer } from '@seamstream/tokenizer';
import { attributeWords, followingSequence, makeAttributeTokenizer, planningSequence } from './attribute-texts.mjs';
import { configuringSequence, makeGridTokenizer, solvingSequence } from './grid-texts.mjs';
import { measureAttributeExecutor, measureAttributeGenerator } from './measure-attribute-models.mjs';
import { measureGridExecutor, measureGridGenerator } from './measure-grid-models.mjs';
import { measureExecutor, measureGeneratorBase } from './measure-models.mjs';
import { measurePassageExecutor, measurePassageGenerator } from './measure-passage-models.mjs';
import { editSequence, knowledgeSequence, makePassageTokenizer, passageWords } from './passage-texts.mjs';
import {
  END_ID,
  END_TOKEN,
  executorSequence,
  generatorSequence,
  lookUpSequence,
  makeTokenizer,
  statements,
  worldWords,
} from './training-texts.mjs';

const SHARED = {
  family: 'llama',
  ropeTheta: 10000,
  rmsNormEpsilon: 1e-5,
  tieWordEmbeddings: true,
  attentionBias: false,
  queryKeyNorm: false,
  maxPositions: 512,
};
/** A pair of grids can have some 200 tokens. */
const GRIDS = { maxPositions: 1024 };
const OPTIMIZER = { beta1: 0.9, beta2: 0.98, epsilon: 1e-8, weightDecay: 0.01, clipNorm: 1 };
/** Steps of the executor's curriculum; the stock grows from 2 to 5 items meanwhile. */
const LOOK_UP_STEPS = 200;

/** By demonstration, since the models of one share a tokenizer. A vocabulary has room for every word of its world as one token. */
const TOKENIZERS = {
  experiences: { vocabularySize: 928, make: makeTokenizer, words: () => Object.values(worldWords()).flat() },
  'self-edits': { vocabularySize: 1024, make: makePassageTokenizer, words: passageWords },
  attributes: { vocabularySize: 608, make: makeAttributeTokenizer, words: attributeWords },
  grids: { vocabularySize: 384, make: makeGridTokenizer, words: () => [] },
};

const ofStatements = (sequence) => (seed, step, count, random, tokenizer, prompts) =>
  statements(seed, step, count, random).map((problem) => sequence(problem, step, random, tokenizer, prompts));
const drawn = (sequence) => (_seed, step, count, random, tokenizer, prompts) =>
  Array.from({ length: count }, () => sequence(random, tokenizer, prompts, step));

/** By folder. */
const RECIPES = {
  executor: {
    seed: 'executor 1',
    demonstration: 'experiences',
    config: { hiddenSize: 96, layers: 3, heads: 3, keyValueHeads: 3, headDimension: 32, intermediateSize: 256 },
    steps: 1500,
    batch: 64,
    rate: { peak: 3e-3, floor: 6e-5, warmUpSteps: 50 },
    sequences: ofStatements((problem, step, random, tokenizer, prompts) =>
      step < LOOK_UP_STEPS
        ? lookUpSequence(problem, Math.min(5, 2 + Math.floor((step * 4) / LOOK_UP_STEPS)), random, tokenizer)
        : executorSequence(problem, random, tokenizer, prompts),
    ),
    measure: measureExecutor,
  },
  'generator-base': {
    seed: 'generator 1',
    demonstration: 'experiences',
    config: { hiddenSize: 128, layers: 4, heads: 4, keyValueHeads: 4, headDimension: 32, intermediateSize: 352 },
    steps: 400,
    batch: 64,
    rate: { peak: 2e-3, floor: 4e-5, warmUpSteps: 30 },
    sequences: ofStatements((problem, _step, random, tokenizer, prompts) =>
      generatorSequence(problem, random, tokenizer, prompts),
    ),
    measure: measureGeneratorBase,
  },
  'self-edits/executor': {
    seed: 'self-edits executor 1',
    demonstration: 'self-edits',
    config: { hiddenSize: 96, layers: 3, heads: 3, keyValueHeads: 3, headDimension: 32, intermediateSize: 256 },
    steps: 1000,
    batch: 192,
    rate: { peak: 3e-3, floor: 6e-5, warmUpSteps: 50 },
    sequences: drawn(knowledgeSequence),
    measure: measurePassageExecutor,
  },
  'self-edits/generator-base': {
    seed: 'self-edits generator 1',
    demonstration: 'self-edits',
    config: { hiddenSize: 96, layers: 3, heads: 3, keyValueHeads: 3, headDimension: 32, intermediateSize: 256 },
    steps: 700,
    batch: 48,
    rate: { peak: 2e-3, floor: 4e-5, warmUpSteps: 50 },
    sequences: drawn(editSequence),
    measure: measurePassageGenerator,
  },
  'attributes/executor': {
    seed: 'attributes executor 1',
    demonstration: 'attributes',
    config: { hiddenSize: 96, layers: 4, heads: 3, keyValueHeads: 3, headDimension: 32, intermediateSize: 256 },
    steps: 360,
    batch: 64,
    rate: { peak: 3e-3, floor: 6e-5, warmUpSteps: 50 },
    sequences: drawn(followingSequence),
    measure: measureAttributeExecutor,
  },
  'attributes/other-executor': {
    seed: 'attributes other executor 1',
    demonstration: 'attributes',
    config: { hiddenSize: 64, layers: 4, heads: 4, keyValueHeads: 4, headDimension: 16, intermediateSize: 192 },
    steps: 800,
    batch: 64,
    rate: { peak: 4e-3, floor: 6e-5, warmUpSteps: 50 },
    sequences: drawn(followingSequence),
    measure: measureAttributeExecutor,
  },
  'attributes/generator-base': {
    seed: 'attributes generator 1',
    demonstration: 'attributes',
    config: { hiddenSize: 96, layers: 3, heads: 3, keyValueHeads: 3, headDimension: 32, intermediateSize: 256 },
    steps: 450,
    batch: 48,
    rate: { peak: 3e-3, floor: 4e-5, warmUpSteps: 30 },
    sequences: drawn(planningSequence),
    measure: measureAttributeGenerator,
  },
  'grids/executor': {
    seed: 'grids executor 1',
    demonstration: 'grids',
    config: { ...GRIDS, hiddenSize: 64, layers: 3, heads: 2, keyValueHeads: 2, headDimension: 32, intermediateSize: 192 },
    steps: 500,
    batch: 32,
    rate: { peak: 4e-3, floor: 6e-5, warmUpSteps: 30 },
    sequences: drawn(solvingSequence),
    measure: measureGridExecutor,
  },
  'grids/generator-base': {
    seed: 'grids generator 1',
    demonstration: 'grids',
    config: { ...GRIDS, hiddenSize: 48, layers: 2, heads: 2, keyValueHeads: 2, headDimension: 24, intermediateSize: 128 },
    steps: 120,
    batch: 16,
    rate: { peak: 5e-3, floor: 6e-5, warmUpSteps: 20 },
    sequences: drawn(configuringSequence),
    measure: measureGridGenerator,
  },
};

/**
 * Normal weights: 1/√in for linear layers, those that write to the residual stream divided by √(2 · layers) (GPT-2), and 0.2
 * for the embedding: with the usual 0.02 and a tied head the executor's look-up does not form.
 */
function initialWeights(config, seed) {
  const tensors = new Map();
  for (const [name, shape] of checkpointShapes(config)) {
    const random = Random.of(seed, 'weights', name);
    const isNorm = shape.length === 1;
    const writesToStream = /(o_proj|down_proj)\.weight$/.test(name);
    const fanIn = 1 / Math.sqrt(shape.at(-1));
    const spread = name.includes('embed_tokens') ? 0.2 : writesToStream ? fanIn / Math.sqrt(2 * config.layers) : fanIn;
    const length = shape.reduce((total, size) => total * size, 1);
    tensors.set(name, {
      shape: [...shape],
      data: Float32Array.from({ length }, () => (isNorm ? 1 : spread * random.normal())),
    });
  }
  return tensors;
}

async function makeModel(name, target, tokenizerJson, prompts, threads) {
  const { seed, config: shape, steps, batch: size, rate, sequences, measure } = RECIPES[name];
  const tokenizer = Tokenizer.fromJson(tokenizerJson);
  const config = { ...SHARED, ...shape, vocabularySize: tokenizer.vocabularySize };
  const generation = { eosTokenIds: [END_ID], padTokenId: END_ID };
  const folder = join(target, name);
  const start = await mkdtemp(join(tmpdir(), 'seam-model-'));
  const startedMs = performance.now();
  const seconds = () => ((performance.now() - startedMs) / 1000).toFixed(1);
  await saveCheckpoint(start, { config, tensors: initialWeights(config, seed), generation });
  const session = await TrainingSession.create({
    checkpoint: start,
    trainable: { kind: 'full' },
    objective: { kind: 'negative-log-likelihood' },
    threads,
  });
  const learningRate = warmUpCosineRate({ ...rate, totalSteps: steps });
  for (let step = 0; step < steps; step++) {
    const random = Random.of(seed, 'batch', step);
    const batch = sequences(seed, step, size, random, tokenizer, prompts);
    const numTargets = batch.reduce((count, { targets }) => count + targets.length, 0);
    const { loss } = await session.step(
      batch.map((each) => ({ ...each, weights: each.targets.map(() => 1 / numTargets) })),
      { ...OPTIMIZER, learningRate: learningRate(step) },
    );
    if (step % 50 === 0 || step === steps - 1)
      console.log(`${name}: step ${step} of ${steps}, loss ${loss.toFixed(4)}, ${seconds()} s`);
  }
  const tensors = await session.exportTensors();
  await session.close();
  await rm(start, { recursive: true });
  await saveCheckpoint(folder, { config, tensors, generation, tokenizer: tokenizerJson });
  const tokenizerConfig = {
    tokenizer_class: 'PreTrainedTokenizerFast',
    clean_up_tokenization_spaces: false,
    eos_token: END_TOKEN,
    pad_token: END_TOKEN,
    model_max_length: config.maxPositions,
  };
  await writeFile(join(folder, 'tokenizer_config.json'), `${JSON.stringify(tokenizerConfig, null, 2)}\n`);
  const parameters = [...tensors.values()].reduce((count, { data }) => count + data.length, 0);
  const { digest } = await loadCheckpoint(folder);
  console.log(`${name}: ${parameters} parameters, digest ${digest}, made in ${seconds()} s`);
  await measure(folder, prompts);
}

/** Every word of the world must be one token behind a space: an entry's choice is then one decision. */
function tokenizerOf(demonstration, prompts) {
  const { vocabularySize, make, words } = TOKENIZERS[demonstration];
  const json = make(prompts, vocabularySize);
  const tokenizer = Tokenizer.fromJson(json);
  const split = words().filter((word) => tokenizer.encode(` ${word}`).length !== 1);
  if (split.length > 0) throw new Error(`Cannot make the tokenizer: expected whole words, got a vocabulary of ${vocabularySize} that splits ${split.join(', ')}. Enlarge it.`);
  console.log(`tokenizer of ${demonstration}: ${tokenizer.vocabularySize} tokens, digest ${tokenizer.digest}`);
  return json;
}

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    to: { type: 'string', default: fileURLToPath(new URL('.', import.meta.url)) },
    threads: { type: 'string' },
  },
});
const threads = options.threads === undefined ? undefined : Number(options.threads);
for (const [demonstration, template] of [
  ['experiences', 'plain'],
  ['self-edits', 'direct'],
  ['attributes', 'plain'],
  ['grids', 'direct'],
]) {
  const names = Object.keys(RECIPES).filter(
    (name) =>
      RECIPES[name].demonstration === demonstration && (options.only === undefined || name.startsWith(options.only)),
  );
  if (names.length === 0) continue;
  const prompts = await loadPrompts({ template });
  const tokenizerJson = tokenizerOf(demonstration, prompts);
  for (const name of names) await makeModel(name, options.to, tokenizerJson, prompts, threads);
}
