import { type Estimate, mean } from './intervals.js';

/** 97.5 % quantiles of Student's t for 1 to 10 degrees of freedom (Abramowitz and Stegun 1964, table 26.10). */
const QUANTILES = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228] as const;

/** @returns of Student's t at 97.5 %; for more than 10 degrees that of 10, which is a little too careful */
export function studentQuantile(degrees: number): number {
  return QUANTILES[Math.min(degrees, QUANTILES.length) - 1]!;
}

/**
 * Student's interval of the mean at 95 %: mean ± t·s/√n. For few values of one unit, such as a figure of several seeds.
 * @returns null for fewer than two values
 */
export function studentInterval(values: readonly number[]): Estimate['interval95'] | null {
  if (values.length < 2) return null;
  const centre = mean(values);
  const variance = values.reduce((sum, each) => sum + (each - centre) ** 2, 0) / (values.length - 1);
  const margin = studentQuantile(values.length - 1) * Math.sqrt(variance / values.length);
  return [centre - margin, centre + margin];
}
