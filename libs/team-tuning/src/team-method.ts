/**
 * How a team learns: a run is a stage, or before it a swap or a warm-up. The first two read problems that no run has read, and roll them
 * out; a warm-up reads preference pairs.
 */
import { type GradedProblem, isGraded, isWhole, type TeamPreferencePublished } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import type { JobFacts, LearningMethod, PlannedJob, Recipe, RunPlan } from '@seamstream/training-runs';
import { type SwapSettings, swapSettings } from './swap/swap.config.js';
import { notAligned } from './team-artefact.js';
import { ofNewStage, type TuningSettings, tuningSettings } from './tuning.config.js';
import { type WarmUpSettings, warmUpSettings } from './warm-up/warm-up.config.js';

/** Name of the method that the team of a file has. */
export const TEAM_METHOD = 'team';

/** Name of the recipe: the algorithm that plans name. */
export const SEQUENTIAL_TUNING = 'sat-seq';

/** Name of the recipe by which another model takes an agent's place. */
export const AGENT_SWAP = 'swap-agent';

/** Name of the recipe by which an agent learns preferred answers. */
export const AGENT_WARM_UP = 'warm-up';

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

export interface WarmUpJob {
  readonly kind: 'team';
  readonly work: 'warm-up';
  readonly settings: WarmUpSettings;
  /** In the order of their file. */
  readonly pairs: readonly TeamPreferencePublished[];
}

export type TeamJob = StageJob | SwapJob | WarmUpJob;

/** Reads what the plan of a run says, by the names of the recipes. New runs are planned by {@link TEAM_RECIPES}. */
export const teamSettings = {
  [SEQUENTIAL_TUNING]: tuningSettings,
  [AGENT_SWAP]: swapSettings,
  [AGENT_WARM_UP]: warmUpSettings,
};

const recipeOf = (name: string, settingsOf: (given: unknown) => object): Recipe => ({
  reads: name === AGENT_WARM_UP ? 'preferences' : 'problems',
  resolveConfiguration: (given) => ({ ...settingsOf(name === SEQUENTIAL_TUNING ? ofNewStage(given) : given) }),
  replayedRounds: () => ({ least: 1, most: 1 }),
  hasEnoughSignal: () => true,
});

/** By their names. */
export const TEAM_RECIPES: ReadonlyMap<string, Recipe> = new Map(
  Object.entries(teamSettings).map(([name, settings]) => [name, recipeOf(name, settings)]),
);

export class TeamMethod implements LearningMethod<TeamJob> {
  readonly recipes = TEAM_RECIPES;

  /**
   * @param slot what its teams are served as
   * @param joining the first agent that the file gives another base model than it had, if there is one
   */
  constructor(
    readonly name: string,
    readonly slot: string,
    private readonly joining: string | null = null,
  ) {}

  /** @throws ADAPTER_INVALID where the first run of a team would leave out the swap that its file announces */
  assertPlannable({ algorithm, parentAdapter }: Pick<RunPlan, 'algorithm' | 'parentAdapter'>): void {
    if (this.joining !== null && parentAdapter === null && algorithm !== AGENT_SWAP) throw notAligned(this.joining);
  }

  plan({ plan, input }: JobFacts): PlannedJob<TeamJob> {
    const { algorithm: given } = plan.configuration;
    if (input.reads === 'preferences') {
      const job: TeamJob = { kind: 'team', work: 'warm-up', settings: warmUpSettings(given), pairs: input.pairs };
      return { status: 'ready', job };
    }
    if (input.reads !== 'problems') throw new SeamError('INTERNAL', 'Cannot plan a stage: expected problems.');
    const problems = input.problems
      .map(({ problem }) => problem)
      .filter((problem): problem is GradedProblem => isWhole(problem) && isGraded(problem));
    if (problems.length === 0)
      return {
        ...{ status: 'refused', metrics: {} },
        reason: 'no published problem has a reference that a verifier could judge by',
      };
    const job: TeamJob =
      plan.algorithm === AGENT_SWAP
        ? { kind: 'team', work: 'swap', settings: swapSettings(given), problems }
        : { kind: 'team', work: 'stage', settings: tuningSettings(given), problems };
    return { status: 'ready', job };
  }
}
