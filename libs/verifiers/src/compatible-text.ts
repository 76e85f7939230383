/** Unicode's compatible forms as plain ones, but for what is raised or lowered and would become another number. */

const RAISED = /[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ]+/gu;
const LOWERED_BEHIND_NUMBER = /(?<=\p{Nd})[₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎]+/gu;

/**
 * NFKC, with exponents kept as exponents and the base of a number kept as its base: 10² is not 102, nor is 10₂. The index of a name is a part of
 * it: H₂O is H2O.
 */
export function compatible(text: string): string {
  return text
    .replaceAll(RAISED, (run) => `^${run}`)
    .replaceAll(LOWERED_BEHIND_NUMBER, (run) => `_${run}`)
    .normalize('NFKC');
}
