/**
 * The ratio of a whole turn: r = exp(clamp(Σ_t clamp(ln π_t − ln π_current,t, ±10), ±20)), as the authors of sequential agent tuning
 * release it (arXiv 2605.05216). The clamps keep one absurd token, or many small steps, from an overflow.
 */

/** Of one token's log-ratio, and of their sum, in nats. */
const TOKEN_CLAMP_NATS = 10;
const SEQUENCE_CLAMP_NATS = 20;

export interface SequenceRatio {
  readonly ratio: number;
  /** By token: whether the ratio moves with it. A clamped one is a constant, and so are all where the sum is clamped. */
  readonly moves: readonly boolean[];
}

/**
 * @param logProbs [T] ln π of a turn's chosen tokens under the present weights, in nats
 * @param currentLogProbs [T] the same under those that the turn is compared with
 */
export function sequenceRatio(logProbs: readonly number[], currentLogProbs: readonly number[]): SequenceRatio {
  let sum = 0;
  const isWithin = logProbs.map((logProb, token) => {
    const difference = logProb - currentLogProbs[token]!;
    sum += clamped(difference, TOKEN_CLAMP_NATS);
    return Math.abs(difference) <= TOKEN_CLAMP_NATS;
  });
  const isSumWithin = Math.abs(sum) <= SEQUENCE_CLAMP_NATS;
  return { ratio: Math.exp(clamped(sum, SEQUENCE_CLAMP_NATS)), moves: isWithin.map((each) => each && isSumWithin) };
}

/**
 * c = min(1, ρ) for what other agents' updates did to the turns that stand with this one in a rollout: ρ is the product of their ratios.
 * @param others of each such turn, ln π under the agent's weights now and when it was sampled
 */
export function truncatedTeamWeight(
  others: readonly { readonly logProbs: readonly number[]; readonly sampledLogProbs: readonly number[] }[],
): number {
  const ratios = others.map(({ logProbs, sampledLogProbs }) => sequenceRatio(logProbs, sampledLogProbs).ratio);
  return Math.min(
    1,
    ratios.reduce((product, ratio) => product * ratio, 1),
  );
}

function clamped(value: number, most: number): number {
  return Math.max(-most, Math.min(most, value));
}
