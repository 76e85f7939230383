/** How a team learns: a run is a stage. It reads problems that no run has read, and its job is to roll them out and tune agent by agent. */
import { type GradedProblem, isGraded, isWhole } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import type { JobFacts, LearningMethod, PlannedJob, Recipe } from '@seamstream/training-runs';
import { type TuningSettings, tuningSettings } from './tuning.config.js';

/** Name of the method that the team of a file has. */
export const TEAM_METHOD = 'team';

/** Name of the recipe: the algorithm that plans name. */
export const SEQUENTIAL_TUNING = 'sat-seq';

export interface StageJob {
  readonly kind: 'team-stage';
  readonly settings: TuningSettings;
  /** In the order of their ids. */
  readonly problems: readonly GradedProblem[];
}

const recipe: Recipe = {
  reads: 'problems',
  resolveConfiguration: (given) => ({ ...tuningSettings(given) }),
  replayedRounds: () => ({ least: 1, most: 1 }),
  isFilled: () => true,
};

export class TeamMethod implements LearningMethod<StageJob> {
  readonly recipes = new Map([[SEQUENTIAL_TUNING, recipe]]);

  /** @param slot what its teams are served as */
  constructor(
    readonly name: string,
    readonly slot: string,
  ) {}

  plan({ plan, input }: JobFacts): PlannedJob<StageJob> {
    if (input.reads !== 'problems') throw new SeamError('INTERNAL', 'Cannot plan a stage: expected problems.');
    const problems = input.problems
      .map(({ problem }) => problem)
      .filter((problem): problem is GradedProblem => isWhole(problem) && isGraded(problem));
    return problems.length === 0
      ? {
          status: 'refused',
          reason: 'no published problem has a reference that a verifier could judge by',
          metrics: {},
        }
      : {
          status: 'ready',
          job: { kind: 'team-stage', settings: tuningSettings(plan.configuration.algorithm), problems },
        };
  }
}
