/**
 * Tasks of ARC (https://github.com/fchollet/ARC-AGI) as published: pairs of grids that show a transformation, and inputs to apply it to. A
 * problem asks for one output, so a task with several test inputs is as many rows; `testInput` says which one a row asks for.
 */
import { type GridQuery, gridPairsSchema, gridQuerySchema, printGrid, promptText } from '@seamstream/grid-tasks';
import { canonicalJson, sha256 } from '@seamstream/kernel';
import { askedFewShot, fewShotContent } from '@seamstream/tasks';
import { z } from 'zod';
import type { DatasetForm, Row } from './dataset.types.js';
import { text } from './fields.js';
import { COMMON_FIELDS } from './seam.form.js';

/** Published tasks have up to 4 test inputs. */
const MAX_TESTS = 100;
const TESTS = `1 to ${MAX_TESTS} test inputs`;
const DOMAIN = 'arc';

type Fields = Readonly<Record<string, unknown>>;

const looksLikeTask = (value: unknown): value is Fields & { readonly test: readonly unknown[] } =>
  typeof value === 'object' &&
  value !== null &&
  Array.isArray((value as Fields).train) &&
  Array.isArray((value as Fields).test);

/** Rows with one test input each, numbered again; rows of other forms pass as they are. */
export async function* asOneTestEach(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  let added = 0;
  for await (const row of rows) {
    const at = row.row + added;
    if ('fault' in row) yield { row: at, fault: { ...row.fault, row: at } };
    else if (!looksLikeTask(row.value) || row.value.test.length < 2 || row.value.test.length > MAX_TESTS)
      yield { row: at, value: row.value };
    else {
      for (const index of row.value.test.keys())
        yield { row: at + index, value: { ...row.value, testInput: index + 1 } };
      added += row.value.test.length - 1;
    }
  }
}

const FIELDS = {
  domain: COMMON_FIELDS.domain.unwrap().default(DOMAIN),
  /** The task's name: the name of its file, where the files were joined. */
  id: text().optional(),
  /** Of a generated task. */
  family: text().optional(),
  train: gridPairsSchema,
  test: z.array(z.unknown(), { error: TESTS }).min(1, { error: TESTS }).max(MAX_TESTS, { error: TESTS }),
  testInput: z.int().min(1).max(MAX_TESTS).default(1),
};

/** The query that the row asks, with its faults at its own place. Those of other test inputs are named by their own rows. */
const shapeOf = (query: z.ZodType<GridQuery>) =>
  z.object(FIELDS, { error: 'an object with "train" and "test"' }).transform((row, context) => {
    const { domain, id, family, train, test, testInput } = row;
    const asked = query.safeParse(test[testInput - 1]);
    if (!asked.success) {
      for (const { path, message } of asked.error.issues)
        context.addIssue({ code: 'custom', path: ['test', testInput - 1, ...path], message });
      return z.NEVER;
    }
    const { input, output } = asked.data;
    const prompt = promptText(train, input);
    const place: Record<string, string> =
      test.length === 1 ? {} : { testInput: String(testInput), testInputs: String(test.length) };
    const stated = {
      domain,
      prompt,
      task: fewShotContent(askedFewShot(prompt)!),
      metadata: {
        dataset: 'arc',
        task: id ?? sha256(canonicalJson([train, test.map((each) => (each as Fields).input ?? null)])).slice(0, 16),
        ...place,
        ...(family === undefined ? {} : { family }),
      },
    };
    return { stated, output };
  });

export const ARC_FORM: DatasetForm = {
  name: 'arc',
  summary:
    'train ([{"input", "output"}]), test ([{"input", "output"}]) with grids, as ARC; a problem for each test input. id, domain.',
  example: '{"train":[{"input":[[0,7]],"output":[[7,0]]}],"test":[{"input":[[1,2]],"output":[[2,1]]}]}',
  recognises: looksLikeTask,
  shape: shapeOf(gridPairsSchema.element).transform(({ stated, output }) => ({
    ...stated,
    reference: printGrid(output!),
    verifier: { kind: 'grid' },
  })),
  ungraded: shapeOf(gridQuerySchema).transform(({ stated }) => stated),
};
