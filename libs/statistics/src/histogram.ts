/** Shares of 1 as a histogram: the first bin counts those from 0 to below 0.1, the last those from 0.9 on. */
export const SHARE_BINS = 10;

/** The bin of a share; what is outside 0 … 1 is in the first or the last one. */
export function binOf(share: number): number {
  return Math.min(SHARE_BINS - 1, Math.max(0, Math.floor(share * SHARE_BINS)));
}

/** How many shares are in each bin. */
export function histogramOf(shares: readonly number[]): readonly number[] {
  const bins = Array<number>(SHARE_BINS).fill(0);
  for (const share of shares) bins[binOf(share)]!++;
  return bins;
}
