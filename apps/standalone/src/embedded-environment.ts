/**
 * The settings of the embedded demonstration as the environment that an operator would write for the same services as
 * separate processes. What the real environment says goes before it.
 */
import type { Environment } from '@seamstream/service-kit';
import { type Demonstration, demonstrationEnvironment, modelFolders, RESPONSE_TOKENS } from './demonstrations.js';

export interface EmbeddedSettings {
  readonly dataFolder: string;
  /** Absent: experiences. */
  readonly method?: Demonstration;
  readonly seed: number;
  /** Problems per round: after as many completed ones buffer and trainer act. */
  readonly roundSize: number;
  /** Algorithm of every run, or `curriculum`. */
  readonly algorithm: string;
  /** File of problems that promotions are decided on; absent: the embedded world's. */
  readonly validation?: string | undefined;
}

/** Where {@link writeWorldFiles} puts what the services read of the embedded world. */
export const worldFiles = (
  dataFolder: string,
): { readonly world: string; readonly entrySchemas: string; readonly validation: string } => ({
  /** Demonstration and seed that the others were made of. */
  world: `${dataFolder}/world/world.json`,
  entrySchemas: `${dataFolder}/world/entry-schemas.json`,
  validation: `${dataFolder}/world/validation.jsonl`,
});

/** Where the shipped models lie, for who has named no others. */
export const SHIPPED_MODEL_FOLDERS: Environment = modelFolders('experiences');

/** Which of the shipped models the environment leaves in place; they know the embedded world's words and no others. */
export function shippedModels(environment: Environment): { readonly generator: boolean; readonly executor: boolean } {
  const { SEAM_GENERATOR_MODEL_FOLDER: generator, SEAM_EXECUTOR_MODEL_FOLDER: executor } = environment;
  return {
    generator: generator === undefined && (environment.SEAM_GENERATOR_DRIVER ?? 'checkpoint') === 'checkpoint',
    executor: executor === undefined && (environment.SEAM_EXECUTOR_DRIVER ?? 'checkpoint') === 'checkpoint',
  };
}

/** Settings of an executor that the trainer has too: it compares adapters before the executor that they are for. */
const SHARED_WITH_TRAINER =
  /^SEAM_EXECUTOR_(ADAPTER_FOLDER|DRIVER|EDIT_FILTERS|ENDPOINT_.+|ENVIRONMENT|FEW_SHOT_.+|INNER_UPDATE_.+|JUDGE_.+|TEMPLATE|TEMPLATES_FOLDER|TOOLS_.+)$/;

const NAMED_OTHERWISE = [
  ['SEAM_GENERATOR_MODEL_FOLDER', 'SEAM_TRAINER_MODEL_FOLDER'],
  ['SEAM_GENERATOR_CHAT_TEMPLATE', 'SEAM_TRAINER_CHAT_TEMPLATE'],
  ['SEAM_GENERATOR_SAMPLING_MAX_TOKENS', 'SEAM_TRAINER_ENTRY_MAX_TOKENS'],
  ['SEAM_EXECUTOR_MODEL_FOLDER', 'SEAM_TRAINER_EXECUTOR_FOLDER'],
  ['SEAM_EXECUTOR_MAX_TOKENS', 'SEAM_TRAINER_RESPONSE_MAX_TOKENS'],
] as const;

/** In one process trainer, generator and executor mean the same models: what is said to the one is said to the other. */
function forTheTrainer(environment: Environment): Environment {
  const shared = Object.entries(environment).flatMap(([name, value]) =>
    SHARED_WITH_TRAINER.test(name) ? [[name.replace('SEAM_', 'SEAM_TRAINER_'), value] as const] : [],
  );
  const named = NAMED_OTHERWISE.flatMap(([from, to]) =>
    environment[from] === undefined ? [] : [[to, environment[from]] as const],
  );
  return Object.fromEntries([...shared, ...named]);
}

/** Variables for generator, executor, buffer and trainer; the given environment wins. */
export function embeddedEnvironment(settings: EmbeddedSettings, environment: Environment): Environment {
  const { method = 'experiences' } = settings;
  const world = worldFiles(settings.dataFolder);
  const ofMethod = demonstrationEnvironment(method);
  const responseTokens = String(RESPONSE_TOKENS[method]);
  return {
    SEAM_LOGGING_LEVEL: 'warn',
    SEAM_ENTRY_SCHEMAS: world.entrySchemas,
    ...modelFolders(method),
    ...ofMethod,
    // What the shipped executor's answers need; other models have the services' own limits.
    ...(shippedModels(environment).executor
      ? { SEAM_EXECUTOR_MAX_TOKENS: responseTokens, SEAM_TRAINER_RESPONSE_MAX_TOKENS: responseTokens }
      : {}),
    SEAM_BUFFER_COMMIT_EVERY_PROBLEMS: String(settings.roundSize),
    // The demonstration's problems have no subject, and no other client publishes.
    SEAM_BUFFER_RULES_UNCAPPED_SUBJECTS: JSON.stringify(['(nobody)']),
    SEAM_TRAINER_TRAIN_EVERY_PROBLEMS: String(settings.roundSize),
    SEAM_TRAINER_ALGORITHM: settings.algorithm,
    // No other process works on this folder: a run whose worker was killed is resumed at once.
    SEAM_TRAINER_LEASE_MS: '0',
    SEAM_TRAINER_SEED: `seamstream/${settings.seed}`,
    SEAM_TRAINER_VALIDATION_PROBLEMS: settings.validation ?? world.validation,
    ...forTheTrainer({ ...ofMethod, ...environment }),
    ...environment,
    SEAM_DATA_FOLDER: settings.dataFolder,
  };
}
