/** z of a two-sided 95 % interval. */
const Z_95 = 1.959963984540054;

/**
 * Wilson score interval of a rate, 95 %:
 *   (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n)
 * which, unlike p ± z √(p(1−p)/n), stays within 0 … 1 and has a width at p = 0 and 1 (E. B. Wilson 1927,
 * https://doi.org/10.1080/01621459.1927.10502953).
 * @param successes 0 … trials
 * @param trials with none the rate is unknown: 0 … 1
 */
export function wilsonInterval(successes: number, trials: number): { readonly low: number; readonly high: number } {
  if (trials === 0) return { low: 0, high: 1 };
  const p = successes / trials;
  const z2 = Z_95 * Z_95;
  const centre = p + z2 / (2 * trials);
  const half = Z_95 * Math.sqrt((p * (1 - p)) / trials + z2 / (4 * trials * trials));
  const scale = 1 + z2 / trials;
  return { low: Math.max(0, (centre - half) / scale), high: Math.min(1, (centre + half) / scale) };
}
