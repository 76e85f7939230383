/** In which order validation problems are asked, so that what was asked once is asked again only when there is no other. */
import type { Problem } from '@seamstream/events';
import { compareText, sha256 } from '@seamstream/kernel';
import type { AskedPerDomain, Stretch } from './adapter-evaluation.port.js';

/** A set's problems by domain, each domain in an order that owes nothing to the file's: that may be sorted by difficulty. */
export type ProblemsByDomain = ReadonlyMap<string, readonly Problem[]>;

export function problemsByDomain(problems: readonly Problem[]): ProblemsByDomain {
  const placed = problems.map((problem) => ({ problem, place: sha256('stretch', problem.problemId) }));
  const shuffled = placed.sort((a, b) => compareText(a.place, b.place)).map(({ problem }) => problem);
  return Map.groupBy(shuffled, ({ domain }) => domain);
}

/**
 * The problems of a stretch. A domain's own row is turned so that it begins after what was asked of it; then the j-th of a domain's n
 * problems stands at (j + ½) / n of the whole, which mixes domains in their proportions at every place. What other domains
 * have appeared since changes nothing about which problems of a domain come next.
 */
export function stretchOf(
  byDomain: ProblemsByDomain,
  domains: readonly string[],
  stretch: Stretch,
): readonly Problem[] {
  const { asked, from, count } = stretch;
  const row = domains.flatMap((domain) => {
    const problems = byDomain.get(domain) ?? [];
    const begin = asked[domain] ?? 0;
    return problems.map((_, index) => ({
      domain,
      problem: problems[(begin + index) % problems.length]!,
      place: (index + 0.5) / problems.length,
    }));
  });
  return row
    .sort((a, b) => a.place - b.place || compareText(a.domain, b.domain))
    .slice(from, from + count)
    .map(({ problem }) => problem);
}

/** Of `more` problems that a domain of so many is asked after `before`, those that were among the ones before. */
export function askedAgain(size: number, before: number, more: number): number {
  return Math.max(0, before + more - size) - Math.max(0, before - size);
}

/** What was asked in all. */
export function addedUp(all: readonly AskedPerDomain[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const each of all)
    for (const [domain, count] of Object.entries(each)) sums[domain] = (sums[domain] ?? 0) + count;
  return sums;
}
