/** The shape of a decoder-only transformer of the Llama family, read from a Hugging Face config.json. */

/** See model-families.ts for what sets one apart from another. */
export type ModelFamily = 'llama' | 'qwen2' | 'qwen3' | 'mistral' | 'smollm3' | 'phi3' | 'gemma2' | 'gemma3';

/** How the rotary embedding is stretched beyond the positions of the first training; see rotary.ts for the formulas. */
export type RopeScaling =
  | { readonly type: 'linear' | 'dynamic'; readonly factor: number }
  | {
      readonly type: 'llama3';
      readonly factor: number;
      readonly lowFrequencyFactor: number;
      readonly highFrequencyFactor: number;
      /** Longest sequence of the first training, in tokens. */
      readonly originalPositions: number;
    }
  | {
      readonly type: 'yarn';
      readonly factor: number;
      readonly originalPositions: number;
      /** Turns in originalPositions from which a dimension is left as it is. */
      readonly betaFast: number;
      /** Turns up to which a dimension is interpolated in full. */
      readonly betaSlow: number;
      /** The ramp begins and ends at whole dimensions. */
      readonly truncate: boolean;
      /** cos and sin are multiplied with it. */
      readonly attentionFactor: number;
    }
  | {
      readonly type: 'longrope';
      /** What each frequency is divided by, [hd / 2], in sequences of up to `originalPositions`; no sequence is longer here. */
      readonly shortFactors: readonly number[];
      readonly originalPositions: number;
      readonly attentionFactor: number;
    };

/** Fields that may be absent say nothing then: a model's digest covers the fields that are there. */
export interface ModelConfig {
  readonly family: ModelFamily;
  /** V, rows of the embedding. */
  readonly vocabularySize: number;
  /** D, width of the residual stream. */
  readonly hiddenSize: number;
  readonly layers: number;
  /** H, query heads. */
  readonly heads: number;
  /** Heads of keys and values; divides `heads` (grouped-query attention, https://arxiv.org/abs/2305.13245). */
  readonly keyValueHeads: number;
  readonly headDimension: number;
  /** Width of the gated feed-forward layer. */
  readonly intermediateSize: number;
  readonly ropeTheta: number;
  /** Absent: none. */
  readonly ropeScaling?: RopeScaling;
  readonly rmsNormEpsilon: number;
  /** The output head is the embedding itself. */
  readonly tieWordEmbeddings: boolean;
  /** q, k and v projections have a bias. */
  readonly attentionBias: boolean;
  /** The output projection of attention has one too (attention_bias of Llama and Qwen3). */
  readonly outputBias?: true;
  /** RMSNorm over each head of q and k before the rotary embedding. */
  readonly queryKeyNorm: boolean;
  /**
   * Longest sequence, in tokens: max_position_embeddings, or what yarn stretches the first training's positions to; the sliding
   * window where there is one, since up to there a window hides nothing.
   */
  readonly maxPositions: number;
  /** Layers whose queries and keys are not rotated, by number (SmolLM3). */
  readonly layersWithoutRotation?: readonly number[];
  /** Dimensions of a head that are rotated, from the first; absent: all. */
  readonly rotaryDimension?: number;
  /** Layers whose rotary embedding is unscaled and has another theta (Gemma 3). */
  readonly localRotary?: { readonly theta: number; readonly layers: readonly number[] };
  /** q, k and v are rows of one matrix (qkv_proj), so are gate and up (gate_up_proj). */
  readonly fusedProjections?: true;
  /** Absent: SiLU. `gelu-tanh`: https://arxiv.org/abs/1606.08415 section 2, by its approximation with tanh. */
  readonly activation?: 'gelu-tanh';
  /** A norm multiplies with 1 + its weight. */
  readonly normsAddOne?: true;
  /** Attention and feed-forward are normalised after they were computed, too. */
  readonly sandwichNorms?: true;
  /** What embeddings are multiplied with. */
  readonly embeddingScale?: number;
  /** What products of queries and keys are multiplied with; absent: 1/√hd. */
  readonly attentionScale?: number;
  /** c of c·tanh(x/c), which bounds the scores of attention before they are masked (Gemma 2, https://arxiv.org/abs/2408.00118). */
  readonly attentionSoftcap?: number;
  /** The same of the logits. */
  readonly logitSoftcap?: number;
}
