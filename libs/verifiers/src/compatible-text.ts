/** Unicode's compatible forms as plain ones, but for what is raised or lowered and would become another number. */

const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ';
const LOWERED = '₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎';

/**
 * NFKC, with exponents kept as exponents and the base of a number kept as its base: 10² is not 102, nor is 10₂. The index of a name is a part of
 * it: H₂O is H2O.
 */
export function compatible(text: string): string {
  return text
    .replaceAll(new RegExp(`[${RAISED}]+`, 'gu'), (run) => `^${run}`)
    .replaceAll(new RegExp(`(?<=\\p{Nd})[${LOWERED}]+`, 'gu'), (run) => `_${run}`)
    .normalize('NFKC');
}
