/** A few-shot task on grids: pairs that show a transformation, and inputs to apply it to. The JSON form is ARC's (a file per task). */
import { received, SeamError } from '@seamstream/kernel';
import { z } from 'zod';
import { type Grid, gridSchema } from './grid.js';

export interface GridPair {
  readonly input: Grid;
  readonly output: Grid;
}

/** What is asked. The output is missing where it is kept secret. */
export interface GridQuery {
  readonly input: Grid;
  readonly output?: Grid | undefined;
}

export interface GridTask {
  /** At least one. */
  readonly train: readonly GridPair[];
  /** At least one. */
  readonly test: readonly GridQuery[];
}

/** Published tasks have up to 10 pairs; a longer list is another kind of file. */
const MAX_PAIRS = 100;

const listOf = <T extends z.ZodType>(part: T, what: string) =>
  z.array(part, { error: what }).min(1, { error: what }).max(MAX_PAIRS, { error: what });

/** The pairs that show a transformation. */
export const gridPairsSchema = listOf(
  z.object({ input: gridSchema, output: gridSchema }, { error: '{"input", "output"}' }),
  `1 to ${MAX_PAIRS} pairs`,
);

/** What is asked. */
export const gridQuerySchema = z.object(
  { input: gridSchema, output: gridSchema.optional() },
  { error: '{"input", "output"}' },
);

/** Other fields, as the names that some copies of ARC add, are left out. */
const gridTaskSchema = z.object(
  {
    train: gridPairsSchema,
    test: listOf(gridQuerySchema, `1 to ${MAX_PAIRS} queries`),
  },
  { error: 'an object with "train" and "test"' },
);

/**
 * The task that a JSON value is.
 * @throws INVALID_INPUT with the path of the first fault
 */
export function parseGridTask(value: unknown): GridTask {
  const parsed = gridTaskSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  const place = path.length === 0 ? '' : ` at ${z.core.toDotPath(path)}`;
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot read a grid task: expected ${message}${place}, got ${received(valueAt(value, path))}. ` +
      'Give the form of ARC: {"train": [{"input", "output"}], "test": [{"input", "output"}]}.',
  );
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((each, key) => (each as Record<PropertyKey, unknown> | undefined)?.[key], value);
}
