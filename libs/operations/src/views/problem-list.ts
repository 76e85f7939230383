/** The recent problems that match a filter, with what became of each. Pure. */
import type { ProblemStanding, RecentProblem } from '@seamstream/read-models';

export interface ProblemFilter {
  readonly domain?: string | undefined;
  readonly arm?: string | undefined;
  readonly standing?: string | undefined;
  /** Words of the question, or the beginning of the id, in any case. */
  readonly text?: string | undefined;
}

export interface ListedProblem extends RecentProblem {
  readonly standing: ProblemStanding['standing'];
  /** Of its first group; null before it has one. */
  readonly arm: string | null;
  /** Candidates of all groups: those with a result, and all. */
  readonly numIn: number;
  readonly candidates: number;
}

export interface ProblemList {
  /** Newest first. */
  readonly rows: readonly ListedProblem[];
  /** Recent problems that fit the filter, and all that are recent. */
  readonly matching: number;
  readonly recent: number;
  /** Problems of the log. */
  readonly all: number;
  /** Domains of the recent problems, by name. */
  readonly domains: readonly string[];
}

export function listProblems(
  {
    recent,
    standing: standingIn,
    all,
  }: {
    readonly recent: readonly RecentProblem[];
    readonly standing: (problemId: string) => ProblemStanding | null;
    readonly all: number;
  },
  filter: ProblemFilter,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): ProblemList {
  const text = filter.text?.toLowerCase();
  const named = recent.filter(
    ({ problemId, domain, question }) =>
      (filter.domain === undefined || domain === filter.domain) &&
      (text === undefined || problemId.toLowerCase().startsWith(text) || question.toLowerCase().includes(text)),
  );
  const { arm, standing } = filter;
  // What the ledger says is looked up only as far as it is asked for.
  const isWanted = (row: ListedProblem): boolean =>
    (arm === undefined || row.arm === arm) && (standing === undefined || row.standing === standing);
  const list = (of: readonly RecentProblem[]): ListedProblem[] => of.map((each) => listed(each, standingIn));
  const page = <T>(of: readonly T[]): readonly T[] => of.slice(offset, offset + limit);
  const asked = arm === undefined && standing === undefined ? null : list(named).filter(isWanted);
  return {
    rows: asked === null ? list(page(named)) : page(asked),
    matching: (asked ?? named).length,
    recent: recent.length,
    all,
    domains: [...new Set(recent.map(({ domain }) => domain))].sort(),
  };
}

function listed(problem: RecentProblem, standingOf: (problemId: string) => ProblemStanding | null): ListedProblem {
  const found = standingOf(problem.problemId);
  const groups = found?.groups ?? [];
  return {
    ...problem,
    standing: found?.standing ?? 'inFlight',
    arm: groups[0]?.arm ?? null,
    numIn: groups.reduce((sum, { numIn }) => sum + numIn, 0),
    candidates: groups.reduce((sum, { size }) => sum + size, 0),
  };
}
