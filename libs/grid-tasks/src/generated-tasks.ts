/** Tasks whose transformation is known, for use without a download: a family is a rule with parameters, and inputs that show it. */
import { Random, SeamError } from '@seamstream/kernel';
import { DEFAULT_MAX_SIDE, FAMILIES, type FamilyName, type Parameters } from './families.js';
import { type Grid, isSameGrid, printGrid } from './grid.js';
import type { GridPair } from './grid-task.js';

export const FAMILY_NAMES = Object.keys(FAMILIES) as readonly FamilyName[];

export interface GeneratedTask {
  readonly family: FamilyName;
  /** What the rule of the family was used with. */
  readonly parameters: Parameters;
  readonly train: readonly GridPair[];
  readonly test: readonly GridPair[];
}

export interface GeneratedTaskSettings {
  readonly seed: string;
  readonly numTrain?: number;
  readonly numTest?: number;
  /** Longest side of an input, 3 … 8. */
  readonly maxSide?: number;
}

/** Inputs that are drawn before a family is given up. Each family gives a usable one in a few draws. */
const MAX_DRAWS = 1000;

/** The output of a family's rule. */
export function ruleOf(family: FamilyName, parameters: Parameters, input: Grid): Grid {
  return FAMILIES[family].rule(input, parameters);
}

/** A task of a family: all inputs are different, and every output differs from its input. The same seed gives the same task. */
export function generateTask(
  family: FamilyName,
  { seed, numTrain = 3, numTest = 1, maxSide = DEFAULT_MAX_SIDE }: GeneratedTaskSettings,
): GeneratedTask {
  const random = Random.of('generated-task', family, seed);
  const { draw, input, rule } = FAMILIES[family];
  const parameters = draw(random);
  const pairs = new Map<string, GridPair>();
  for (let draws = 0; pairs.size < numTrain + numTest; draws++) {
    if (draws === MAX_DRAWS)
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot generate a task of the family ${family}: expected ${numTrain + numTest} different inputs, got ${pairs.size} in ${MAX_DRAWS} draws. Ask for fewer pairs.`,
      );
    const drawn = input({ random, maxSide }, parameters);
    const output = rule(drawn, parameters);
    if (!isSameGrid(drawn, output)) pairs.set(printGrid(drawn), { input: drawn, output });
  }
  const all = [...pairs.values()];
  return { family, parameters, train: all.slice(0, numTrain), test: all.slice(numTrain) };
}
