/** One optimization step's input and the objectives that the engine can differentiate. The engine knows no algorithm. */
import type { JsonSchema } from '@seamstream/token-grammar';

/** A sequence with the positions that are trained on. */
export interface TrainingSequence {
  readonly tokenIds: readonly number[];
  /**
   * Index into tokenIds of each trained token (≥ 1: a token is predicted from what stands before it); ascending.
   * All arrays below run parallel to it.
   */
  readonly targets: readonly number[];
  /** Share of each token in the loss; the caller's choice decides token-mean or sequence-mean. */
  readonly weights: readonly number[];
  /**
   * The distribution the ratios are formed under: with a schema, softmax over the legal tokens given the continuation
   * that starts at `continuationStart`; without one, the plain softmax.
   */
  readonly schema?: JsonSchema;
  readonly continuationStart?: number;
  /** The token budget that the continuation was sampled with: near its end the legal tokens depend on it. Absent: unlimited. */
  readonly maxTokens?: number;
  /**
   * Instead of a schema: the tokens that are legal at each target, for an engine that has no grammar. The target's own is among them.
   */
  readonly allowed?: readonly (readonly number[])[];
  /** Policy objective only. */
  readonly policy?: {
    readonly advantages: readonly number[];
    /** ln π of the proximal policy (the policy when the run began), in nats. */
    readonly proximalLogProbs: readonly number[];
    /** Truncated importance weight min(π_proximal / μ_behaviour, cap), a constant for the gradient. */
    readonly importanceWeights: readonly number[];
    /** ln π of the reference policy, for the k3 KL term. */
    readonly referenceLogProbs: readonly number[];
    /** λ: likelihood of the token, unclipped and independent of the proximal policy. Absent: 0 for every target. */
    readonly imitationWeights?: readonly number[];
  };
}

export type TrainingObjective =
  /** L = Σ_n w_n · (−ln π_n) */
  | { readonly kind: 'negative-log-likelihood' }
  /**
   * L = Σ_n w_n · ( −ρ_n · min(r_n A_n, clip(r_n, 1−clipLow, 1+clipHigh) A_n) − λ_n · ln π_n
   *                 + klCoefficient · k3_n − entropyCoefficient · H_n )
   * (k3 carries no ratio: over tokens that π did not sample it is a distance to the reference, not an estimate of the KL)
   * with r_n = π_n / π_proximal,n, ρ_n the importance weight, k3_n = exp(d) − d − 1, d = ln π_ref,n − ln π_n
   * (http://joschu.net/blog/kl-approx.html), H_n the entropy of the (masked) distribution in nats.
   */
  | {
      readonly kind: 'clipped-policy-gradient';
      readonly clipLow: number;
      readonly clipHigh: number;
      readonly klCoefficient: number;
      readonly entropyCoefficient: number;
    };

export interface OptimizerSettings {
  readonly learningRate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  /** Decoupled weight decay (AdamW, https://arxiv.org/abs/1711.05101). */
  readonly weightDecay: number;
  /** Global L2 norm to which gradients are clipped; 0 turns clipping off. */
  readonly clipNorm: number;
}

export type TrainableSettings =
  | { readonly kind: 'full' }
  | {
      readonly kind: 'lora';
      readonly rank: number;
      readonly alpha: number;
      /** Names of linear layers as Hugging Face writes them: q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj. */
      readonly targetModules: readonly string[];
      /** Also train these whole tensors (embeddings, head), as PEFT's modules_to_save. */
      readonly modulesToSave: readonly ('embed_tokens' | 'lm_head')[];
      readonly seed: string;
    };

export interface StepMetrics {
  readonly loss: number;
  /** Before clipping. */
  readonly gradientNorm: number;
  /** Trained tokens of the step. */
  readonly tokens: number;
  /** Weighted means over the trained tokens; policy objective only. */
  /** k3_n: the KL of policy and reference where the policy itself sampled the tokens, of replayed ones a distance. */
  readonly klNats?: number;
  readonly entropyNats?: number;
  readonly clippedRatio?: number;
}
