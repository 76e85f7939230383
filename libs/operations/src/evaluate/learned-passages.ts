/** Passages of a file with what is trained on of each: the passage alone, or the documents of edits. */
import { type DatasetProblem, datasetForms, detectedForm, readProblems, rowsOf } from '@seamstream/datasets';
import { SeamError } from '@seamstream/kernel';
import { selfEditKind, trainingDocuments } from '@seamstream/self-edits';
import { type PassageTask, passageOf } from '@seamstream/tasks';
import { z } from 'zod';
import { type InputDoor, openDataset } from '../publish/dataset-file.js';

export interface PassageChoice {
  /** The form of the file; by its first row when absent. */
  readonly dataset?: string | undefined;
  /** JSON Lines with `row` of a passage and `documents`, as `seam edits generate` writes them; without it the passage is learned alone. */
  readonly edits?: string | undefined;
  /** Passages to take: the first. */
  readonly limit: number;
}

export interface LearnedPassage {
  readonly task: PassageTask;
  readonly documents: readonly string[];
}

/**
 * The first passages of a file with answered questions, and with edits those that have any.
 * @throws INVALID_INPUT for fewer than two, and for a malformed line of edits
 */
export async function learnedPassages(
  world: InputDoor,
  path: string,
  { dataset, edits, limit }: PassageChoice,
): Promise<{
  readonly digest: string;
  readonly passages: readonly LearnedPassage[];
}> {
  const file = await gradedPassages(world, path, dataset);
  const written = edits === undefined ? undefined : await readEditDocuments(world, edits);
  const passages: LearnedPassage[] = [];
  const alone = selfEditKind('passage');
  for await (const { row, task } of file.read()) {
    if (passages.length === limit) break;
    const documents = written === undefined ? trainingDocuments(alone, '', task) : written.get(row)?.flat();
    if (documents !== undefined && documents.length > 0) passages.push({ task, documents });
  }
  if (passages.length > 1) return { digest: file.digest, passages };
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot learn from ${path}: expected at least two passages with answered questions${edits === undefined ? '' : ' and edits'}, got ${passages.length}. Name a file of passages, and its form (--dataset).`,
  );
}

/**
 * The passages of a file whose questions are answered, read as a stream. Nothing is read of a file in no known form.
 * @param kind who judges each answer, instead of what dataset or row say
 */
export async function gradedPassages(
  world: InputDoor,
  path: string,
  dataset: string | undefined,
  kind?: string,
): Promise<{
  readonly digest: string;
  read(): AsyncGenerator<{ readonly row: number; readonly problem: DatasetProblem; readonly task: PassageTask }>;
}> {
  const { bytes, digest } = await openDataset(world, path);
  const form = dataset === undefined ? await detectedForm(bytes) : datasetForms.get(dataset);
  return {
    digest,
    async *read() {
      if (form === undefined) return;
      for await (const reading of readProblems(bytes, { form, verifier: kind === undefined ? undefined : { kind } })) {
        if (reading.status !== 'problem' || reading.problem.task == null) continue;
        const task = passageOf(reading.problem.task);
        if (task !== undefined) yield { row: reading.row, problem: reading.problem, task };
      }
    },
  };
}

/** By row of the passages' file the documents of its edits, in their order; none of an edit that a filter refused. */
export type EditDocuments = ReadonlyMap<number, readonly (readonly string[])[]>;

/** What is read of a line of an augmented data set. */
const editLine = z.object({ row: z.int().positive(), documents: z.array(z.string()) });

/** @throws INVALID_INPUT for a line that is no edit */
export async function readEditDocuments(world: InputDoor, path: string): Promise<EditDocuments> {
  const byRow = new Map<number, (readonly string[])[]>();
  for await (const row of rowsOf((await openDataset(world, path)).bytes)) {
    const line = 'value' in row ? editLine.safeParse(row.value).data : undefined;
    if (line === undefined)
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot read edits from ${path}: expected {"row", "documents"} in line ${row.row}, got something else. Write it with seam edits generate.`,
      );
    byRow.set(line.row, [...(byRow.get(line.row) ?? []), line.documents]);
  }
  return byRow;
}
