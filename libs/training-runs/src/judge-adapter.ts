/** Measures a run's adapter against its parent and decides whether it is to be served. */
import type { EventLog } from '@seamstream/event-log';
import type { AdapterPublished, Evaluation, JudgeTally } from '@seamstream/events';
import { onOneLine, SeamError } from '@seamstream/kernel';
import { decidePromotion } from '@seamstream/release';
import { addedTallies, areOfOneJudge } from '@seamstream/rollout';
import type { Artefact } from './artefact.js';
import { compareAdapters, measureWhole } from './compare-adapters.js';
import type { JobRunner } from './job-runner.js';
import { keepsOldProblems } from './keep-old-problems.js';
import type { RunPlan } from './run-plan.js';
import type { TrainingHistory } from './training-history.js';

export interface Judgement {
  readonly promote: boolean;
  readonly rule: string;
  /** In words for an operator. */
  readonly reason: string;
  readonly evaluation: Evaluation;
}

/**
 * @param onProgress problems asked, of how many at most
 * @throws ABORTED when the signal aborts between two of them
 */
export async function judgeAdapter(
  plan: RunPlan,
  published: AdapterPublished,
  history: TrainingHistory,
  {
    log,
    runner,
    signal,
    onProgress,
  }: {
    readonly log: EventLog;
    readonly runner: JobRunner;
    readonly signal: AbortSignal;
    readonly onProgress: (done: number, total: number) => void;
  },
): Promise<Judgement> {
  const { domains, promotion, retention } = plan.configuration;
  const candidate = await runner.load(published);
  const parent = (): Promise<Artefact | null> => parentOf(plan, history.published, runner);
  const comparison = {
    evaluator: await runner.evaluation.under(plan.configuration.evaluation),
    domains,
    onProgress: (done: number, total: number): void => {
      if (signal.aborted)
        throw new SeamError(
          'ABORTED',
          `Cannot finish the evaluation of adapter ${candidate.digest}: it was stopped. It is evaluated later.`,
        );
      onProgress(done, total);
    },
  };
  const evaluation =
    promotion.rule === 'better'
      ? await compareAdapters({ candidate, parent: await parent() }, promotion, comparison)
      : await evaluationOfWhole(candidate, plan, { history, comparison, parent });
  const decision = decidePromotion({
    candidate: candidate.digest,
    parent: plan.parentAdapter,
    evaluation,
    available: Object.values(comparison.evaluator.sizes(domains)).reduce((all, each) => all + each, 0),
    policy: promotion.rule === 'better' ? promotion : { ...promotion, rule: 'tolerance' },
  });
  if (retention === undefined || !decision.promote) return { ...decision, evaluation };
  const kept = await keepsOldProblems({ candidate, parent: await parent() }, retention, { ...comparison, log });
  const judged = {
    rule: `${decision.rule}, and keeps old problems`,
    evaluation: {
      ...evaluation,
      retained: kept.retained,
      judges: addedTallies(evaluation.judges ?? [], kept.judges),
      judgedApart: (evaluation.judgedApart ?? 0) + kept.judgedApart,
    },
  };
  return { ...judged, promote: kept.isKept, reason: `${decision.reason}; ${kept.reason}` };
}

/**
 * The parent's success as it was recorded at its promotion, where that was on the same problems and no other model judged them; else
 * measured now. Pairs that different revisions judged cannot be left out: equal answers have one verdict, so these are the ones that differ.
 * @throws VERIFIER_FAILED where different revisions judged the two measurements of now as well
 */
async function evaluationOfWhole(
  candidate: Artefact,
  { parentAdapter }: RunPlan,
  facts: {
    readonly history: TrainingHistory;
    readonly comparison: Parameters<typeof measureWhole>[1];
    readonly parent: () => Promise<Artefact | null>;
  },
): Promise<Evaluation> {
  const { history, comparison, parent } = facts;
  const measured = await measureWhole(candidate, comparison);
  const recorded = parentAdapter === null ? undefined : history.promoted.get(parentAdapter)?.evaluation;
  const isComparable =
    recorded?.problemSetDigest === measured.problemSetDigest && areOfOneJudge(recorded.judges ?? [], measured.judges);
  const known = isComparable ? { success: recorded.success, judges: [] } : undefined;
  const others = measured.problems === 0 ? null : (known ?? (await measureWhole(await parent(), comparison)));
  if (others !== null && !areOfOneJudge(measured.judges, others.judges)) {
    throw new SeamError(
      'VERIFIER_FAILED',
      `Cannot compare adapter ${candidate.digest} with its parent: expected one model in one revision to judge both, got ${namesOf(measured.judges, others.judges)}. Both are measured again.`,
    );
  }
  return {
    ...measured,
    judges: addedTallies(measured.judges, others?.judges ?? []),
    parentSuccess: others?.success ?? null,
    parentPerDomain: {},
    rescued: null,
    broken: null,
    asked: {},
    repeated: 0,
  };
}

function namesOf(...judges: readonly (readonly JudgeTally[])[]): string {
  return addedTallies(...judges)
    .map(({ model, revision }) => onOneLine(`${model} (${revision ?? 'no revision'})`))
    .join(', ');
}

/** What a run begins with; null is the bare base model. @throws NOT_FOUND where it was never published */
export async function parentOf(
  { parentAdapter, runId }: RunPlan,
  published: TrainingHistory['published'],
  runner: JobRunner,
): Promise<Artefact | null> {
  if (parentAdapter === null) return null;
  const event = published.get(parentAdapter);
  if (event === undefined) {
    throw new SeamError(
      'NOT_FOUND',
      `Cannot find the parent of training run ${runId}: expected adapter ${parentAdapter} in this log, got no record of it. Copy the log as a whole.`,
    );
  }
  return runner.load(event);
}
