/**
 * Attempts together with what rewards compare them with: the same questions, asked of the frozen model once a problem. Without a configured
 * reward they are the environment's, and the verdict is the reward.
 */
import {
  type Attempt,
  type AttemptOptions,
  type AttemptRequest,
  type Environment,
  type ExecutorResponse,
  statementOf,
} from '@seamstream/environments';
import { isGraded, type Problem, type RewardMeasurement } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import {
  type ConfiguredReward,
  examinationOf,
  isSameJudge,
  type Judgement,
  judgeAll,
  type Measurement,
  measurementOf,
} from '@seamstream/rollout';
import type { Verifiers } from '@seamstream/verifiers';

/** Problems whose frozen attempts are kept: a group's candidates are seldom further apart. */
const KEPT_BASELINES = 1024;
const BASELINE_SEED = 'baseline';

export interface TriedEntry {
  readonly problem: Problem;
  /** Null: the frozen model alone. */
  readonly entry: string | null;
  readonly seed: string;
}

export class RewardedAttempts {
  /** Of the frozen model, by problem. */
  private readonly baselines = new Map<string, Attempt>();

  constructor(
    private readonly environment: Environment,
    private readonly verifiers: Verifiers,
    /** Undefined: the verifier's reward stands. */
    private readonly reward: ConfiguredReward | undefined,
  ) {}

  /** As the environment's; an attempt whose frozen counterpart failed has failed with it. */
  async attempt(tried: readonly TriedEntry[], options: AttemptOptions): Promise<readonly Attempt[]> {
    const missing = this.missingBaselines(tried);
    const requests = [...tried, ...missing.map((problem) => ({ problem, entry: null, seed: BASELINE_SEED }))];
    const attempts = await this.environment.attempt(
      requests.map((request) => this.requestOf(request)),
      options,
    );
    missing.forEach(({ problemId }, index) => {
      this.baselines.set(problemId, attempts[tried.length + index]!);
    });
    return tried.map(({ problem: { problemId } }, index) => {
      const failure = this.baselines.get(problemId)?.filter(({ status }) => status === 'failed') ?? [];
      // What failed is asked again with the next attempt.
      if (failure.length > 0) this.baselines.delete(problemId);
      return failure.length > 0 ? failure : attempts[index]!;
    });
  }

  /**
   * What an attempt earns by the configured reward; null where the verifier's stands.
   * @throws as `judge`, and as {@link ConfiguredReward.measure}
   */
  async measure(
    { problem, entry }: Omit<TriedEntry, 'seed'>,
    responses: readonly ExecutorResponse[],
    { answer, judgement }: { readonly answer: ExecutorResponse; readonly judgement: Judgement },
    signal?: AbortSignal,
  ): Promise<RewardMeasurement | null> {
    if (this.reward === undefined) return null;
    const { problemId, domain } = problem;
    const before = await this.baselineOf(problem, judgement);
    const after = measurementOf(responses, judgement.reward);
    return this.reward.measure({ before, after }, { problemId, domain, entry, response: answer.text }, signal);
  }

  private requestOf({ problem, entry, seed }: TriedEntry): AttemptRequest {
    const isExamined = this.reward?.needs.likelihoods === true && isGraded(problem);
    const examination = isExamined ? examinationOf(problem) : undefined;
    return { problem: statementOf(problem), entry, seeds: [seed], ...(isExamined ? { examination } : {}) };
  }

  /** Problems of which nothing is known yet, each once; old ones make room before, so that none of this call's is gone. */
  private missingBaselines(tried: readonly TriedEntry[]): readonly Problem[] {
    if (this.reward?.needs.baseline !== true) return [];
    const asked = new Map(
      tried.filter(({ problem }) => isGraded(problem)).map(({ problem }) => [problem.problemId, problem]),
    );
    for (const problemId of this.baselines.keys()) {
      if (this.baselines.size + asked.size <= KEPT_BASELINES) break;
      if (!asked.has(problemId)) this.baselines.delete(problemId);
    }
    return [...asked.values()].filter(({ problemId }) => !this.baselines.has(problemId));
  }

  /** @throws VERIFIER_FAILED where another revision of a model judged it than what is compared with it; it is remembered, and asked again */
  private async baselineOf(problem: Problem, { judgedBy }: Judgement): Promise<Measurement | null> {
    if (this.reward?.needs.baseline !== true) return null;
    const frozen = this.baselines.get(problem.problemId)?.filter((answer) => answer.status === 'answered');
    if (frozen === undefined)
      throw new SeamError('INTERNAL', `Cannot reward problem ${problem.problemId}: its frozen attempt is gone.`);
    const { judgement } = await judgeAll(problem, frozen, this.verifiers);
    if (!isSameJudge(judgement.judgedBy ?? null, judgedBy ?? null))
      throw new SeamError(
        'VERIFIER_FAILED',
        `Cannot reward problem ${problem.problemId}: expected one revision of the model that judges, before and after, got several.`,
      );
    return measurementOf(frozen, judgement.reward);
  }
}
