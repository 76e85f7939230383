import { type Random, SeamError } from '@seamstream/kernel';

/** 97.5 % quantile of the standard normal distribution. */
const Z = 1.959963984540054;

/**
 * Wilson's score interval for a proportion at 95 % (Wilson 1927, doi:10.1080/01621459.1927.10502953):
 * (p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n). The whole [0, 1] where nothing was counted.
 */
export function wilsonInterval(successes: number, n: number): readonly [low: number, high: number] {
  if (n === 0) return [0, 1];
  const p = successes / n;
  const centre = p + (Z * Z) / (2 * n);
  const margin = Z * Math.sqrt((p * (1 - p)) / n + (Z * Z) / (4 * n * n));
  const scale = 1 + (Z * Z) / n;
  return [Math.max(0, (centre - margin) / scale), Math.min(1, (centre + margin) / scale)];
}

/**
 * A random permutation of 0 … n − 1 without a fixed point, one cycle through all (Sattolo 1986): nobody keeps his own.
 * @throws INVALID_INPUT when n is 1: there is none.
 */
export function cyclicDerangement(n: number, random: Random): number[] {
  if (n === 1) throw new SeamError('INVALID_INPUT', 'Exchanging entries: expected at least two problems, got one.');
  const result = Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i > 0; i--) {
    const j = random.int(i);
    [result[i], result[j]] = [result[j]!, result[i]!];
  }
  return result;
}
