/** What a candidate and its parent have right of the same problems, collected pair by pair. */
import type { ShareComparison } from '@seamstream/events';
import { type ShareDifferences, shareStep } from '@seamstream/statistics';

export class ComparedShares {
  private readonly counts = new Map<number, number>();
  private readonly sums = { candidate: 0, parent: 0, problems: 0 };

  add(candidate: number, parent: number): void {
    const step = shareStep(candidate, parent);
    this.counts.set(step, (this.counts.get(step) ?? 0) + 1);
    this.sums.candidate += candidate;
    this.sums.parent += parent;
    this.sums.problems++;
  }

  /** Ascending: equal pairs in any order are the same list. */
  get differences(): readonly ShareDifferences[] {
    return [...this.counts].sort(([a], [b]) => a - b).map(([thousandths, problems]) => ({ thousandths, problems }));
  }

  get recorded(): ShareComparison {
    const { candidate, parent, problems } = this.sums;
    const meanOf = (sum: number): number => (problems === 0 ? 0 : Math.min(1, sum / problems));
    return { candidate: meanOf(candidate), parent: meanOf(parent), differences: [...this.differences] };
  }
}
