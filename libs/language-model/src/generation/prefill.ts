/** Prompts are computed once per group, by the prefill graph or, for a large model, in chunks by the decode graph. */
import type { Session } from '@seamstream/tensor-graph';
import type { ModelConfig } from '../checkpoint/model-config.types.js';
import { causalMask } from '../graphs/decoder.js';
import { type Cache, type ChunkOutputs, runDecodeStep, storeChunk, type WeightFeeds } from './decode-step.js';

/** What computes prompts: the prefill graph, or chunks of the decode graph. */
export interface PromptSession {
  readonly session: Session;
  readonly inChunks: boolean;
}

/** Sessions of one set of weights that generate. */
export interface GenerationSessions {
  prefill(): Promise<PromptSession>;
  decode(): Promise<Session>;
}

export interface ComputedPrompts {
  /** Of each prompt's last token, [G, V] or more rows. */
  readonly logits: Float32Array;
  readonly probabilities: Float32Array;
  /** [G, KVH, P, hd] a layer; what stands behind a prompt's own tokens has no meaning. */
  readonly cache: Cache;
}

/** Tokens of a prompt that are computed at once: bounds the memory for attention, large enough to fill products. */
const CHUNK = 512;
/** Prompts of one run have at most this many tokens in a chunk together. */
const RUN_TOKENS = 2048;
/** Attention scores of a layer that are computed at once: 256 MB. */
const RUN_SCORES = 2 ** 26;

/** @param length P ≥ every prompt's length; a function of each prompt's own request, see generation-graphs.ts. */
export async function computePrompts(
  config: ModelConfig,
  sessions: Pick<GenerationSessions, 'prefill'>,
  weights: WeightFeeds,
  prompts: readonly (readonly number[])[],
  length: number,
): Promise<ComputedPrompts> {
  const { session, inChunks } = await sessions.prefill();
  if (inChunks) return computeInChunks(config, session, weights, prompts, length);
  const perRun = Math.max(1, Math.floor(RUN_SCORES / (config.heads * length * length)));
  const runs: ComputedPrompts[] = [];
  for (let first = 0; first < prompts.length; first += perRun) {
    runs.push(await computeAtOnce(config, session, weights, prompts.slice(first, first + perRun), length));
  }
  return runs.length === 1 ? runs[0]! : joined(config, runs, Math.min(perRun, prompts.length));
}

/** Runs one behind the other; each but the last has `perRun` prompts. */
function joined(config: ModelConfig, runs: readonly ComputedPrompts[], perRun: number): ComputedPrompts {
  const V = config.vocabularySize;
  const concat = (parts: readonly Float32Array[]): Float32Array => {
    const whole = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  };
  // A run has at least two rows of logits, also for one prompt.
  const rows = (part: Float32Array): Float32Array => part.subarray(0, perRun * V);
  const layers = Array.from({ length: config.layers }, (_, layer) => layer);
  return {
    logits: concat(runs.map(({ logits }) => rows(logits))),
    probabilities: concat(runs.map(({ probabilities }) => rows(probabilities))),
    cache: {
      keys: layers.map((layer) => concat(runs.map(({ cache }) => cache.keys[layer]!))),
      values: layers.map((layer) => concat(runs.map(({ cache }) => cache.values[layer]!))),
    },
  };
}

async function computeAtOnce(
  config: ModelConfig,
  session: Session,
  weights: WeightFeeds,
  prompts: readonly (readonly number[])[],
  length: number,
): Promise<ComputedPrompts> {
  const count = prompts.length;
  const tokens = new Int32Array(count * length);
  const positions = new Int32Array(count * length);
  // At least two rows of logits: one row may take another kernel and other bits.
  const last = new Int32Array(Math.max(2, count));
  prompts.forEach((prompt, group) => {
    tokens.set(prompt, group * length);
    for (let at = 0; at < length; at++) positions[group * length + at] = Math.min(at, config.maxPositions - 1);
    last[group] = group * length + prompt.length - 1;
  });
  const repeats = config.heads / config.keyValueHeads;
  const outputs = await session.run({
    ...weights,
    tokens: { data: tokens, dims: [count, length] },
    positions: { data: positions, dims: [count, length] },
    causal: { data: causalMask(config, length), dims: [repeats * length, length] },
    last: { data: last, dims: [last.length] },
  });
  const layers = Array.from({ length: config.layers }, (_, layer) => layer);
  return {
    logits: outputs.logits!.data,
    probabilities: outputs.probabilities!.data,
    cache: {
      keys: layers.map((layer) => outputs[`key_${layer}`]!.data),
      values: layers.map((layer) => outputs[`value_${layer}`]!.data),
    },
  };
}

/** Each prompt is a row without a prompt that feeds itself chunk by chunk; its suffix is what is wanted. */
async function computeInChunks(
  config: ModelConfig,
  session: Session,
  weights: WeightFeeds,
  prompts: readonly (readonly number[])[],
  length: number,
): Promise<ComputedPrompts> {
  const { keyValueHeads, headDimension, layers, vocabularySize } = config;
  const block = keyValueHeads * length * headDimension;
  const caches = (rows: number, size: number): Cache => ({
    keys: Array.from({ length: layers }, () => new Float32Array(rows * size)),
    values: Array.from({ length: layers }, () => new Float32Array(rows * size)),
  });
  const cache = caches(prompts.length, block);
  const logits = new Float32Array(prompts.length * vocabularySize);
  const probabilities = new Float32Array(prompts.length * vocabularySize);
  const chunk = Math.min(CHUNK, length);
  const perRun = Math.max(1, Math.floor(RUN_TOKENS / chunk));
  for (let first = 0; first < prompts.length; first += perRun) {
    const members = prompts.slice(first, first + perRun);
    const rows = members.length;
    const suffix: Cache = {
      keys: cache.keys.map((keys) => keys.subarray(first * block, (first + rows) * block)),
      values: cache.values.map((values) => values.subarray(first * block, (first + rows) * block)),
    };
    const nothing = caches(rows, keyValueHeads * headDimension);
    for (let at = 0; at < length; at += chunk) {
      const pieces = members.map((prompt) => prompt.slice(at, at + chunk));
      const drawing = members.flatMap((prompt, row) =>
        prompt.length > at && prompt.length <= at + chunk ? [row] : [],
      );
      const run = {
        pieces,
        cached: members.map((prompt) => Math.min(at, prompt.length)),
        promptLengths: members.map(() => 0),
        drawing,
        promptColumns: 1,
        // Before the first chunk nothing stands: room for what will would be as much attention again.
        suffixColumns: at === 0 ? 1 : length,
        chunkColumns: chunk,
        columns: chunk,
        prompt: nothing,
        suffix: at === 0 ? nothing : suffix,
      };
      const outputs: ChunkOutputs = await runDecodeStep(config, session, weights, run);
      drawing.forEach((row, place) => {
        const [from, to] = [place * vocabularySize, (place + 1) * vocabularySize];
        logits.set(outputs.logits!.data.subarray(from, to), (first + row) * vocabularySize);
        probabilities.set(outputs.probabilities!.data.subarray(from, to), (first + row) * vocabularySize);
      });
      storeChunk(config, suffix, length, outputs, run, () => true);
      if (members.every((prompt) => prompt.length <= at + chunk)) break;
    }
  }
  return { logits, probabilities, cache };
}
