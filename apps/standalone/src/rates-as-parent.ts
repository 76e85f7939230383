import type { RunProgress } from './round-progress.js';

type ComparedRun = Pick<RunProgress, 'status' | 'parentPerDomain' | 'askedPerDomain'>;

/**
 * What the adapter that the last promotion of these runs left behind solves per domain, as a fraction, on problems that its promotion did
 * not rest on: as the parent in all comparisons since, together. Before there is one, what its own parent solved, which it
 * was better than. Empty where candidates and parents were not asked side by side.
 * @param runs that ended, in their order
 */
export function ratesAsParent(runs: readonly ComparedRun[]): Readonly<Record<string, number>> {
  const areCompared = (run: ComparedRun): boolean => Object.keys(run.askedPerDomain).length > 0;
  const promoted = runs.findLastIndex((run) => run.status === 'promoted');
  const since = runs.slice(promoted + 1).filter(areCompared);
  const compared = since.length > 0 ? since : runs.slice(Math.max(0, promoted), promoted + 1).filter(areCompared);
  const asked = new Map<string, number>();
  const solved = new Map<string, number>();
  for (const { parentPerDomain, askedPerDomain } of compared) {
    for (const [domain, rate] of Object.entries(parentPerDomain)) {
      const problems = askedPerDomain[domain] ?? 0;
      asked.set(domain, (asked.get(domain) ?? 0) + problems);
      solved.set(domain, (solved.get(domain) ?? 0) + rate * problems);
    }
  }
  return Object.fromEntries([...asked].map(([domain, problems]) => [domain, (solved.get(domain) ?? 0) / problems]));
}
