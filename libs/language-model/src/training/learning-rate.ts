/** Learning rates as functions of the step, counting from 0. */

/**
 * Rises linearly over `warmUpSteps` (the first step already moves), then falls along half a cosine to `floor` at
 * `totalSteps` and stays there (Loshchilov and Hutter, https://arxiv.org/abs/1608.03983, one cycle).
 */
export function warmUpCosineRate(schedule: {
  readonly peak: number;
  readonly floor: number;
  readonly warmUpSteps: number;
  readonly totalSteps: number;
}): (step: number) => number {
  const { peak, floor, warmUpSteps, totalSteps } = schedule;
  return (step) => {
    if (step < warmUpSteps) return (peak * (step + 1)) / warmUpSteps;
    const progress = Math.min(1, (step - warmUpSteps) / Math.max(1, totalSteps - warmUpSteps));
    return floor + ((peak - floor) * (1 + Math.cos(Math.PI * progress))) / 2;
  };
}
