/**
 * The answer that MATH states at the end of a worked solution: the content of the last `\boxed{…}` (in some rows `\fbox{…}`,
 * in some `\boxed 7` without braces; Hendrycks et al. 2021, https://github.com/hendrycks/math, `last_boxed_only_string`).
 */

/** The content of the last box, or null where there is none or its braces do not close. */
export function lastBoxedAnswer(solution: string): string | null {
  const start = Math.max(solution.lastIndexOf('\\boxed'), solution.lastIndexOf('\\fbox'));
  if (start < 0) return null;
  const after = /^\\(?:boxed|fbox)\s*/.exec(solution.slice(start))![0].length + start;
  if (solution[after] !== '{') return /^[^\s${}\\.,;]+/.exec(solution.slice(after))?.[0] ?? null;
  let depth = 0;
  for (let at = after; at < solution.length; at++) {
    const character = solution[at];
    if (character === '\\')
      at++; // an escaped brace, as in \{1, 2\}, is a sign and nests nothing
    else if (character === '{') depth++;
    else if (character === '}' && --depth === 0) return solution.slice(after + 1, at).trim();
  }
  return null;
}
