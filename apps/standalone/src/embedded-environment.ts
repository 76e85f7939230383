/**
 * The settings of the embedded demonstration as the environment that an operator would write for the same services as
 * separate processes. What the real environment says goes before it.
 */
import { fileURLToPath } from 'node:url';
import type { Environment } from '@seamstream/service-kit';

const shipped = (name: string): string => fileURLToPath(new URL(`../../../models/${name}`, import.meta.url));

export interface EmbeddedSettings {
  readonly dataFolder: string;
  readonly seed: number;
  /** Problems per round: after as many completed ones buffer and trainer act. */
  readonly roundSize: number;
  /** Algorithm of every run, or `curriculum`. */
  readonly algorithm: string;
}

/** Where {@link writeWorldFiles} puts what the services read of the embedded world. */
export const worldFiles = (dataFolder: string): { readonly entrySchemas: string; readonly validation: string } => ({
  entrySchemas: `${dataFolder}/world/entry-schemas.json`,
  validation: `${dataFolder}/world/validation.jsonl`,
});

/** Variables for generator, executor, buffer and trainer; the given environment wins. */
export function embeddedEnvironment(settings: EmbeddedSettings, environment: Environment): Environment {
  const world = worldFiles(settings.dataFolder);
  return {
    SEAM_LOGGING_LEVEL: 'warn',
    SEAM_ENTRY_SCHEMAS: world.entrySchemas,
    SEAM_GENERATOR_MODEL_FOLDER: shipped('generator-base'),
    SEAM_GENERATOR_GROUP_SIZE: '16',
    SEAM_GENERATOR_SCOUTS: '4',
    SEAM_EXECUTOR_MODEL_FOLDER: shipped('executor'),
    SEAM_EXECUTOR_MAX_TOKENS: '40',
    SEAM_BUFFER_COMMIT_EVERY_PROBLEMS: String(settings.roundSize),
    // The demonstration's own problems have no subject, and nobody else publishes.
    SEAM_BUFFER_RULES_UNCAPPED_SUBJECTS: JSON.stringify(['(nobody)']),
    SEAM_TRAINER_MODEL_FOLDER: shipped('generator-base'),
    SEAM_TRAINER_EXECUTOR_FOLDER: shipped('executor'),
    SEAM_TRAINER_RESPONSE_MAX_TOKENS: '40',
    SEAM_TRAINER_TRAIN_EVERY_PROBLEMS: String(settings.roundSize),
    SEAM_TRAINER_ALGORITHM: settings.algorithm,
    SEAM_TRAINER_SEED: `seamstream/${settings.seed}`,
    SEAM_TRAINER_VALIDATION_PROBLEMS: world.validation,
    ...environment,
    SEAM_DATA_FOLDER: settings.dataFolder,
  };
}
