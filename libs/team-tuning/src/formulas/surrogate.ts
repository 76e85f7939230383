/**
 * What an agent's update maximises, per turn: c · min(r A, clip(r, 1 − low, 1 + high) A) − β · k3, with r the ratio of the whole turn and
 * k3 the mean over its tokens of e^x − 1 − x, x = ln π − ln π_current (http://joschu.net/blog/kl-approx.html).
 *
 * An engine differentiates per token. Its objective has a term λ_n ln π_n whose gradient is λ_n ∇ ln π_n: with λ_n = ∂(gain)/∂ ln π_n at the
 * present weights a step along it is a step along the gradient of the gain, however the tokens are joined. So no engine has to know turns.
 */
import { sequenceRatio } from './sequence-ratio.js';

export interface SurrogateTerms {
  readonly clipLow: number;
  readonly clipHigh: number;
  /** β, the weight of the distance to the current policy. */
  readonly beta: number;
}

export interface ScoredTurn {
  /** [T] ln π of the chosen tokens under the present weights, and under those that the update began with, in nats. */
  readonly logProbs: readonly number[];
  readonly currentLogProbs: readonly number[];
  readonly advantage: number;
  /** Truncated weight c; 1 for turns of a batch that the present team sampled. */
  readonly weight: number;
}

export interface Surrogate {
  readonly gain: number;
  /** [T] ∂(gain)/∂ ln π of each token. */
  readonly slopes: readonly number[];
  readonly isClipped: boolean;
}

export function surrogateOf(turn: ScoredTurn, { clipLow, clipHigh, beta }: SurrogateTerms): Surrogate {
  const { logProbs, currentLogProbs, advantage, weight } = turn;
  const { ratio, moves } = sequenceRatio(logProbs, currentLogProbs);
  const plain = ratio * advantage;
  const bounded = Math.max(1 - clipLow, Math.min(1 + clipHigh, ratio)) * advantage;
  const isClipped = bounded < plain;
  const slope = isClipped ? 0 : weight * plain;
  const share = beta / Math.max(1, logProbs.length);
  const slopes = logProbs.map((logProb, token) => {
    const difference = logProb - currentLogProbs[token]!;
    return (moves[token] === true ? slope : 0) - share * Math.expm1(difference);
  });
  return {
    gain: weight * Math.min(plain, bounded) - beta * meanK3(logProbs, currentLogProbs),
    slopes,
    isClipped,
  };
}

/** Mean over a turn's tokens of e^x − 1 − x; 0 for a turn in which nothing was chosen. */
export function meanK3(logProbs: readonly number[], currentLogProbs: readonly number[]): number {
  if (logProbs.length === 0) return 0;
  let sum = 0;
  logProbs.forEach((logProb, token) => {
    const difference = logProb - currentLogProbs[token]!;
    sum += Math.expm1(difference) - difference;
  });
  return sum / logProbs.length;
}
