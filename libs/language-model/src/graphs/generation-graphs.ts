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
import type { ModelConfig } from '../checkpoint/model-config.types.js';
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
 * The runtime multiplies a single row by a separate kernel, with other bits, exactly when alpha is 1. Where the rows of a product
 * are candidates of one group, one that decodes alone must not differ from one in company: there alpha is 2, and the output
 * projection halves the mixture (powers of two are exact). Where each candidate has separate products, the single row's kernel is
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
  const inputs = decodeInputs(graph, decoder.config);
  const attention = new DecodeAttention(graph, decoder.config, inputs);
  const attend: Attend = (layer, q, k, v) => attention.attend(layer, q, k, v);
  const hidden = decoder.hiddenStates(inputs.tokens, inputs.positions, attend, MIXTURE_SCALE);
  outputLogits(graph, decoder.logits(rowsOf(graph, hidden, inputs.last)));
  for (const [name, value] of attention.fresh) graph.output(name, value);
  return { graph, decoder };
}

type DecodeInputs = ReturnType<typeof decodeInputs>;

/** C·H/KVH: queries that share a head of keys are rows of one matrix. */
const stackedColumns = ({ heads, keyValueHeads }: ModelConfig): string =>
  heads === keyValueHeads ? 'C' : `${heads / keyValueHeads}*C`;

/** The graph's inputs, in the order in which the graph lists them. */
function decodeInputs(graph: Graph, config: ModelConfig) {
  const { keyValueHeads: KVH, headDimension: hd, layers } = config;
  const sizes = (name: string, length: number): Value => graph.input(name, 'int64', [length]);
  return {
    tokens: graph.input('tokens', 'int32', ['N', 1]),
    positions: graph.input('positions', 'int32', ['N', 1]),
    padded: graph.input('padded', 'int32', ['G', 'K', 'C']),
    chunks: graph.input('chunks', 'int32', ['R', 'C']),
    packed: graph.input('packed', 'int32', ['N']),
    last: graph.input('last', 'int32', ['L']),
    promptMask: graph.input('prompt_mask', 'float32', ['G', 1, 1, 'P']),
    suffixMask: graph.input('suffix_mask', 'float32', ['R', 1, 1, 'S']),
    chunkMask: graph.input('chunk_mask', 'float32', [stackedColumns(config), 'C']),
    groupedScores: sizes('size_grouped_scores', 5), // [G, KVH, K, C·R', P]
    rowScores: sizes('size_row_scores', 4), // [R, KVH, C·R', P]
    separatedScores: sizes('size_separated_scores', 5), // [G, K, KVH, C·R', P]
    mergedScores: sizes('size_merged_scores', 4), // [G, KVH, K·C·R', P]
    groupedMix: sizes('size_grouped_mix', 6), // [G, KVH, K, C, R', hd]
    rowMix: sizes('size_row_mix', 5), // [R, KVH, C, R', hd]
    chunkPadding: sizes('chunk_padding', 8), // W − C columns at the end
    bounds: [0, 1, 2, 3, 4].map((index) => sizes(`bound_${index}`, 1)), // 0, P, P+C, P+W, P+W+S
    caches: Array.from({ length: layers }, (_, layer) => ({
      promptKey: graph.input(`prompt_key_${layer}`, 'float32', ['G', KVH, 'P', hd]),
      promptValue: graph.input(`prompt_value_${layer}`, 'float32', ['G', KVH, 'P', hd]),
      suffixKey: graph.input(`suffix_key_${layer}`, 'float32', ['R', KVH, 'S', hd]),
      suffixValue: graph.input(`suffix_value_${layer}`, 'float32', ['R', KVH, 'S', hd]),
    })),
  };
}

/** Attention of a chunk to the group's prompt, to itself and to the row's suffix, in one softmax. Q is C·R' with R' = H/KVH. */
class DecodeAttention {
  /** Keys and values of the chunks by output name, [N, 1, KVH·hd]. */
  readonly fresh: [string, Value][] = [];
  private readonly KVH: number;
  private readonly hd: number;
  private readonly repeats: number;
  private readonly Q: string;
  private readonly scale: number;

  constructor(
    private readonly graph: Graph,
    private readonly config: ModelConfig,
    private readonly inputs: DecodeInputs,
  ) {
    this.KVH = config.keyValueHeads;
    this.hd = config.headDimension;
    this.repeats = config.heads / config.keyValueHeads;
    this.Q = stackedColumns(config);
    this.scale = attentionScale(config);
  }

  attend(layer: number, q: Value, k: Value, v: Value): Value {
    const { graph, inputs } = this;
    const cache = inputs.caches[layer]!;
    this.fresh.push([`new_key_${layer}`, k], [`new_value_${layer}`, v]);
    const promptScores = this.promptScores(q, cache.promptKey);
    const rowQueries = graph.apply('Mul', [this.headsOfRows(q, this.repeats * this.hd), graph.float(this.scale)]); // [R, KVH, C·R', hd]
    const suffixScores = graph.apply('Add', [this.products(rowQueries, cache.suffixKey), inputs.suffixMask]);
    const chunkKeys = this.transpose(this.reshape(this.gather(k, inputs.chunks), 0, 0, this.KVH, this.hd), 0, 2, 1, 3); // [R, KVH, C, hd]
    const chunkValues = this.transpose(
      this.reshape(this.gather(v, inputs.chunks), 0, 0, this.KVH, this.hd),
      0,
      2,
      1,
      3,
    );
    const chunkScores = graph.apply('Add', [this.products(rowQueries, chunkKeys), inputs.chunkMask]);
    const chunkColumns = graph.applyWithShape(
      'Pad',
      [chunkScores, inputs.chunkPadding, graph.float(-1e9)],
      { mode: 'constant' },
      'float32',
      ['R', this.KVH, this.Q, 'W'],
    );
    const scores = graph.apply('Concat', [promptScores, chunkColumns, suffixScores], { axis: -1 });
    const weights = graph.apply('Softmax', [scores], { axis: -1 });
    return this.mixture(weights, cache, chunkValues);
  }

  /** Against the prompt: all rows of a group in one matrix. [R, KVH, C·R', P] */
  private promptScores(q: Value, promptKey: Value): Value {
    const { graph, inputs, KVH, hd, repeats, Q } = this;
    const groupQueries = this.reshape(
      this.transpose(this.reshape(this.gather(q, inputs.padded), 0, 0, 0, KVH, repeats * hd), 0, 3, 1, 2, 4),
      ...[0, 0, -1, hd],
    ); // [G, KVH, K·C·R', hd]
    const product = graph.apply('FusedMatMul', [groupQueries, promptKey], { transB: 1, alpha: this.scale });
    const masked = graph.apply('Add', [this.capped(product), inputs.promptMask]);
    const grouped = this.as(masked, inputs.groupedScores, ['G', KVH, 'K', Q, 'P']);
    return this.as(this.transpose(grouped, 0, 2, 1, 3, 4), inputs.rowScores, ['R', KVH, Q, 'P']);
  }

  /** Values under their weights, packed: [N, 1, H·hd]. */
  private mixture(weights: Value, cache: DecodeInputs['caches'][number], chunkValues: Value): Value {
    const { graph, inputs, KVH, hd, repeats, Q } = this;
    const { heads } = this.config;
    const columns = (from: number, name: string): Value =>
      graph.applyWithShape(
        'Slice',
        [weights, inputs.bounds[from], inputs.bounds[from + 1], graph.integer([-1])],
        {},
        'float32',
        ['R', KVH, Q, name],
      );
    /** [..., KVH, R', hd] → [rows, H·hd]. */
    const flatRows = (value: Value): Value => this.reshape(value, -1, heads * hd);
    const promptWeights = this.as(
      this.transpose(this.as(columns(0, 'P'), inputs.separatedScores, ['G', 'K', KVH, Q, 'P']), 0, 2, 1, 3, 4),
      inputs.mergedScores,
      ['G', KVH, 'K*Q', 'P'],
    );
    const promptProduct = graph.apply('FusedMatMul', [promptWeights, cache.promptValue], { alpha: 1 / MIXTURE_SCALE });
    const promptMix = flatRows(
      this.transpose(
        this.as(promptProduct, inputs.groupedMix, ['G', KVH, 'K', 'C', repeats, hd]),
        ...[0, 2, 3, 1, 4, 5],
      ),
    );
    const rowMixture = graph.apply('Add', [
      graph.apply('MatMul', [columns(3, 'S'), cache.suffixValue]),
      graph.apply('MatMul', [columns(1, 'C'), chunkValues]),
    ]);
    const ownMix = graph.apply('Mul', [rowMixture, graph.float(1 / MIXTURE_SCALE)]);
    const rowMixed = flatRows(
      this.transpose(this.as(ownMix, inputs.rowMix, ['R', KVH, 'C', repeats, hd]), 0, 2, 1, 3, 4),
    );
    const mixed = graph.applyWithShape('Add', [promptMix, rowMixed], {}, 'float32', ['R*C', heads * hd]);
    return graph.apply('Unsqueeze', [graph.apply('Gather', [mixed, inputs.packed], { axis: 0 }), graph.integer([1])]);
  }

  /** Queries of each row's chunk by head of keys: [R, KVH, C·R', hd]. */
  private headsOfRows(q: Value, width: number): Value {
    const split = this.reshape(this.gather(q, this.inputs.chunks), 0, 0, this.KVH, width);
    return this.reshape(this.transpose(split, 0, 2, 1, 3), 0, 0, -1, this.hd);
  }

  private products(queries: Value, keys: Value): Value {
    return this.capped(this.graph.apply('FusedMatMul', [queries, keys], { transB: 1, alpha: 1 }));
  }

  private capped(products: Value): Value {
    return softcapped(this.graph, products, this.config.attentionSoftcap);
  }

  private as(value: Value, size: Value, shape: readonly (number | string)[]): Value {
    return this.graph.applyWithShape('Reshape', [value, size], {}, 'float32', shape);
  }

  private transpose(value: Value, ...perm: number[]): Value {
    return this.graph.apply('Transpose', [value], { perm });
  }

  private reshape(value: Value, ...shape: number[]): Value {
    return this.graph.apply('Reshape', [value, this.graph.integer(shape)]);
  }

  private gather(value: Value, places: Value): Value {
    const flat = this.reshape(value, -1, value.shape.at(-1) as number);
    return this.graph.apply('Gather', [flat, places], { axis: 0 });
  }
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
