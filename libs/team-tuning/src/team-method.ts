/** How a team learns: a run is a stage, or a swap before it. It reads problems that no run has read, and its job rolls them out. */
import { type GradedProblem, isGraded, isWhole } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import type { JobFacts, LearningMethod, PlannedJob, Recipe } from '@seamstream/training-runs';
import { type SwapSettings, swapSettings } from './swap/swap.config.js';
import { type TuningSettings, tuningSettings } from './tuning.config.js';

/** Name of the method that the team of a file has. */
export const TEAM_METHOD = 'team';

/** Name of the recipe: the algorithm that plans name. */
export const SEQUENTIAL_TUNING = 'sat-seq';

/** Name of the recipe by which another model takes an agent's place. */
export const AGENT_SWAP = 'swap-agent';

/** In the order of their ids. */
type Problems = readonly GradedProblem[];

export interface StageJob {
  readonly kind: 'team';
  readonly work: 'stage';
  readonly settings: TuningSettings;
  readonly problems: Problems;
}

export interface SwapJob {
  readonly kind: 'team';
  readonly work: 'swap';
  readonly settings: SwapSettings;
  /** What the agents are asked to be compared by. */
  readonly problems: Problems;
}

export type TeamJob = StageJob | SwapJob;

/** Settings of the recipes, by their names. */
export const teamSettings = { [SEQUENTIAL_TUNING]: tuningSettings, [AGENT_SWAP]: swapSettings };

const recipeOf = (settingsOf: (given: unknown) => object): Recipe => ({
  reads: 'problems',
  resolveConfiguration: (given) => ({ ...settingsOf(given) }),
  replayedRounds: () => ({ least: 1, most: 1 }),
  isFilled: () => true,
});

export class TeamMethod implements LearningMethod<TeamJob> {
  readonly recipes = new Map(Object.entries(teamSettings).map(([name, settings]) => [name, recipeOf(settings)]));

  /** @param slot what its teams are served as */
  constructor(
    readonly name: string,
    readonly slot: string,
  ) {}

  plan({ plan, input }: JobFacts): PlannedJob<TeamJob> {
    if (input.reads !== 'problems') throw new SeamError('INTERNAL', 'Cannot plan a stage: expected problems.');
    const problems = input.problems
      .map(({ problem }) => problem)
      .filter((problem): problem is GradedProblem => isWhole(problem) && isGraded(problem));
    if (problems.length === 0)
      return {
        ...{ status: 'refused', metrics: {} },
        reason: 'no published problem has a reference that a verifier could judge by',
      };
    const { algorithm: given } = plan.configuration;
    const job: TeamJob =
      plan.algorithm === AGENT_SWAP
        ? { kind: 'team', work: 'swap', settings: swapSettings(given), problems }
        : { kind: 'team', work: 'stage', settings: tuningSettings(given), problems };
    return { status: 'ready', job };
  }
}
