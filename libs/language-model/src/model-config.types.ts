/** The shape of a decoder-only transformer of the Llama family, read from a Hugging Face config.json. */

/** `llama`: Llama 2/3; `qwen2`: adds a bias to q, k and v; `qwen3`: normalises each head of q and k instead. */
export type ModelFamily = 'llama' | 'qwen2' | 'qwen3';

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
  /** Longest sequence, in tokens: max_position_embeddings, or what yarn stretches the first training's positions to. */
  readonly maxPositions: number;
}
