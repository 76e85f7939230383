/**
 * Share of a token in the loss of its step. `token-mean`: every trained token of the step counts alike (times its
 * sequence's weight), long entries weigh more; `sequence-mean`: every sequence counts alike, its tokens share.
 * Either way the shares of a step sum to one, so the loss is a mean and the learning rate does not depend on the batch.
 */
export const lossAverages = ['token-mean', 'sequence-mean'] as const;

export type LossAverage = (typeof lossAverages)[number];

/**
 * Share of each trained token, per sequence.
 * @param sequences trained tokens (≥ 1) and relative weight (≥ 0) of each; not all weights 0
 */
export function tokenWeights(
  sequences: readonly { readonly tokens: number; readonly weight: number }[],
  average: LossAverage,
): number[] {
  const total = sequences.reduce(
    (sum, { tokens, weight }) => sum + (average === 'token-mean' ? tokens : 1) * weight,
    0,
  );
  return sequences.map(({ tokens, weight }) => weight / (average === 'token-mean' ? total : total * tokens));
}
