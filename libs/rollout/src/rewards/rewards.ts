/** From measurements of an attempt to its reward, by the way that the configuration names. */
import type { Environment, Examination, ExecutorResponse } from '@seamstream/environments';
import type { Problem, RewardMeasurement } from '@seamstream/events';
import { canonicalJson, SeamError, sha256 } from '@seamstream/kernel';
import { goldAnswers } from '@seamstream/tasks';
import type { VerifierEndpoint } from '@seamstream/verifiers';
import { accuracy } from './accuracy.reward.js';
import { accuracyGain } from './accuracy-gain.reward.js';
import { httpReward } from './http.reward.js';
import { perplexity } from './perplexity.reward.js';
import type { RewardChoice } from './reward.config.js';
import type { Measurement, Reward, RewardedAttempt, RewardNeeds, Threshold } from './reward.types.js';
import { validationLoss } from './validation-loss.reward.js';

/** The name of the figure that {@link examinationOf} asks for. */
const LOSS = 'goldLoss';

export interface AttemptMeasurements {
  readonly before: Measurement | null;
  /** Null: the experience could not act, by its own fault. */
  readonly after: Measurement | null;
}

/** A reward with its threshold and form. */
export class ConfiguredReward {
  constructor(
    private readonly reward: Reward,
    private readonly threshold: Threshold,
    private readonly form: RewardChoice['form'],
  ) {}

  get needs(): RewardNeeds {
    return this.reward.needs(this.threshold);
  }

  /**
   * What an attempt earns. An experience that could not act earns 0; what could not be measured is an error.
   * @throws VERIFIER_FAILED (retryable) for figures that are no numbers, and where an endpoint fails; ABORTED
   */
  async measure(
    { before, after }: AttemptMeasurements,
    attempt: RewardedAttempt,
    signal?: AbortSignal,
  ): Promise<RewardMeasurement> {
    const { reward, threshold, form } = this;
    const common = {
      ...{ reward: `${reward.kind}@${reward.version}`, form },
      ...{ accuracyBefore: before?.accuracy ?? null, lossBefore: before?.loss ?? null },
    };
    if (after === null)
      return { ...common, threshold: null, value: null, earned: 0, accuracyAfter: null, lossAfter: null };
    for (const measurement of [before, after]) if (measurement !== null) this.check(measurement);
    const valuation = await reward.valuation({ before, after }, threshold, attempt, signal);
    const { value, passes, worth } = valuation;
    if (!Number.isFinite(value) || !Number.isFinite(worth)) throw unmeasured(`a value of ${value}`);
    return {
      ...common,
      ...{ threshold: valuation.threshold, value },
      earned: passes ? (form === 'binary' ? 1 : worth) : 0,
      ...{ accuracyAfter: after.accuracy, lossAfter: after.loss },
    };
  }

  private check({ accuracy: share, loss }: Measurement): void {
    if (!(share >= 0 && share <= 1)) throw unmeasured(`an accuracy of ${share}`);
    if (this.needs.likelihoods && (loss === null || !(loss >= 0 && Number.isFinite(loss))))
      throw unmeasured(`a loss of ${String(loss)}`);
  }
}

/**
 * Undefined for `verdict`: the verifier's reward stands.
 * @throws INVALID_CONFIGURATION for a reward that the environment cannot measure, or an endpoint without an address
 */
export function configuredReward(
  { kind, form, threshold }: RewardChoice,
  {
    environment,
    endpoint,
  }: { readonly environment: Pick<Environment, 'examines'>; readonly endpoint?: VerifierEndpoint | undefined },
): ConfiguredReward | undefined {
  if (kind === 'verdict') return undefined;
  const reward = kind === 'http' ? httpReward(endpoint) : REWARDS[kind];
  if (kind === 'http' && endpoint === undefined)
    throw refused('the address of an endpoint for reward http, got none', 'Set SEAM_EXECUTOR_REWARD_ENDPOINT_URL');
  const limit = threshold ?? reward.defaultThreshold;
  if (limit !== 'auto' && (kind === 'validation-loss' || kind === 'perplexity') && limit <= 0)
    throw refused(`a threshold above 0 for reward ${kind}, got ${limit}`, 'Set SEAM_EXECUTOR_REWARD_THRESHOLD');
  const configured = new ConfiguredReward(reward, limit, form);
  if (configured.needs.likelihoods && !environment.examines)
    throw refused(
      `an environment that measures probabilities for reward ${kind}, got one that does not`,
      'Set SEAM_EXECUTOR_ENVIRONMENT to inner-lora-update, with a checkpoint as the executor',
    );
  return configured;
}

const REWARDS: Readonly<Record<Exclude<RewardChoice['kind'], 'verdict' | 'http'>, Reward>> = {
  accuracy,
  perplexity,
  'accuracy-gain': accuracyGain,
  'validation-loss': validationLoss,
};

/**
 * Measures how likely a model finds the gold answers of a problem, token by token.
 * @throws INVALID_INPUT for a problem whose reference has none
 */
export function examinationOf({ problemId, reference }: Pick<Problem, 'problemId' | 'reference'>): Examination {
  const golds = goldAnswers(reference);
  if (golds === undefined)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot measure the loss of problem ${problemId}: expected a passage with a gold answer of each question, got another reference. Publish it as {"passage", "questions"}.`,
    );
  return {
    id: sha256(canonicalJson([LOSS, [...golds]])),
    async figures(score) {
      const scores = await score(golds);
      const total = (of: (each: (typeof scores)[number]) => number): number =>
        scores.reduce((sum, each) => sum + of(each), 0);
      return { [LOSS]: -total(({ logLikelihood }) => logLikelihood) / total(({ tokens }) => tokens) };
    },
  };
}

/**
 * What the answers to one entry measured; of several the mean. Null where the experience could not act.
 * @param share of the questions that they have right
 */
export function measurementOf(responses: readonly ExecutorResponse[], share: number): Measurement | null {
  const acted = responses.filter(({ refused: reason }) => reason === undefined);
  if (acted.length === 0) return null;
  const losses = acted.map(({ figures }) => figures?.[LOSS]).filter((loss) => loss !== undefined);
  const loss = losses.length === 0 ? null : losses.reduce((sum, each) => sum + each, 0) / losses.length;
  return { accuracy: share, loss };
}

function refused(expected: string, remedy: string): SeamError {
  return new SeamError('INVALID_CONFIGURATION', `Cannot compute rewards: expected ${expected}. ${remedy}.`);
}

/** A training that left no numbers says nothing of the edit. */
function unmeasured(got: string): SeamError {
  return new SeamError('VERIFIER_FAILED', `Cannot compute a reward: expected finite figures, got ${got}.`);
}
