/** An evaluation on the problems of one set, in the order of their row. How an artefact is asked is the subclass's. */
import { problemSetDigest } from '@seamstream/evaluation';
import type { Problem } from '@seamstream/events';
import { AdapterEvaluation, type AskedPerDomain, type Stretch } from './adapter-evaluation.port.js';
import type { Artefact } from './artefact.js';
import { type ProblemsByDomain, problemsByDomain, stretchOf } from './validation-row.js';

export abstract class ProblemSetEvaluation<A extends Artefact> extends AdapterEvaluation<A> {
  override readonly problemSet: string;
  override readonly problemSetDigest: string;
  private readonly problems: ProblemsByDomain;

  /** @param set its name, as events call it, and its problems */
  constructor(set: { readonly problemSet: string; readonly problems: readonly Problem[] }) {
    super();
    this.problemSet = set.problemSet;
    this.problems = problemsByDomain(set.problems);
    this.problemSetDigest = problemSetDigest(set.problems);
  }

  override sizes(domains: readonly string[]): AskedPerDomain {
    return Object.fromEntries(
      domains.flatMap((domain) => {
        const size = this.problems.get(domain)?.length ?? 0;
        return size === 0 ? [] : [[domain, size]];
      }),
    );
  }

  override digestOf(domains: readonly string[], stretch: Stretch): string {
    return problemSetDigest(this.problemsOf(domains, stretch));
  }

  protected problemsOf(domains: readonly string[], stretch: Stretch): readonly Problem[] {
    return stretchOf(this.problems, domains, stretch);
  }
}
