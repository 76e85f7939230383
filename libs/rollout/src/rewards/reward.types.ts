/** What an experience that acts earns, beyond the verdict on its answers: each way is a file of this folder. */

/** What was measured of a model with an experience, or of the frozen one. */
export interface Measurement {
  /** Share of the questions that are right, 0 … 1. */
  readonly accuracy: number;
  /** Mean −ln p of a gold answer's token, over the tokens of all gold answers, in nats; null where it was not asked for. */
  readonly loss: number | null;
}

interface Measured {
  /** Of the frozen model, by the same questions, prompts and decoding; null where the reward does not need it. */
  readonly before: Measurement | null;
  readonly after: Measurement;
}

/** What a value is compared with, in its unit. `auto`: what the frozen model reaches. */
export type Threshold = number | 'auto';

/** What a reward has to know of an attempt. */
export interface RewardNeeds {
  /** The frozen model's measurement. */
  readonly baseline: boolean;
  /** Losses. */
  readonly likelihoods: boolean;
}

interface Valuation {
  /** In the reward's own unit. */
  readonly value: number;
  /** What it was compared with. */
  readonly threshold: number;
  readonly passes: boolean;
  /** What it is worth to a continuous reward, 0 … 1; read only where it passes. */
  readonly worth: number;
}

/** What an attempt was about, for a reward that asks an endpoint. */
export interface RewardedAttempt {
  readonly problemId: string;
  readonly domain: string;
  readonly entry: string | null;
  readonly response: string;
}

export interface Reward {
  readonly kind: string;
  /** A change of what it values is a new version, so that old outcomes stay explainable. */
  readonly version: string;
  readonly defaultThreshold: Threshold;
  needs(threshold: Threshold): RewardNeeds;
  /** @throws VERIFIER_FAILED where it cannot tell; ABORTED */
  valuation(
    measured: Measured,
    threshold: Threshold,
    attempt: RewardedAttempt,
    signal?: AbortSignal,
  ): Valuation | Promise<Valuation>;
}

/** Within 0 … 1. */
export function bounded(share: number): number {
  return Math.min(1, Math.max(0, share));
}
