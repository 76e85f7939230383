/** Compares a candidate with its parent on the problems that a run's plan sets aside for it. */
import type { Evaluation, JudgeTally } from '@seamstream/events';
import { needsMoreProblems } from '@seamstream/release';
import { isSameJudge, type JudgedBy, tallyJudges } from '@seamstream/rollout';
import { sharesMayDecide } from '@seamstream/statistics';
import type { AdapterEvaluation, AskedPerDomain, ProblemResult } from './adapter-evaluation.port.js';
import type { Artefact } from './artefact.js';
import { ComparedShares } from './compared-shares.js';
import { Differences } from './differences.js';
import type { RunPromotion } from './run-plan.js';
import { askedAgain } from './validation-row.js';

interface Compared {
  readonly candidate: Artefact;
  /** Null is the bare base model. */
  readonly parent: Artefact | null;
}

interface Comparison {
  readonly evaluator: AdapterEvaluation<Artefact>;
  readonly domains: readonly string[];
  readonly onProgress: (done: number, total: number) => void;
}

/**
 * Asks both the same problems, portion by portion, until the counts decide or as many were asked as one decision may take. A problem
 * that could not be judged with both of them counts in nothing, nor does one whose two answers were judged by different revisions of a
 * model: the difference might be the judge's.
 */
export async function compareAdapters(
  { candidate, parent }: Compared,
  { measure, asked: before, portion, most, level }: Extract<RunPromotion, { rule: 'better' }>,
  { evaluator, domains, onProgress }: Comparison,
): Promise<Evaluation> {
  const sizes = evaluator.sizes(domains);
  const available = Math.min(most, sum(sizes));
  const attemptsBefore = evaluator.attempts();
  const results: (ProblemResult & { readonly byParent: boolean })[] = [];
  const asked: Record<string, number> = {};
  const counts = { rescued: 0, broken: 0 };
  const differences = new Differences();
  const judgedBy: JudgedBy[] = [];
  let judgedApart = 0;
  let from = 0;
  const shares = new ComparedShares();
  const mayDecide = (left: number): boolean =>
    measure === 'share'
      ? sharesMayDecide(shares.differences, { left, level })
      : needsMoreProblems(counts, { asked: from, left, level });
  while (mayDecide(available - from)) {
    const stretch = { asked: before, from, count: Math.min(portion, available - from) };
    const told = (done: number): void => onProgress(stretch.from + done, available);
    const own = await evaluator.measure(candidate, domains, stretch, (done) => told(done / 2));
    const others = await evaluator.measure(parent, domains, stretch, (done) => told((stretch.count + done) / 2));
    judgedBy.push(...judgesOf(own), ...judgesOf(others));
    for (const [index, result] of own.entries()) {
      const { domain, solved, judgedBy: judge = null } = result;
      asked[domain] = (asked[domain] ?? 0) + 1;
      const byParent = others[index]?.solved ?? null;
      if (solved === null || byParent === null) continue;
      if (!isSameJudge(judge, others[index]?.judgedBy ?? null)) {
        judgedApart++;
        continue;
      }
      results.push({ domain, solved, byParent });
      if (solved && !byParent) counts.rescued++;
      if (!solved && byParent) counts.broken++;
      differences.note(result, others[index]!);
      shares.add(result.share ?? Number(solved), others[index]!.share ?? Number(byParent));
    }
    from += stretch.count;
  }
  return {
    problemSet: evaluator.problemSet,
    problemSetDigest: evaluator.digestOf(domains, { asked: before, from: 0, count: from }),
    ...ratesOf(results),
    parentSuccess: rate(results.map(({ byParent }) => byParent)),
    parentPerDomain: ratesOf(results.map(({ domain, byParent }) => ({ domain, solved: byParent }))).perDomain,
    ...counts,
    asked,
    repeated: Object.entries(asked).reduce(
      (all, [domain, count]) => all + askedAgain(sizes[domain] ?? count, before[domain] ?? 0, count),
      0,
    ),
    ...{ judges: tallyJudges(judgedBy), judgedApart, differences: differences.noted },
    attempts: since(attemptsBefore, evaluator.attempts()),
    ...(measure === 'share' ? { shares: shares.recorded } : {}),
  };
}

type WholeMeasurement = Pick<Evaluation, 'problemSet' | 'problemSetDigest' | 'problems' | 'success' | 'perDomain'> & {
  readonly judges: readonly JudgeTally[];
};

/** Asks the candidate every problem of the set. */
export async function measureWhole(
  adapter: Artefact | null,
  { evaluator, domains, onProgress }: Comparison,
): Promise<WholeMeasurement> {
  const stretch = { asked: {}, from: 0, count: sum(evaluator.sizes(domains)) };
  const results = await evaluator.measure(adapter, domains, stretch, onProgress);
  return {
    problemSet: evaluator.problemSet,
    problemSetDigest: evaluator.digestOf(domains, stretch),
    ...ratesOf(results),
    judges: tallyJudges(judgesOf(results)),
  };
}

function since(before: number | null, now: number | null): number | null {
  return before === null || now === null ? null : now - before;
}

function judgesOf(results: readonly ProblemResult[]): readonly JudgedBy[] {
  return results.map(({ judgedBy = null }) => judgedBy);
}

function sum(counts: AskedPerDomain): number {
  return Object.values(counts).reduce((all, each) => all + each, 0);
}

function ratesOf(results: readonly ProblemResult[]): Pick<Evaluation, 'problems' | 'success' | 'perDomain'> {
  const judged = results.flatMap(({ domain, solved }) => (solved === null ? [] : [{ domain, solved }]));
  const domains = [...new Set(judged.map(({ domain }) => domain))].sort();
  const solvedOf = (name: string): boolean[] =>
    judged.flatMap(({ domain, solved }) => (domain === name ? [solved] : []));
  return {
    problems: judged.length,
    success: rate(judged.map(({ solved }) => solved)),
    perDomain: Object.fromEntries(domains.map((domain) => [domain, rate(solvedOf(domain))])),
  };
}

function rate(solved: readonly boolean[]): number {
  return solved.length === 0 ? 0 : solved.filter(Boolean).length / solved.length;
}
