/** Whether a candidate keeps what adapters before it learned. It is asked, as its parent is, problems that they learned from. */
import type { EventLog } from '@seamstream/event-log';
import { type JudgeTally, type Problem, type Retained, TOPIC } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import { readEvents, storedRanges } from '@seamstream/log-reader';
import { apartText } from '@seamstream/release';
import { isSameJudge, tallyJudges } from '@seamstream/rollout';
import { costOf, isKept } from '@seamstream/statistics';
import type { AdapterEvaluation } from './adapter-evaluation.port.js';
import type { Artefact } from './artefact.js';
import type { RunRetention } from './run-plan.js';

interface Asked {
  readonly candidate: Artefact;
  /** Null is the bare base model. */
  readonly parent: Artefact | null;
}

interface KeptJudgement {
  readonly isKept: boolean;
  /** In words for an operator. */
  readonly reason: string;
  readonly retained: Retained;
  readonly judges: readonly JudgeTally[];
  /** Problems that different revisions judged with the two. Nothing shows that they are kept. */
  readonly judgedApart: number;
}

/**
 * Asks both the same problems. One that could not be judged with both of them counts in nothing. One whose two answers different revisions
 * of a judge judged counts in no share, and the old is not kept by it: equal answers have one verdict, so to leave such problems out would
 * leave out those whose answers differ.
 * @throws INVALID_CONFIGURATION for an evaluation that can be asked no other problems than its own
 */
export async function keepsOldProblems(
  { candidate, parent }: Asked,
  { mostCost, problems: ids }: RunRetention,
  {
    evaluator,
    log,
    onProgress,
  }: {
    readonly evaluator: AdapterEvaluation<Artefact>;
    readonly log: EventLog;
    readonly onProgress: (done: number, total: number) => void;
  },
): Promise<KeptJudgement> {
  const problems = await publishedProblems(log, ids);
  if (problems.length === 0)
    return {
      // Those that are named and are not in the log any more cannot be asked: nothing shows that the old is kept.
      isKept: ids.length === 0,
      reason:
        ids.length === 0
          ? 'no problem was learned from before'
          : `none of ${ids.length} old problems is in the log any more`,
      retained: { problems: 0, success: 0, parentSuccess: 0, mostCost },
      ...{ judges: [], judgedApart: 0 },
    };
  const old = evaluator.over?.('old problems', problems);
  if (old === undefined)
    throw new SeamError(
      'INVALID_CONFIGURATION',
      'Cannot tell what a candidate keeps: expected an evaluation that can be asked old problems, got one that has a separate set alone. Leave out "idle".',
    );
  const domains = [...new Set(problems.map(({ domain }) => domain))].sort();
  const stretch = { asked: {}, from: 0, count: problems.length };
  const half = problems.length / 2;
  const was = await old.measure(parent, domains, stretch, (done) => onProgress(done / 2, problems.length));
  const is = await old.measure(candidate, domains, stretch, (done) => onProgress(half + done / 2, problems.length));
  const both: { readonly before: number; readonly after: number }[] = [];
  let judgedApart = 0;
  for (const [index, { solved: before, judgedBy = null }] of was.entries()) {
    const after = is[index]?.solved ?? null;
    if (before === null || after === null) continue;
    if (isSameJudge(judgedBy, is[index]?.judgedBy ?? null)) both.push({ before: Number(before), after: Number(after) });
    else judgedApart++;
  }
  const [before, after] = [both.map((each) => each.before), both.map((each) => each.after)];
  const cost = costOf(before, after);
  const share = (solved: readonly number[]): number =>
    solved.length === 0 ? 0 : solved.reduce((sum, each) => sum + each, 0) / solved.length;
  // Where nothing could be judged, nothing shows that the old is kept.
  const passes = both.length > 0 && judgedApart === 0 && isKept(cost, mostCost);
  const apart = judgedApart === 0 ? '' : `; ${apartText(judgedApart)}, and nothing shows that they are kept`;
  const percent = (fraction: number): string => `${(fraction * 100).toFixed(1)} %`;
  return {
    isKept: passes,
    reason: `of ${both.length} old problems ${percent(share(after))} are solved, ${percent(share(before))} by its parent: costs ${percent(cost)}, may cost ${percent(mostCost)}${apart}`,
    retained: { problems: both.length, success: share(after), parentSuccess: share(before), mostCost },
    judges: tallyJudges([...was, ...is].map(({ judgedBy = null }) => judgedBy)),
    judgedApart,
  };
}

/** In the order of the ids, each as it was first published; those that the log does not have any more are left out. */
async function publishedProblems(log: EventLog, ids: readonly string[]): Promise<readonly Problem[]> {
  const wanted = new Set(ids);
  const found = new Map<string, Problem>();
  if (wanted.size === 0) return [];
  const options = {
    undecodable: 'skip' as const,
    wants: ({ key }: { readonly key: string | null }) => key !== null && wanted.has(key),
  };
  for await (const { events } of readEvents(log, await storedRanges(log, TOPIC.problems), options))
    for (const { event } of events)
      if (
        event.type === 'ProblemPublished' &&
        wanted.has(event.problem.problemId) &&
        !found.has(event.problem.problemId)
      )
        found.set(event.problem.problemId, event.problem);
  return ids.flatMap((id) => found.get(id) ?? []);
}
