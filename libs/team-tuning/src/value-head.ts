/** How good a state of a rollout is: a linear function of the tokens that an agent was asked, fitted to returns by clipped steps. */

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
   * Gradient steps on max((V − R)², (V_old + clip(V − V_old, ±range) − R)²): a value that has moved by the range stays.
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
        const value = this.valueOf(tokenIds);
        const moved = value - before[at]!;
        const held = before[at]! + Math.max(-range, Math.min(range, moved));
        // Where the held value is further off, the loss does not move with the value.
        if (Math.abs(moved) > range && (held - target) ** 2 >= (value - target) ** 2) return;
        const slope = 2 * COEFFICIENT * rate * (value - target);
        this.weights[BUCKETS]! -= slope;
        for (const [bucket, share] of features[at]!) this.weights[bucket]! -= slope * share;
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
