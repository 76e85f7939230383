/**
 * Whether a trait goes with success, over groups that differ in difficulty: the exact conditional test of a common odds ratio of 1 in
 * several 2 × 2 tables (Cox 1970, section 4.3; the exact form of Cochran, Mantel and Haenszel). Within a group, given how many members
 * succeeded and how many have the trait, the number of those with both is hypergeometric where the trait means nothing. The sum over
 * the groups is compared with the distribution of that sum. Nothing is approximated, so few and small groups are allowed.
 */

/** One group of members that are alike but for the trait. */
export interface Stratum {
  readonly members: number;
  readonly successes: number;
  readonly withTrait: number;
  /** Successes among the members with the trait. */
  readonly both: number;
}

/**
 * The probability of as many successes with the trait, or more, where the trait means nothing; 1 without groups in which both vary.
 * @returns a p value in (0, 1]
 */
export function stratifiedExactTest(strata: readonly Stratum[]): number {
  const informative = strata.filter(
    ({ members, successes, withTrait }) => successes > 0 && successes < members && withTrait > 0 && withTrait < members,
  );
  let sums: readonly number[] = [1]; // sums[s]: probability that the excess over the least possible sum is s
  let excess = 0;
  for (const stratum of informative) {
    const { least, probabilities } = hypergeometric(stratum);
    sums = convolved(sums, probabilities);
    excess += stratum.both - least;
  }
  const tail = sums.slice(excess).reduce((sum, each) => sum + each, 0);
  return Math.min(1, tail);
}

/** P(both = least + i), i = 0, 1, …, of drawing `withTrait` of `members` of which `successes` succeeded. */
function hypergeometric({ members, successes, withTrait }: Stratum): {
  readonly least: number;
  readonly probabilities: readonly number[];
} {
  const least = Math.max(0, withTrait + successes - members);
  const most = Math.min(withTrait, successes);
  const probabilities = Array.from({ length: most - least + 1 }, (_, i) => {
    const both = least + i;
    return Math.exp(
      logChoose(successes, both) + logChoose(members - successes, withTrait - both) - logChoose(members, withTrait),
    );
  });
  return { least, probabilities };
}

function convolved(a: readonly number[], b: readonly number[]): number[] {
  const sums = new Array<number>(a.length + b.length - 1).fill(0);
  for (const [i, left] of a.entries()) for (const [j, right] of b.entries()) sums[i + j]! += left * right;
  return sums;
}

const logFactorials = [0];

function logFactorial(n: number): number {
  for (let i = logFactorials.length; i <= n; i++) logFactorials.push(logFactorials[i - 1]! + Math.log(i));
  return logFactorials[n]!;
}

function logChoose(n: number, k: number): number {
  return logFactorial(n) - logFactorial(k) - logFactorial(n - k);
}
