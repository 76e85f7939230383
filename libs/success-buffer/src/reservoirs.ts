/**
 * Bottom-k samples, one per key: the `capacity` first by helpfulness class (descending) and seeded hash. A sample drawn this way
 * needs no memory of what it saw (Cohen and Kaplan 2007, https://doi.org/10.1145/1281100.1281133), and a candidate that leaves
 * makes room for the next one. Those that wait are in a tree, so entering and leaving cost the logarithm of their number.
 */
import sortedBtree from 'sorted-btree';
import { byClassThenPriority, type Candidate } from './candidate.js';
import { Changes } from './changes.js';

const BTree = sortedBtree.default;

interface Reservoir {
  readonly ranked: InstanceType<typeof BTree<Candidate, undefined>>;
  /** The first ones, as of the last update. */
  kept: ReadonlySet<Candidate>;
}

export class Reservoirs {
  private readonly reservoirs = new Map<string, Reservoir>();

  /** @param keyOf which reservoir a candidate belongs to, always the same; null has no limit */
  constructor(
    private readonly capacity: number,
    private readonly keyOf: (candidate: Candidate) => string | null,
  ) {}

  /** @returns what is kept now and was not, and the other way round */
  update(candidates: Changes<Candidate>): Changes<Candidate> {
    const changes = new Changes<Candidate>();
    const touched = new Set<string>();
    for (const candidate of candidates.left) {
      const key = this.keyOf(candidate);
      if (key === null) changes.leave(candidate);
      else {
        this.reservoirs.get(key)!.ranked.delete(candidate);
        touched.add(key);
      }
    }
    for (const candidate of candidates.entered) {
      const key = this.keyOf(candidate);
      if (key === null) changes.enter(candidate);
      else {
        this.reservoirOf(key).ranked.set(candidate, undefined);
        touched.add(key);
      }
    }
    for (const key of touched) this.draw(key, changes);
    return changes;
  }

  keeps(candidate: Candidate): boolean {
    const key = this.keyOf(candidate);
    return key === null || this.reservoirs.get(key)?.kept.has(candidate) === true;
  }

  private reservoirOf(key: string): Reservoir {
    let reservoir = this.reservoirs.get(key);
    if (reservoir === undefined) {
      reservoir = { ranked: new BTree<Candidate, undefined>(undefined, byClassThenPriority), kept: new Set() };
      this.reservoirs.set(key, reservoir);
    }
    return reservoir;
  }

  private draw(key: string, changes: Changes<Candidate>): void {
    const reservoir = this.reservoirOf(key);
    const before = reservoir.kept;
    reservoir.kept = new Set(Iterator.from(reservoir.ranked.keys()).take(this.capacity));
    for (const candidate of before) if (!reservoir.kept.has(candidate)) changes.leave(candidate);
    for (const candidate of reservoir.kept) if (!before.has(candidate)) changes.enter(candidate);
    if (reservoir.ranked.isEmpty) this.reservoirs.delete(key);
  }
}
