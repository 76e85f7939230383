/** Whether a worker has what a plan asks for. What it lacks another worker may have: the run is passed over, not failed. */
import { canonicalJson, isSeamError } from '@seamstream/kernel';
import type { LearningMethod, Recipe } from './learning-method.js';
import type { RunPlan } from './run-plan.js';

/** What a worker has for one method. */
interface MethodAbilities extends Pick<LearningMethod, 'slot' | 'recipes'> {
  readonly baseModelDigest: string;
  /** The validation problems, by name and by SHA-256 of all of them. */
  readonly problemSet: { readonly name: string; readonly digest: string };
}

/** By the name of the method. */
export type WorkerAbilities = ReadonlyMap<string, MethodAbilities>;

/** What a plan asks for and the worker has not. */
export interface Lack {
  /** One word for metrics. */
  readonly what: 'method' | 'algorithm' | 'settings' | 'base-model' | 'problem-set';
  readonly asked: string;
  readonly here: string;
}

/** The first thing that the worker lacks for a plan; undefined when it can carry it out. */
export function lackFor(plan: RunPlan, abilities: WorkerAbilities): Lack | undefined {
  const { method, slot, configuration } = plan;
  const able = abilities.get(method);
  if (able?.slot !== slot) {
    const here = [...abilities].map(([name, each]) => `${name} for ${each.slot}`);
    return { what: 'method', asked: `${method} for ${slot}`, here: here.join(', ') };
  }
  const { baseModelDigest, recipes, problemSet } = able;
  const recipe = recipes.get(plan.algorithm);
  if (recipe === undefined) return { what: 'algorithm', asked: plan.algorithm, here: [...recipes.keys()].join(', ') };
  if (plan.baseModelDigest !== baseModelDigest)
    return { what: 'base-model', asked: plan.baseModelDigest, here: baseModelDigest };
  const refused = refusalOf(recipe, configuration.algorithm);
  if (refused !== undefined) return { what: 'settings', asked: canonicalJson(configuration.algorithm), here: refused };
  const asked = configuration.evaluation.problemSet;
  return asked === undefined || asked.digest === problemSet.digest
    ? undefined
    : {
        what: 'problem-set',
        asked: `${asked.name} (${asked.digest})`,
        here: `${problemSet.name} (${problemSet.digest})`,
      };
}

/** Why this version of the algorithm does not take settings that another version wrote. */
function refusalOf(recipe: Recipe, settings: Readonly<Record<string, unknown>>): string | undefined {
  try {
    recipe.resolveConfiguration(settings);
    return undefined;
  } catch (error) {
    if (isSeamError(error, 'INVALID_CONFIGURATION')) return error.message;
    throw error;
  }
}
