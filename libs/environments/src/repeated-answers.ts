/**
 * Several answers to one entry: the mean of their verdicts is a finer reward than one verdict, and gives variance to
 * groups that one greedy answer would judge alike (SEAM's `m`; in a reproduction 62 % of groups were without variance at
 * m = 1, on hard problems).
 */
import type { ExecutorIdentity, Problem } from '@seamstream/events';
import { canonicalJson, SeamError } from '@seamstream/kernel';
import { type Attempt, type AttemptOptions, type AttemptRequest, Environment } from './environment.port.js';
import type { SamplingParams } from './executor-model.port.js';

export interface RolloutSettings extends SamplingParams {
  /** m: answers to each entry, 2 or more; one answer is greedy and needs no settings. */
  readonly rollouts: number;
}

/**
 * The environment whose every attempt has m answers, drawn by the seeds of the request. Its identity says so. At temperature 0 each answer is
 * the greedy one after another training.
 * @throws INVALID_CONFIGURATION where the environment cannot draw
 */
export function repeatedAnswers(environment: Environment, settings: RolloutSettings): Environment {
  const { rollouts, temperature, topP } = settings;
  if (temperature === 0 && !environment.trains)
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot answer every entry ${rollouts} times at temperature 0: expected an environment that trains on each entry with several seeds, got ${environment.identity.template}, whose answers would be equal. Use one rollout, or a temperature above 0.`,
    );
  const drawn = temperature === 0 ? environment : environment.drawn({ temperature, topP });
  if (drawn === null) {
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot answer every entry ${rollouts} times: expected an executor that can draw answers at a temperature, got ${environment.identity.model}, which answers greedily. Use one rollout.`,
    );
  }
  return new RepeatedAnswers(environment, drawn, settings);
}

class RepeatedAnswers extends Environment {
  override readonly examines: boolean;

  constructor(
    private readonly greedy: Environment,
    private readonly drawing: Environment,
    private readonly settings: RolloutSettings,
  ) {
    super();
    this.examines = greedy.examines;
  }

  override get identity(): ExecutorIdentity {
    const { rollouts, temperature, topP } = this.settings;
    const { identity } = this.greedy;
    const decoding = canonicalJson({ answer: identity.decoding, rollouts, temperature, topP });
    return { ...identity, decoding };
  }

  override attempt(requests: readonly AttemptRequest[], options?: AttemptOptions): Promise<readonly Attempt[]> {
    const { rollouts } = this.settings;
    const repeated = requests.map((request) => ({
      ...request,
      seeds: request.seeds.flatMap((seed) => Array.from({ length: rollouts }, (_, n) => `${seed}/rollout/${n}`)),
    }));
    return this.drawing.attempt(repeated, options);
  }

  override drawn(drawing: SamplingParams): Environment | null {
    return this.greedy.drawn(drawing);
  }

  override givesAnswerAway(entry: string, problem: Problem): boolean {
    return this.greedy.givesAnswerAway(entry, problem);
  }
}
