/**
 * One run of the decode graph (generation-graphs.ts): the tensors that describe which rows feed which tokens and what each
 * of them sees, and where their fresh keys and values go.
 */
import type { Session, TensorData } from '@seamstream/tensor-graph';
import type { ModelConfig } from '../checkpoint/model-config.types.js';
import { MASKED } from '../graphs/decoder.js';

/** The tensors to feed with an adapter's weights, if these are inputs. */
export type WeightFeeds = Readonly<Record<string, TensorData>>;

/** Keys and values of every layer. */
export interface Cache {
  readonly keys: Float32Array[];
  readonly values: Float32Array[];
}

/** Rows of a run: group g's rows stand at g·K … g·K + K − 1 of R = G·K. */
export interface ChunkRun {
  /** Tokens that each row feeds; none where the row rests. */
  readonly pieces: readonly (readonly number[])[];
  /** Tokens of each row's suffix that are in its cache. */
  readonly cached: readonly number[];
  /** Tokens of each group's prompt that are in its cache, ≤ P. */
  readonly promptLengths: readonly number[];
  /** Rows whose last token's logits are wanted, ascending; these rows feed something. */
  readonly drawing: readonly number[];
  /** P, S, W: columns of prompt and suffix caches and of a chunk. */
  readonly promptColumns: number;
  readonly suffixColumns: number;
  readonly chunkColumns: number;
  /** C ≤ W, at least the longest piece: columns that are computed. */
  readonly columns: number;
  /** [G, KVH, P, hd] a layer. */
  readonly prompt: Cache;
  /** [R, KVH, S, hd] a layer. */
  readonly suffix: Cache;
}

/** Outputs by name; of `logits` and `probabilities` the first rows are those of `drawing`. */
export type ChunkOutputs = Readonly<Record<string, { readonly data: Float32Array }>>;

const ints = (...values: number[]): TensorData => ({ data: BigInt64Array.from(values, BigInt), dims: [values.length] });

export function runDecodeStep(
  config: ModelConfig,
  session: Session,
  weights: WeightFeeds,
  run: ChunkRun,
): Promise<ChunkOutputs> {
  const { keyValueHeads: KVH, headDimension: hd, heads, layers } = config;
  const { promptColumns: P, suffixColumns: S, chunkColumns: W, columns: C } = run;
  const repeats = heads / KVH;
  const G = run.promptLengths.length;
  const R = run.pieces.length;
  const K = R / G;
  const feeds: Record<string, TensorData> = {
    ...weights,
    ...packedTokens(run),
    chunk_mask: { data: chunkMask(C, repeats), dims: [C * repeats, C] },
    size_grouped_scores: ints(G, KVH, K, C * repeats, P),
    size_row_scores: ints(R, KVH, C * repeats, P),
    size_separated_scores: ints(G, K, KVH, C * repeats, P),
    size_merged_scores: ints(G, KVH, K * C * repeats, P),
    size_grouped_mix: ints(G, KVH, K, C, repeats, hd),
    size_row_mix: ints(R, KVH, C, repeats, hd),
    chunk_padding: ints(0, 0, 0, 0, 0, 0, 0, W - C),
    bound_0: ints(0),
    bound_1: ints(P),
    bound_2: ints(P + C),
    bound_3: ints(P + W),
    bound_4: ints(P + W + S),
  };
  for (let layer = 0; layer < layers; layer++) {
    feeds[`prompt_key_${layer}`] = { data: run.prompt.keys[layer]!, dims: [G, KVH, P, hd] };
    feeds[`prompt_value_${layer}`] = { data: run.prompt.values[layer]!, dims: [G, KVH, P, hd] };
    feeds[`suffix_key_${layer}`] = { data: run.suffix.keys[layer]!, dims: [R, KVH, S, hd] };
    feeds[`suffix_value_${layer}`] = { data: run.suffix.values[layer]!, dims: [R, KVH, S, hd] };
  }
  return session.run(feeds);
}

/** The run's tokens packed to [N, 1], their places in the chunks [R, C] and back, and the masks of prompts and suffixes. */
function packedTokens(run: ChunkRun): Record<string, TensorData> {
  const { pieces, cached, promptLengths, promptColumns: P, suffixColumns: S, columns: C } = run;
  const G = promptLengths.length;
  const R = pieces.length;
  const K = R / G;
  const total = pieces.reduce((count, piece) => count + piece.length, 0);
  // At least two tokens: a product with one row may take another kernel and other bits on some processors.
  const N = Math.max(2, total);
  const tokens = new Int32Array(N);
  const positions = new Int32Array(N);
  const chunks = new Int32Array(R * C);
  const packed = new Int32Array(N);
  const suffixMask = new Float32Array(R * S).fill(MASKED);
  const promptMask = new Float32Array(G * P);
  const last = new Int32Array(Math.max(2, run.drawing.length));
  const lastOf = new Int32Array(R);
  let n = 0;
  pieces.forEach((piece, row) => {
    if (piece.length === 0) return;
    const start = promptLengths[Math.floor(row / K)]! + cached[row]!;
    for (let c = 0; c < piece.length; c++) {
      tokens[n] = piece[c]!;
      positions[n] = start + c;
      chunks[row * C + c] = n;
      packed[n] = row * C + c;
      n++;
    }
    suffixMask.fill(0, row * S, row * S + cached[row]!);
    lastOf[row] = n - 1;
  });
  run.drawing.forEach((row, at) => {
    last[at] = lastOf[row]!;
  });
  promptLengths.forEach((length, group) => {
    promptMask.fill(MASKED, group * P + length, (group + 1) * P);
  });
  return {
    tokens: { data: tokens, dims: [N, 1] },
    positions: { data: positions, dims: [N, 1] },
    padded: { data: chunks, dims: [G, K, C] },
    chunks: { data: chunks, dims: [R, C] },
    packed: { data: packed, dims: [N] },
    last: { data: last, dims: [last.length] },
    prompt_mask: { data: promptMask, dims: [G, 1, 1, P] },
    suffix_mask: { data: suffixMask, dims: [R, 1, 1, S] },
  };
}

/**
 * Writes a run's fresh keys and values [N, KVH·hd] behind what the rows' caches [R, KVH, S, hd] held when it began.
 * @param isWanted false for a row whose cache is not read any more.
 */
export function storeChunk(
  config: ModelConfig,
  suffix: Cache,
  columns: number,
  outputs: ChunkOutputs,
  run: Pick<ChunkRun, 'pieces' | 'cached'>,
  isWanted: (row: number) => boolean,
): void {
  for (let layer = 0; layer < config.layers; layer++) {
    store(suffix.keys[layer]!, outputs[`new_key_${layer}`]!.data);
    store(suffix.values[layer]!, outputs[`new_value_${layer}`]!.data);
  }
  function store(cache: Float32Array, fresh: Float32Array): void {
    const { keyValueHeads, headDimension } = config;
    let n = 0;
    run.pieces.forEach((piece, row) => {
      if (!isWanted(row)) {
        n += piece.length;
        return;
      }
      const first = run.cached[row]!;
      for (let c = 0; c < piece.length; c++, n++) {
        for (let head = 0; head < keyValueHeads; head++) {
          const to = ((row * keyValueHeads + head) * columns + first + c) * headDimension;
          const from = (n * keyValueHeads + head) * headDimension;
          cache.set(fresh.subarray(from, from + headDimension), to);
        }
      }
    });
  }
}

/** Within a chunk a token sees itself and what stands before it: [C·R', C], rows ordered by token, then by head. */
function chunkMask(length: number, repeats: number): Float32Array {
  const mask = new Float32Array(length * repeats * length);
  for (let row = 0; row < length * repeats; row++) {
    mask.fill(MASKED, row * length + Math.floor(row / repeats) + 1, (row + 1) * length);
  }
  return mask;
}
