/**
 * The two graphs of generation.
 *
 * Prefill computes a prompt once per group: logits of its last token, and keys and values of all its tokens.
 *
 * Decode feeds each row (candidate) a chunk of one or more tokens. Three kinds of keys are attended to, in one softmax:
 *
 *   columns   0 … P−1             P … P+W−1                    P+W … P+W+S−1
 *             the group's prompt   the chunk itself, C of W     the row's own suffix
 *             shared by K rows     fresh                        host buffer
 *
 * Prompt keys are stored once per group and multiplied with the queries of all its rows at once. P and W are functions of
 * a row's own request. S grows with the longest suffix in the batch; being last, it only adds masked columns, whose
 * weights are exactly 0 and change no sum. That is what makes a row's bits independent of its batch mates. Chunks differ in length, so tokens stand
 * packed without padding ([N, 1, ·]) everywhere except inside attention, where they are gathered to [R, C] and back.
 *
 * Letters: G groups, K rows per group, R = G·K rows, C tokens in the longest chunk, N tokens in all chunks, L logit rows.
 */
import { Graph, type Value } from '@seamstream/tensor-graph';
import {
  type Attend,
  attentionScale,
  causalAttention,
  Decoder,
  softcapped,
  stackedQueries,
  type WeightSource,
} from './decoder.js';

/**
 * The runtime multiplies a single row by a kernel of its own, with other bits, exactly when alpha is 1. Where the rows of a product
 * are candidates of one group, one that decodes alone must not differ from one in company: there alpha is 2, and the output
 * projection halves the mixture (powers of two are exact). Where each candidate has products of its own, the single row's kernel is
 * the faster one, and alpha is 1.
 */
const MIXTURE_SCALE = 0.5;

export interface CompiledDecoder {
  readonly graph: Graph;
  readonly decoder: Decoder;
}

/**
 * Inputs: tokens int32 [G, T], positions int32 [G, T], causal [R·T, T], last int32 [L] (index into G·T).
 * Outputs: logits [L, V] and their softmax probabilities [L, V]; key_i and value_i [G, KVH, T, hd].
 */
export function prefillGraph(source: WeightSource): CompiledDecoder {
  const graph = new Graph('prefill');
  const decoder = new Decoder(graph, source);
  const tokens = graph.input('tokens', 'int32', ['G', 'T']);
  const positions = graph.input('positions', 'int32', ['G', 'T']);
  const causal = graph.input('causal', 'float32', [stackedQueries(decoder.config), 'T']);
  const last = graph.input('last', 'int32', ['L']);
  const caches: [string, Value][] = [];
  const attend = causalAttention(graph, decoder.config, causal, (layer, key, value) =>
    caches.push([`key_${layer}`, key], [`value_${layer}`, value]),
  );
  const hidden = decoder.hiddenStates(tokens, positions, attend);
  outputLogits(graph, decoder.logits(rowsOf(graph, hidden, last)));
  for (const [name, value] of caches) graph.output(name, value);
  return { graph, decoder };
}

/**
 * Inputs: tokens int32 [N, 1], positions int32 [N, 1]; padded int32 [G, K, C] and chunks int32 [R, C], the place in N of
 * every chunk token (any place where there is none); packed int32 [N], the place in R·C of every token; last int32 [L];
 * per layer prompt_key_i, prompt_value_i [G, KVH, P, hd] and suffix_key_i, suffix_value_i [R, KVH, S, hd];
 * prompt_mask [G, 1, 1, P], suffix_mask [R, 1, 1, S], chunk_mask [C·H/KVH, C] (0 or MASKED); and as int64 vectors
 * the run's sizes: see the names below.
 * Outputs: logits and probabilities [L, V]; new_key_i, new_value_i [N, 1, KVH·hd].
 */
export function decodeGraph(source: WeightSource): CompiledDecoder {
  const graph = new Graph('decode');
  const decoder = new Decoder(graph, source);
  const { heads, keyValueHeads: KVH, headDimension: hd, layers, attentionSoftcap } = decoder.config;
  const repeats = heads / KVH;
  const Q = repeats === 1 ? 'C' : `${repeats}*C`;
  const tokens = graph.input('tokens', 'int32', ['N', 1]);
  const positions = graph.input('positions', 'int32', ['N', 1]);
  const padded = graph.input('padded', 'int32', ['G', 'K', 'C']);
  const chunks = graph.input('chunks', 'int32', ['R', 'C']);
  const packed = graph.input('packed', 'int32', ['N']);
  const last = graph.input('last', 'int32', ['L']);
  const promptMask = graph.input('prompt_mask', 'float32', ['G', 1, 1, 'P']);
  const suffixMask = graph.input('suffix_mask', 'float32', ['R', 1, 1, 'S']);
  const chunkMask = graph.input('chunk_mask', 'float32', [Q, 'C']);
  const sizes = (name: string, length: number): Value => graph.input(name, 'int64', [length]);
  const groupedScores = sizes('size_grouped_scores', 5); // [G, KVH, K, C·R', P]
  const rowScores = sizes('size_row_scores', 4); // [R, KVH, C·R', P]
  const separatedScores = sizes('size_separated_scores', 5); // [G, K, KVH, C·R', P]
  const mergedScores = sizes('size_merged_scores', 4); // [G, KVH, K·C·R', P]
  const groupedMix = sizes('size_grouped_mix', 6); // [G, KVH, K, C, R', hd]
  const rowMix = sizes('size_row_mix', 5); // [R, KVH, C, R', hd]
  const chunkPadding = sizes('chunk_padding', 8); // W − C columns at the end
  const bounds = [0, 1, 2, 3, 4].map((index) => sizes(`bound_${index}`, 1)); // 0, P, P+C, P+W, P+W+S
  const caches = Array.from({ length: layers }, (_, layer) => ({
    promptKey: graph.input(`prompt_key_${layer}`, 'float32', ['G', KVH, 'P', hd]),
    promptValue: graph.input(`prompt_value_${layer}`, 'float32', ['G', KVH, 'P', hd]),
    suffixKey: graph.input(`suffix_key_${layer}`, 'float32', ['R', KVH, 'S', hd]),
    suffixValue: graph.input(`suffix_value_${layer}`, 'float32', ['R', KVH, 'S', hd]),
  }));
  const fresh: [string, Value][] = [];
  const scale = attentionScale(decoder.config);
  const capped = (products: Value): Value => softcapped(graph, products, attentionSoftcap);
  const as = (value: Value, size: Value, shape: readonly (number | string)[]): Value =>
    graph.applyWithShape('Reshape', [value, size], {}, 'float32', shape);
  const transpose = (value: Value, ...perm: number[]): Value => graph.apply('Transpose', [value], { perm });
  const reshape = (value: Value, ...shape: number[]): Value => graph.apply('Reshape', [value, graph.integer(shape)]);
  const flat = (value: Value): Value => reshape(value, -1, value.shape.at(-1) as number);
  const mix = (weights: Value, values: Value): Value =>
    graph.apply('FusedMatMul', [weights, values], { alpha: 1 / MIXTURE_SCALE });
  const gather = (value: Value, places: Value): Value => graph.apply('Gather', [flat(value), places], { axis: 0 });

  const attend: Attend = (layer, q, k, v) => {
    const cache = caches[layer]!;
    fresh.push([`new_key_${layer}`, k], [`new_value_${layer}`, v]);
    // Scores against the prompt: all rows of a group in one matrix.
    const groupQueries = reshape(
      transpose(reshape(gather(q, padded), 0, 0, 0, KVH, repeats * hd), 0, 3, 1, 2, 4),
      ...[0, 0, -1, hd],
    ); // [G, KVH, K·C·R', hd]
    const promptProduct = graph.apply('FusedMatMul', [groupQueries, cache.promptKey], { transB: 1, alpha: scale });
    const promptScores = as(
      transpose(
        as(graph.apply('Add', [capped(promptProduct), promptMask]), groupedScores, ['G', KVH, 'K', Q, 'P']),
        ...[0, 2, 1, 3, 4],
      ),
      rowScores,
      ['R', KVH, Q, 'P'],
    );
    // Scores against the row's own suffix and against the chunk.
    const rowQueries = graph.apply('Mul', [
      reshape(transpose(reshape(gather(q, chunks), 0, 0, KVH, repeats * hd), 0, 2, 1, 3), 0, 0, -1, hd),
      graph.float(scale),
    ]); // [R, KVH, C·R', hd]
    const suffixScores = graph.apply('Add', [
      capped(graph.apply('FusedMatMul', [rowQueries, cache.suffixKey], { transB: 1, alpha: 1 })),
      suffixMask,
    ]);
    const chunkKeys = transpose(reshape(gather(k, chunks), 0, 0, KVH, hd), 0, 2, 1, 3); // [R, KVH, C, hd]
    const chunkValues = transpose(reshape(gather(v, chunks), 0, 0, KVH, hd), 0, 2, 1, 3);
    const chunkScores = graph.apply('Add', [
      capped(graph.apply('FusedMatMul', [rowQueries, chunkKeys], { transB: 1, alpha: 1 })),
      chunkMask,
    ]);
    const chunkColumns = graph.applyWithShape(
      'Pad',
      [chunkScores, chunkPadding, graph.float(-1e9)],
      { mode: 'constant' },
      'float32',
      ['R', KVH, Q, 'W'],
    );
    const scores = graph.apply('Concat', [promptScores, chunkColumns, suffixScores], { axis: -1 });
    const weights = graph.apply('Softmax', [scores], { axis: -1 });
    const columns = (from: number, name: string): Value =>
      graph.applyWithShape('Slice', [weights, bounds[from], bounds[from + 1], graph.integer([-1])], {}, 'float32', [
        'R',
        KVH,
        Q,
        name,
      ]);
    const promptWeights = as(
      transpose(as(columns(0, 'P'), separatedScores, ['G', 'K', KVH, Q, 'P']), 0, 2, 1, 3, 4),
      mergedScores,
      ['G', KVH, 'K*Q', 'P'],
    );
    const promptMix = flatRows(
      transpose(
        as(mix(promptWeights, cache.promptValue), groupedMix, ['G', KVH, 'K', 'C', repeats, hd]),
        ...[0, 2, 3, 1, 4, 5],
      ),
    );
    const rowMixture = graph.apply('Add', [
      graph.apply('MatMul', [columns(3, 'S'), cache.suffixValue]),
      graph.apply('MatMul', [columns(1, 'C'), chunkValues]),
    ]);
    const ownMix = graph.apply('Mul', [rowMixture, graph.float(1 / MIXTURE_SCALE)]);
    const rowMixed = flatRows(transpose(as(ownMix, rowMix, ['R', KVH, 'C', repeats, hd]), 0, 2, 1, 3, 4));
    const mixed = graph.applyWithShape('Add', [promptMix, rowMixed], {}, 'float32', ['R*C', heads * hd]);
    return graph.apply('Unsqueeze', [graph.apply('Gather', [mixed, packed], { axis: 0 }), graph.integer([1])]);
  };
  /** [..., KVH, R', hd] → [rows, H·hd]. */
  function flatRows(value: Value): Value {
    return reshape(value, -1, heads * hd);
  }
  const hidden = decoder.hiddenStates(tokens, positions, attend, MIXTURE_SCALE);
  outputLogits(graph, decoder.logits(rowsOf(graph, hidden, last)));
  for (const [name, value] of fresh) graph.output(name, value);
  return { graph, decoder };
}

/** The runtime's vectorized exponentials cost less than the sampler's. */
function outputLogits(graph: Graph, logits: Value): void {
  graph.output('logits', logits);
  graph.output('probabilities', graph.apply('Softmax', [logits], { axis: -1 }));
}

/** Rows of hidden states [B, T, D] at places in B·T → [L, D]. */
export function rowsOf(graph: Graph, hidden: Value, places: Value): Value {
  const width = hidden.shape.at(-1) as number;
  const flat = graph.apply('Reshape', [hidden, graph.integer([-1, width])]);
  return graph.apply('Gather', [flat, places], { axis: 0 });
}
