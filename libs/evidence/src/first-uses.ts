/**
 * Which candidates have had their result. Of two experiences under one id the first in the log counts; a candidate whose experience was used
 * is known here, so that a second experience under its id, which only a forger writes, is looked up in the log instead of being believed.
 */

/** Problems that are known; the one known longest goes first. */
const KNOWN_PROBLEMS = 65_536;
/** Candidates of one group that are told apart: bits of one number. Results of others are looked up. */
const KNOWN_CANDIDATES = 30;

export class FirstUses {
  /** By problem: its first group, and the candidates of it that were used, a bit each. */
  private readonly used = new Map<string, { readonly groupId: string; candidates: number }>();

  /** Whether this is known to be the first use of a candidate's experience; it is used from now on. */
  claim(problemId: string, groupId: string, candidateIndex: number): boolean {
    if (candidateIndex < 0 || candidateIndex >= KNOWN_CANDIDATES) return false;
    const known = this.used.get(problemId);
    const bit = 1 << candidateIndex;
    if (known === undefined) {
      this.used.set(problemId, { groupId, candidates: bit });
      if (this.used.size > KNOWN_PROBLEMS) this.used.delete(this.used.keys().next().value!);
      return true;
    }
    if (known.groupId !== groupId || (known.candidates & bit) !== 0) return false;
    known.candidates |= bit;
    return true;
  }
}
