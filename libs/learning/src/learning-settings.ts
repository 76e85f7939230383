/** What a configuration makes of a preset: the settings of curriculum and algorithms, all checked before anything is loaded. */
import { didYouMean, SeamError } from '@seamstream/kernel';
import { algorithms } from './algorithms.js';
import { type CurriculumConfig, curriculumConfigSchema } from './curriculum.decide.js';
import { mergeSettings, presetNamed, type Settings } from './settings.js';

/** In place of an algorithm's name: the curriculum chooses one. */
export const CURRICULUM = 'curriculum';

/** What is configured, under the names of its settings. */
export interface LearningChoice {
  readonly preset: string;
  readonly algorithm: string;
  readonly curriculum: { readonly [K in keyof CurriculumConfig]?: CurriculumConfig[K] | undefined };
  readonly algorithms: Readonly<Record<string, Settings>>;
}

/** What learns, by name, as far as its settings go. */
type Recipes = ReadonlyMap<string, { resolveConfiguration(given: unknown): Settings }>;

export interface LearningSettings {
  readonly curriculum: CurriculumConfig;
  /** By the name of every algorithm, as it resolves them. */
  readonly algorithms: Readonly<Record<string, Settings>>;
}

/**
 * @param recipes of the method that learns, by name
 * @throws INVALID_CONFIGURATION for an unknown preset or algorithm, and for settings that an algorithm refuses; `setting` of its details is at fault
 */
export function learningSettings(choice: LearningChoice, recipes: Recipes = algorithms): LearningSettings {
  const preset = at('preset', () => presetNamed(choice.preset));
  const curriculum = curriculumConfigSchema.parse({ ...preset.curriculum, ...choice.curriculum });
  const settings = Object.fromEntries(
    [...recipes.keys()].map((name) => [
      name,
      mergeSettings(preset.algorithms[name] ?? {}, choice.algorithms[name] ?? {}),
    ]),
  );
  if (choice.algorithm !== CURRICULUM) at('algorithm', () => checkName(choice.algorithm, recipes, [CURRICULUM]));
  // The presets' curricula choose between this library's algorithms.
  if (recipes === algorithms || choice.algorithm === CURRICULUM)
    at('curriculum', () => [curriculum.warmUp, curriculum.refine].map((name) => checkChosen(name, recipes)));
  at('algorithms', () => Object.keys(choice.algorithms).map((name) => checkName(name, recipes)));
  at('algorithms', () => [...recipes].map(([name, each]) => each.resolveConfiguration(settings[name])));
  return { curriculum, algorithms: settings };
}

function checkName(name: string, recipes: Recipes, others: readonly string[] = []): void {
  const known = [...others, ...recipes.keys()];
  if (known.includes(name)) return;
  throw new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot learn by ${name}: expected one of ${known.join(', ')}, got ${name}${didYouMean(name, known)}. Correct its name.`,
  );
}

/** Of a method with other algorithms the curriculum, which is the default, knows none: no name was typed that could be corrected. */
function checkChosen(name: string, recipes: Recipes): void {
  if (recipes === algorithms || recipes.has(name)) {
    checkName(name, recipes);
    return;
  }
  const known = [...recipes.keys()].join(', ');
  throw new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot learn by the curriculum: expected it to choose between algorithms of the method (${known}), got ${name}. Name one of these as the algorithm (SEAM_TRAINER_ALGORITHM), or in the curriculum.`,
  );
}

/** Names the setting at fault. */
function at<T>(setting: keyof LearningChoice, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof SeamError)) throw error;
    throw new SeamError(error.code, error.message, { details: { ...error.details, setting }, cause: error });
  }
}
