/** What an iteration came to, in figures: of the attempts of its writer, and of the writer that was made of them. */
import type { EventOf } from '@seamstream/events';
import { definiteResults } from '@seamstream/experience-groups';
import { compareText } from '@seamstream/kernel';
import { controlRewards, gainsOf } from '@seamstream/learning';
import { histogramOf, mean } from '@seamstream/statistics';
import { goldAnswers } from '@seamstream/tasks';
import type { RecordedRun } from '../read-models/recorded-runs.js';
import { isBetter, runsByIteration, type SelfTraining, settledIn } from './self-training.decide.js';

export interface IterationFigures {
  readonly index: number;
  /** The adapter that wrote; null: the bare base model. Of several the one with the most attempts. */
  readonly writer: string | null;
  readonly problems: number;
  readonly settled: number;
  /** Attempts with a verdict, by that writer and by others: those of others do not count. */
  readonly attempts: number;
  readonly byOthers: number;
  /** Attempts that the machine failed at. They have no reward. */
  readonly failed: number;
  /** Of the writer's attempts; null where there are none. */
  readonly reward: {
    readonly mean: number;
    readonly std: number;
    /** Ten bins: from 0 to below 0.1 first, from 0.9 on last. */
    readonly histogram: readonly number[];
  } | null;
  /** Mean reward without an entry, over the iteration's problems; null where none was tried so. */
  readonly control: number | null;
  /** Share of the writer's attempts with a gain, over the control arm or else over the mean of their group; null where there are none. */
  readonly gaining: number | null;
  /** Of the writer's attempts: edits that could not act, by reason, the most frequent first. They count as attempts that earned nothing. */
  readonly refused: readonly { readonly reason: string; readonly count: number }[];
  /** What people said of the attempts that were trained on, as the training counted it; null where it does not join the reward. */
  readonly feedback: {
    /** Attempts that people spoke of, and how many people did. */
    readonly attempts: number;
    readonly people: number;
    /** Mean reward with feedback; without it is `reward.mean`. */
    readonly reward: number | null;
    /** Groups of which something else was kept than without feedback. */
    readonly decided: number;
  } | null;
  /** Share of the writer's attempts with a reward above 0; null where there are none. */
  readonly success: number | null;
  /** Mean share of the questions that are right, of the frozen model and after the attempts; null where no reward measures it. */
  readonly measured: { readonly before: number | null; readonly after: number | null } | null;
  /** Mean number of questions of a passage; null where problems have no list of references. */
  readonly questions: number | null;
  readonly run: {
    readonly runId: string;
    readonly status: 'promoted' | 'not better' | 'failed' | 'cancelled' | 'running';
    readonly adapter: string | null;
    readonly reason: string | null;
    /** Milliseconds since the Unix epoch; null while it continues. */
    readonly endedAt: number | null;
  } | null;
  /** Success on the validation problems of the writer that explored, and of the one that was made; null where not measured. */
  readonly before: number | null;
  readonly after: number | null;
}

/** Of every iteration that explores or has explored, in order. */
export function iterationFigures(state: SelfTraining, runs: readonly RecordedRun[]): readonly IterationFigures[] {
  const own = runsByIteration(state.selfTrainingId, runs);
  return [...state.iterations]
    .sort(([a], [b]) => a - b)
    .map(([index, explored]): IterationFigures => {
      // By id: to the last bit, sums must not follow from how partitions were read.
      const results = [...definiteResults(explored.results).values()].sort((a, b) =>
        compareText(a.meta.messageId, b.meta.messageId),
      );
      const judged = results.filter((result) => result.type === 'OutcomeRecorded');
      const written = judged.filter(({ arm }) => arm === 'explore');
      const writer = mostFrequent(written.map(({ adapterDigest }) => adapterDigest));
      const attempts = written.filter(({ adapterDigest }) => adapterDigest === writer);
      const controls = judged.filter(({ arm }) => arm === 'control').map(({ reward }) => reward);
      const run = own.get(index);
      return {
        ...{ index, writer, problems: explored.problems.size, settled: settledIn(explored) },
        ...{ attempts: attempts.length, byOthers: written.length - attempts.length },
        failed: results.filter(({ type }) => type === 'ExecutionFailed').length,
        reward: rewardsOf(attempts.map(({ reward }) => reward)),
        control: meanOrNull(controls),
        gaining: gainingShare(attempts, controlRewards(results)),
        refused: refusedIn(attempts),
        feedback: feedbackIn(run),
        success: meanOrNull(attempts.map(({ reward }) => Number(reward > 0))),
        measured: measuredIn(attempts),
        questions: questionsIn(judged),
        run:
          run === undefined
            ? null
            : {
                runId: run.runId,
                status: standingOf(run),
                adapter: run.adapterDigest,
                reason: run.reason,
                endedAt: run.endedAt,
              },
        before: run?.evaluation?.parentSuccess ?? null,
        after: run?.evaluation?.success ?? null,
      };
    });
}

type Outcome = EventOf<'OutcomeRecorded'>;

function rewardsOf(rewards: readonly number[]): IterationFigures['reward'] {
  if (rewards.length === 0) return null;
  const middle = mean(rewards);
  const std = Math.sqrt(mean(rewards.map((reward) => (reward - middle) ** 2)));
  return { mean: middle, std, histogram: histogramOf(rewards) };
}

/** Ascending by reason among equals: what is shown must not follow from the order of records. */
function refusedIn(attempts: readonly Outcome[]): IterationFigures['refused'] {
  const reasons = attempts.flatMap(({ editRefusal }) => editRefusal?.reason ?? []);
  return [...Map.groupBy(reasons, (reason) => reason)]
    .map(([reason, each]) => ({ reason, count: each.length }))
    .sort((a, b) => b.count - a.count || compareText(a.reason, b.reason));
}

function feedbackIn(run: RecordedRun | undefined): IterationFigures['feedback'] {
  const { feedbackAttempts, feedbackPeople = 0, feedbackReward = null, feedbackDecided = 0 } = run?.metrics ?? {};
  return feedbackAttempts === undefined
    ? null
    : { attempts: feedbackAttempts, people: feedbackPeople, reward: feedbackReward, decided: feedbackDecided };
}

function measuredIn(attempts: readonly Outcome[]): IterationFigures['measured'] {
  const measurements = attempts.map(({ measurement }) => measurement).filter((each) => each !== null);
  const average = (of: (each: (typeof measurements)[number]) => number | null): number | null =>
    meanOrNull(measurements.map(of).filter((value) => value !== null));
  if (measurements.length === 0) return null;
  return {
    before: average(({ accuracyBefore }) => accuracyBefore),
    after: average(({ accuracyAfter }) => accuracyAfter),
  };
}

function questionsIn(outcomes: readonly Outcome[]): number | null {
  const byProblem = new Map(outcomes.map(({ problem }) => [problem.problemId, problem.reference]));
  const counts = [...byProblem.values()].map((reference) => goldAnswers(reference)?.length);
  return meanOrNull(counts.filter((count) => count !== undefined));
}

function meanOrNull(values: readonly number[]): number | null {
  return values.length === 0 ? null : mean(values);
}

function gainingShare(attempts: readonly Outcome[], controls: ReadonlyMap<string, number>): number | null {
  const gains = [...Map.groupBy(attempts, ({ groupId }) => groupId).values()].flatMap((group) =>
    gainsOf(
      group.map(({ reward }) => reward),
      controls.get(group[0]!.problem.domain),
    ),
  );
  return meanOrNull(gains.map((gain) => Number(gain > 0)));
}

function mostFrequent(digests: readonly (string | null)[]): string | null {
  const [most] = [...Map.groupBy(digests, (digest) => digest)].sort(([, a], [, b]) => b.length - a.length);
  return most?.[0] ?? null;
}

function standingOf(run: RecordedRun): NonNullable<IterationFigures['run']>['status'] {
  if (isBetter(run)) return 'promoted';
  if (run.status === 'failed' || run.status === 'cancelled') return run.status;
  return run.status === 'rejected' || run.decision === 'rejected' ? 'not better' : 'running';
}
