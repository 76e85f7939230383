/**
 * Which candidates have had their result. Of two experiences under one id the first in the log counts; a candidate whose experience was used
 * is known here, so that a second experience under its id, which only a forger writes, is looked up in the log instead of being believed.
 * What is not known any more is looked up as well: a problem that was published before the newest one that was forgotten.
 */

/** Problems that are known; the one known longest goes first. Some 400 bytes each. */
const KNOWN_PROBLEMS = 65_536;
/** Candidates of one group that are told apart: bits of one number. Results of others are looked up. */
const KNOWN_CANDIDATES = 30;
/** Ours have 36. Results of problems with longer ids are looked up. */
const MAX_ID_CHARACTERS = 256;

/** Where a problem was published. */
interface Place {
  readonly partition: number;
  readonly offset: number;
}

interface Uses {
  readonly groupId: string;
  /** A bit each. */
  candidates: number;
  readonly place: Place;
}

export class FirstUses {
  /** By problem: its first group, and the candidates of it that were used. */
  private readonly used = new Map<string, Uses>();
  /** By partition, an offset: of the problems that were published before it, only those in `used` are known. */
  private readonly forgottenTo = new Map<number, number>();

  /**
   * @param began by partition of the problems' topic, from where on this reader has seen everything
   * @param most problems that are known
   */
  constructor(
    private readonly began: (partition: number) => number,
    private readonly most = KNOWN_PROBLEMS,
  ) {}

  /** Whether this is known to be the first use of a candidate's experience; it is used from now on. */
  claim(problemId: string, groupId: string, candidateIndex: number, place: Place): boolean {
    if (candidateIndex < 0 || candidateIndex >= KNOWN_CANDIDATES || problemId.length > MAX_ID_CHARACTERS) return false;
    const known = this.used.get(problemId);
    const bit = 1 << candidateIndex;
    if (known === undefined) {
      const { partition, offset } = place;
      if (offset < (this.forgottenTo.get(partition) ?? this.began(partition))) return false;
      this.used.set(problemId, { groupId, candidates: bit, place: { partition, offset } });
      if (this.used.size > this.most) this.forgetOldest();
      return true;
    }
    if (known.groupId !== groupId || (known.candidates & bit) !== 0) return false;
    known.candidates |= bit;
    return true;
  }

  private forgetOldest(): void {
    const [problemId, { place }] = this.used.entries().next().value!;
    this.used.delete(problemId);
    const { partition, offset } = place;
    this.forgottenTo.set(partition, Math.max(this.forgottenTo.get(partition) ?? 0, this.began(partition), offset + 1));
  }
}
