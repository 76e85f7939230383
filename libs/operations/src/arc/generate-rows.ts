/** Generated tasks as rows in the form of ARC, for `seam publish`. Pure: the same request gives the same rows. */
import { FAMILY_NAMES, type GeneratedTask, generateTask } from '@seamstream/grid-tasks';

export interface GenerateRequest {
  readonly seed: string;
  /** Tasks of each family. */
  readonly tasks: number;
  /** All where absent. */
  readonly families?: readonly GeneratedTask['family'][] | undefined;
  readonly pairs: number;
  readonly tests: number;
  /** Longest side of an input. */
  readonly maxSide: number;
}

export interface GeneratedRow extends Pick<GeneratedTask, 'family' | 'train' | 'test'> {
  readonly id: string;
  readonly domain: 'generated-grids';
}

/** The families take turns. @throws INVALID_INPUT where a family has not so many inputs */
export function* generateRows(request: GenerateRequest): Generator<GeneratedRow> {
  const { seed, tasks, families = FAMILY_NAMES, pairs: numTrain, tests: numTest, maxSide } = request;
  for (let index = 0; index < tasks; index++) {
    for (const family of families) {
      const { train, test } = generateTask(family, { seed: `${seed}/${index}`, numTrain, numTest, maxSide });
      yield { id: `${family}-${seed}-${index}`, domain: 'generated-grids', family, train, test };
    }
  }
}
