/** How good a state of a rollout is: a linear function of the tokens that an agent was asked, fitted to returns by clipped steps. */
import { clippedValueLoss } from './formulas/advantages.js';

/** Tokens share this many weights. */
const BUCKETS = 512;
const PASSES = 20;
/** Of the value loss next to the policy's, as the authors release it. */
const COEFFICIENT = 0.1;

export class ValueHead {
  private readonly weights = new Float64Array(BUCKETS + 1);

  valueOf(tokenIds: readonly number[]): number {
    return [...featuresOf(tokenIds)].reduce(
      (sum, [at, share]) => sum + this.weights[at]! * share,
      this.weights[BUCKETS]!,
    );
  }

  /**
   * Gradient steps on the clipped value loss: a value that has moved by the range stays.
   * @param states what agents were asked, each with its return
   */
  fit(
    states: readonly { readonly tokenIds: readonly number[]; readonly return: number }[],
    { range, rate }: { readonly range: number; readonly rate: number },
  ): void {
    const features = states.map(({ tokenIds }) => featuresOf(tokenIds));
    const before = states.map(({ tokenIds }) => this.valueOf(tokenIds));
    for (let pass = 0; pass < PASSES; pass++)
      states.forEach(({ tokenIds, return: target }, at) => {
        const { slope } = clippedValueLoss(this.valueOf(tokenIds), { before: before[at]!, target }, range);
        if (slope === 0) return;
        const step = COEFFICIENT * rate * slope;
        this.weights[BUCKETS]! -= step;
        for (const [bucket, share] of features[at]!) this.weights[bucket]! -= step * share;
      });
  }
}

/** Share of each bucket, as a vector of length 1. */
function featuresOf(tokenIds: readonly number[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const id of new Set(tokenIds)) counts.set(id % BUCKETS, (counts.get(id % BUCKETS) ?? 0) + 1);
  const length = Math.sqrt([...counts.values()].reduce((sum, count) => sum + count * count, 0));
  return new Map([...counts].map(([bucket, count]) => [bucket, count / length]));
}
