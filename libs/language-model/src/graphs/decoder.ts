/**
 * The decoder-only transformer of the Llama family, described once: RMSNorm, rotary positions (Hugging Face's
 * rotate-half layout), grouped-query attention, SwiGLU. Other families are options of it (model-families.ts): Qwen2 adds a bias to
 * q, k and v; Qwen3 normalises their heads; SmolLM3 leaves layers unrotated; Phi-3 stores q, k and v in one matrix; Gemma
 * normalises twice, bounds scores and logits, and rotates its local layers by other angles.
 * What differs between prefill, decoding and training is only how a layer attends, so that is an argument.
 *
 * Llama: https://arxiv.org/abs/2302.13971; Qwen2: https://arxiv.org/abs/2407.10671; Qwen3: https://arxiv.org/abs/2505.09388;
 * Phi-3: https://arxiv.org/abs/2404.14219; Gemma 2: https://arxiv.org/abs/2408.00118; Gemma 3: https://arxiv.org/abs/2503.19786.
 */

import type { StoredTensor } from '@seamstream/model-files';
import { type Graph, type Value } from '@seamstream/tensor-graph';
import { loraNames, trainableShapes } from '../adapters/parameters.js';
import type { Checkpoint, StoredWeight } from '../checkpoint/checkpoint.js';
import type { ModelConfig } from '../checkpoint/model-config.types.js';
import type { TrainableSettings } from '../training/training.types.js';
import { rotaryTables } from './rotary.js';

/** Where weights come from. */
export interface WeightSource {
  readonly checkpoint: Pick<Checkpoint, 'config' | 'weights'>;
  /** Tensors of these settings are inputs of the graph, named like the tensor; all others are fixed in the model. */
  readonly inputs?: TrainableSettings;
  /** Tensors that are taken from memory; those of the checkpoint that are not here are mapped where they lie. */
  readonly inMemory?: ReadonlyMap<string, StoredTensor>;
}

/** How a layer's queries meet keys and values. q [B, T, H·hd], k and v [B, T, KVH·hd], both rotated; returns [B, T, H·hd]. */
export type Attend = (layer: number, q: Value, k: Value, v: Value) => Value;

/** Additive mask of a pair that must not meet: exp underflows to exactly 0, and no row of scores becomes NaN. */
export const MASKED = -1e9;

/** Tables of angles, [positions, hd / 2]. */
interface Rotation {
  readonly cos: Value;
  readonly sin: Value;
}

export class Decoder {
  readonly config: ModelConfig;
  /** Input tensors that hold weights, in the order of trainableShapes. */
  readonly weightInputs = new Map<string, Value>();
  readonly #weights = new Map<string, Value>();
  readonly #source: WeightSource;
  readonly #norms = new Map<string, Value>();
  readonly #rotation: Rotation;
  /** Of local layers, where the model has some. */
  readonly #localRotation: Rotation | undefined;

  constructor(
    readonly graph: Graph,
    source: WeightSource,
  ) {
    this.#source = source;
    this.config = source.checkpoint.config;
    if (source.inputs) {
      for (const [name, shape] of trainableShapes(this.config, source.inputs)) {
        this.weightInputs.set(name, graph.input(name, 'float32', shape));
      }
    }
    const rotation = (name: string, { cos, sin }: ReturnType<typeof rotaryTables>): Rotation => {
      const shape = [this.config.maxPositions, (this.config.rotaryDimension ?? this.config.headDimension) / 2];
      return {
        cos: graph.initializer(`${name}_cos`, 'float32', shape, cos),
        sin: graph.initializer(`${name}_sin`, 'float32', shape, sin),
      };
    };
    this.#rotation = rotation('rotary', rotaryTables(this.config));
    if (this.config.localRotary) this.#localRotation = rotation('local_rotary', rotaryTables(this.config, true));
  }

  /**
   * The normalised hidden states before the head.
   * @param tokens int32 [B, T]
   * @param positions int32 [B, T], below maxPositions
   * @param scale what the output projection multiplies with, for an `attend` that returns its result times 1/scale
   * @returns [B, T, D]
   */
  hiddenStates(tokens: Value, positions: Value, attend: Attend, scale = 1): Value {
    const { graph } = this;
    const places = graph.apply('Cast', [positions], { to: 7 });
    let x = graph.apply('Gather', [this.#weight('model.embed_tokens.weight'), tokens], { axis: 0 });
    if (this.config.embeddingScale !== undefined) x = graph.apply('Mul', [x, graph.float(this.config.embeddingScale)]);
    const isSandwiched = this.config.sandwichNorms === true;
    for (let layer = 0; layer < this.config.layers; layer++) {
      const at = `model.layers.${layer}`;
      const norm = (y: Value, name: string): Value => this.#norm(y, `${at}.${name}_layernorm.weight`);
      const attended = this.#attention(at, layer, norm(x, 'input'), places, attend, scale);
      x = graph.apply('Add', [x, isSandwiched ? norm(attended, 'post_attention') : attended]);
      const fed = this.#feedForward(at, norm(x, isSandwiched ? 'pre_feedforward' : 'post_attention'));
      x = graph.apply('Add', [x, isSandwiched ? norm(fed, 'post_feedforward') : fed]);
    }
    return this.#norm(x, 'model.norm.weight');
  }

  /** Logits of hidden states [N, D] → [N, V]. */
  logits(hidden: Value): Value {
    const head = this.config.tieWordEmbeddings ? 'model.embed_tokens.weight' : 'lm_head.weight';
    const logits = this.graph.apply('FusedMatMul', [hidden, this.#weight(head)], { transB: 1, alpha: 1 });
    return softcapped(this.graph, logits, this.config.logitSoftcap);
  }

  #attention(at: string, layer: number, x: Value, positions: Value, attend: Attend, scale: number): Value {
    const { config } = this;
    const [queries, keys] = [config.heads * config.headDimension, config.keyValueHeads * config.headDimension];
    const [q, k, v] = config.fusedProjections
      ? this.#parts(this.#linear(x, `${at}.self_attn.qkv_proj`, false), [queries, keys, keys])
      : (['q', 'k', 'v'] as const).map((name) => this.#linear(x, `${at}.self_attn.${name}_proj`, config.attentionBias));
    const normalised = (projected: Value, name: 'q' | 'k', heads: number): Value => {
      if (!config.queryKeyNorm) return projected;
      const split = this.graph.apply('Reshape', [projected, this.graph.integer([0, 0, heads, config.headDimension])]);
      const normal = this.#norm(split, `${at}.self_attn.${name}_norm.weight`);
      return this.graph.apply('Reshape', [normal, this.graph.integer([0, 0, heads * config.headDimension])]);
    };
    const rotated = (projected: Value, heads: number): Value => this.#rotated(projected, heads, layer, positions);
    const mixed = attend(
      layer,
      rotated(normalised(q!, 'q', config.heads), config.heads),
      rotated(normalised(k!, 'k', config.keyValueHeads), config.keyValueHeads),
      v!,
    );
    return this.#linear(mixed, `${at}.self_attn.o_proj`, config.outputBias === true, scale);
  }

  #rotated(x: Value, heads: number, layer: number, positions: Value): Value {
    const { layersWithoutRotation, localRotary, rotaryDimension } = this.config;
    if (layersWithoutRotation?.includes(layer)) return x;
    const { cos, sin } = localRotary?.layers.includes(layer) ? this.#localRotation! : this.#rotation;
    return this.graph.apply('RotaryEmbedding', [x, positions, cos, sin], {
      interleaved: 0,
      ...(rotaryDimension === undefined ? {} : { rotary_embedding_dim: rotaryDimension, num_heads: heads }),
    });
  }

  #feedForward(at: string, x: Value): Value {
    const width = this.config.intermediateSize;
    const [gate, up] = this.config.fusedProjections
      ? this.#parts(this.#linear(x, `${at}.mlp.gate_up_proj`, false), [width, width])
      : (['gate', 'up'] as const).map((name) => this.#linear(x, `${at}.mlp.${name}_proj`, false));
    const active =
      this.config.activation === 'gelu-tanh'
        ? geluTanh(this.graph, gate!)
        : this.graph.apply('QuickGelu', [gate!], { alpha: 1 });
    return this.#linear(this.graph.apply('Mul', [active, up!]), `${at}.mlp.down_proj`, false);
  }

  /** Pieces of the last axis, of these widths. */
  #parts(x: Value, widths: readonly number[]): Value[] {
    const axis = x.shape.length - 1;
    let end = 0;
    return widths.map((width) => {
      const bounds = [[end], [(end += width)], [axis]].map((part) => this.graph.integer(part));
      return this.graph.apply('Slice', [x, ...bounds]);
    });
  }

  #norm(x: Value, weight: string): Value {
    return this.graph.node(
      'SimplifiedLayerNormalization',
      [x, this.#normWeight(weight)],
      { axis: -1, epsilon: this.config.rmsNormEpsilon, stash_type: 1 },
      2,
    )[0]!;
  }

  #normWeight(name: string): Value {
    const stored = this.#weight(name);
    if (!this.config.normsAddOne) return stored;
    let value = this.#norms.get(name);
    if (!value) this.#norms.set(name, (value = this.graph.apply('Add', [stored, this.graph.float(1)])));
    return value;
  }

  #linear(x: Value, module: string, hasBias: boolean, alpha = 1): Value {
    const weight = `${module}.weight`;
    let y = this.graph.apply('FusedMatMul', [x, this.#weight(weight)], { transB: 1, alpha });
    if (hasBias) y = this.graph.apply('Add', [y, this.#weight(`${module}.bias`)]);
    const { a, b } = loraNames(weight);
    const settings = this.#source.inputs;
    if (settings?.kind === 'lora' && this.weightInputs.has(a)) {
      const low = this.graph.apply('FusedMatMul', [x, this.#weight(a)], { transB: 1, alpha: 1 });
      const scale = (alpha * settings.alpha) / settings.rank;
      y = this.graph.apply('Add', [
        y,
        this.graph.apply('FusedMatMul', [low, this.#weight(b)], { transB: 1, alpha: scale }),
      ]);
    }
    return y;
  }

  #weight(name: string): Value {
    let value = this.weightInputs.get(name) ?? this.#weights.get(name);
    if (!value) {
      const inMemory = this.#source.inMemory?.get(name);
      value = inMemory
        ? this.graph.initializer(name, 'float32', inMemory.shape, inMemory.data)
        : mappedWeight(this.graph, name, this.#source.checkpoint.weights.get(name)!);
      this.#weights.set(name, value);
    }
    return value;
  }
}

/** c·tanh(x / c); x where c is absent. */
export function softcapped(graph: Graph, x: Value, cap: number | undefined): Value {
  if (cap === undefined) return x;
  const bounded = graph.apply('Tanh', [graph.apply('Mul', [x, graph.float(1 / cap)])]);
  return graph.apply('Mul', [bounded, graph.float(cap)]);
}

/** x/2 · (1 + tanh z) = x·σ(2z) with z = √(2/π)·(x + 0.044715·x³). */
function geluTanh(graph: Graph, x: Value): Value {
  const square = graph.apply('Mul', [x, x]);
  const slope = 2 * Math.sqrt(2 / Math.PI);
  const steepness = graph.apply('Add', [
    graph.apply('Mul', [square, graph.float(slope * 0.044715)]),
    graph.float(slope),
  ]);
  return graph.apply('Mul', [x, graph.apply('Sigmoid', [graph.apply('Mul', [x, steepness])])]);
}

/** What products of queries and keys are multiplied with. */
export function attentionScale({ attentionScale: stated, headDimension }: ModelConfig): number {
  return stated ?? 1 / Math.sqrt(headDimension);
}

/** A weight that stays in its file; the runtime maps it. Narrow floats are widened, which loses nothing. */
function mappedWeight(graph: Graph, name: string, weight: StoredWeight): Value {
  const place = { file: weight.file, offset: weight.offsetBytes, length: weight.lengthBytes };
  if (weight.dtype === 'F32') return graph.initializer(name, 'float32', weight.shape, place);
  const type = weight.dtype === 'BF16' ? 'bfloat16' : 'float16';
  return graph.apply('Cast', [graph.initializer(`${name}:stored`, type, weight.shape, place)], { to: 1 });
}

/**
 * Attention within each sequence of a batch, every token seeing itself and what stands before it. Sequences are padded
 * on the right, so real tokens never see padding.
 * @param causal float32 [R·T, T] with R = H / KVH, from {@link causalMask}
 * @param observe receives k and v of every layer as [B, KVH, T, hd].
 */
export function causalAttention(
  graph: Graph,
  config: ModelConfig,
  causal: Value,
  observe?: (layer: number, k: Value, v: Value) => void,
): Attend {
  const { heads, keyValueHeads, headDimension } = config;
  const repeats = heads / keyValueHeads;
  const scale = attentionScale(config);
  const split = (x: Value): Value => {
    const byHead = graph.apply('Reshape', [x, graph.integer([0, 0, keyValueHeads, headDimension])]);
    return graph.apply('Transpose', [byHead], { perm: [0, 2, 1, 3] });
  };
  return (layer, q, k, v) => {
    const keys = split(k); // [B, KVH, T, hd]
    const values = split(v);
    observe?.(layer, keys, values);
    const grouped = graph.apply('Reshape', [q, graph.integer([0, 0, keyValueHeads, repeats, headDimension])]);
    const queries = graph.apply('Transpose', [grouped], { perm: [0, 2, 3, 1, 4] }); // [B, KVH, R, T, hd]
    // The heads that share keys are in one matrix, [B, KVH, R·T, hd]: one product instead of repeated keys.
    const stacked = graph.apply('Reshape', [queries, graph.integer([0, 0, -1, headDimension])]);
    const products = graph.apply('FusedMatMul', [stacked, keys], { transB: 1, alpha: scale }); // [B, KVH, R·T, T]
    const scores = softcapped(graph, products, config.attentionSoftcap);
    const weights = graph.apply('Softmax', [graph.apply('Add', [scores, causal])], { axis: -1 });
    const mixed = graph.apply('MatMul', [weights, values]); // [B, KVH, R·T, hd]
    const apart = graph.apply('Reshape', [mixed, graph.integer([0, 0, repeats, -1, headDimension])]);
    const joined = graph.apply('Transpose', [apart], { perm: [0, 3, 1, 2, 4] });
    return graph.apply('Reshape', [joined, graph.integer([0, 0, heads * headDimension])]);
  };
}

/** The name of the axis that the mask and the stacked queries share. */
export function stackedQueries(config: ModelConfig): string {
  const repeats = config.heads / config.keyValueHeads;
  return repeats === 1 ? 'T' : `${repeats}*T`;
}

/** The mask that {@link causalAttention} takes, [R·T, T]: query t of every head of a group sees keys 0 … t. */
export function causalMask(config: ModelConfig, length: number): Float32Array {
  const repeats = config.heads / config.keyValueHeads;
  const mask = new Float32Array(repeats * length * length);
  for (let row = 0; row < repeats * length; row++) {
    mask.fill(MASKED, row * length + (row % length) + 1, (row + 1) * length);
  }
  return mask;
}
