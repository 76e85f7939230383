/** The shape of a decoder-only transformer of the Llama family, read from a Hugging Face config.json. */

/** `llama`: Llama 2/3; `qwen2`: adds a bias to q, k and v; `qwen3`: normalises each head of q and k instead. */
export type ModelFamily = 'llama' | 'qwen2' | 'qwen3';

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
  readonly rmsNormEpsilon: number;
  /** The output head is the embedding itself. */
  readonly tieWordEmbeddings: boolean;
  /** q, k and v projections have a bias. */
  readonly attentionBias: boolean;
  /** RMSNorm over each head of q and k before the rotary embedding. */
  readonly queryKeyNorm: boolean;
  /** Longest sequence the model was made for, in tokens. */
  readonly maxPositions: number;
}
