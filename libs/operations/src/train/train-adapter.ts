/** One training run now, on what the log or the buffer holds. */
import { SeamError } from '@seamstream/kernel';
import { algorithms, mergeSettings, type Settings } from '@seamstream/learning';
import { TEAM_RECIPES } from '@seamstream/team-tuning';
import { LIBRARY_RECIPES } from '@seamstream/training-runs';
import type { TrainerClient, TrainingOutcome, TrainingStepReport } from './training-client.js';

interface TrainingWorld {
  readonly signal: AbortSignal;
  /** What the configuration says about an algorithm, over the settings of a preset. */
  algorithmSettings(algorithm: string, preset?: string): Promise<Settings>;
  openTrainer(): Promise<TrainerClient>;
}

/** Who asks, next to what is asked for. */
interface SignedRequest extends TrainingRequest {
  readonly by: string;
}

interface TrainingRequest {
  readonly algorithm: string;
  /** Named settings to begin with; the configured ones where absent. */
  readonly preset?: string | undefined;
  /** Over all others. */
  readonly settings: Settings;
}

/** Names of what a run can be asked for by. */
export const trainableBy: readonly string[] = [...algorithms.keys(), ...LIBRARY_RECIPES.keys(), ...TEAM_RECIPES.keys()];

/** What resolves the settings of an algorithm, of whichever method. */
function recipeOf(name: string): { resolveConfiguration(given: unknown): Configuration } | undefined {
  return algorithms.get(name) ?? LIBRARY_RECIPES.get(name) ?? TEAM_RECIPES.get(name);
}

type Configuration = Readonly<Record<string, unknown>>;

/** Every setting of the run that is asked for. @throws INVALID_INPUT for an unknown algorithm; as the algorithm for settings it lacks */
export async function resolveTraining(
  world: TrainingWorld,
  { algorithm: name, preset, settings }: TrainingRequest,
): Promise<Configuration> {
  const algorithm = recipeOf(name);
  if (algorithm === undefined) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot train: expected one of ${[...trainableBy].join(', ')}, got "${name}".`,
    );
  }
  const configured = await world.algorithmSettings(name, preset);
  return algorithm.resolveConfiguration(mergeSettings(configured, settings));
}

/** Everything is recorded as by the trainer's service. @throws as {@link resolveTraining} */
export async function trainAdapter(
  world: TrainingWorld,
  request: SignedRequest,
  onStep: (report: TrainingStepReport) => void,
): Promise<TrainingOutcome> {
  const configuration = await resolveTraining(world, request);
  const trainer = await world.openTrainer();
  return trainer.train(
    { algorithm: request.algorithm, configuration, by: request.by },
    { signal: world.signal, onStep },
  );
}
