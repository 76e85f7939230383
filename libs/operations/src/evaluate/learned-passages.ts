/** Passages of a file with what is trained on of each: the passage alone, or the documents of edits. */
import { datasetForms, detectedForm, readProblems, rowsOf } from '@seamstream/datasets';
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
 * @throws INVALID_INPUT for fewer than two, and for a line of edits that is none
 */
export async function learnedPassages(
  world: InputDoor,
  path: string,
  { dataset, edits, limit }: PassageChoice,
): Promise<{
  readonly digest: string;
  readonly passages: readonly LearnedPassage[];
}> {
  const { bytes, digest } = await openDataset(world, path);
  const form = dataset === undefined ? await detectedForm(bytes) : datasetForms.get(dataset);
  const written = edits === undefined ? undefined : await editDocuments(world, edits);
  const passages: LearnedPassage[] = [];
  const alone = selfEditKind('passage');
  for await (const reading of form === undefined ? [] : readProblems(bytes, { form })) {
    if (passages.length === limit) break;
    if (reading.status !== 'problem' || reading.problem.task == null) continue;
    const task = passageOf(reading.problem.task);
    if (task === undefined) continue;
    const documents = written === undefined ? trainingDocuments(alone, '', task) : written.get(reading.row);
    if (documents !== undefined) passages.push({ task, documents });
  }
  if (passages.length > 1) return { digest, passages };
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot learn from ${path}: expected at least two passages with answered questions${edits === undefined ? '' : ' and edits'}, got ${passages.length}. Name a file of passages, and its form (--dataset).`,
  );
}

/** What is read of a line of an augmented data set. */
const editLine = z.object({ row: z.int().positive(), documents: z.array(z.string()) });

/** By row of the passages' file. */
async function editDocuments(world: InputDoor, path: string): Promise<ReadonlyMap<number, readonly string[]>> {
  const byRow = new Map<number, string[]>();
  for await (const row of rowsOf((await openDataset(world, path)).bytes)) {
    const line = 'value' in row ? editLine.safeParse(row.value).data : undefined;
    if (line === undefined)
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot read edits from ${path}: expected {"row", "documents"} in line ${row.row}, got something else. Write it with seam edits generate.`,
      );
    if (line.documents.length > 0) byRow.set(line.row, [...(byRow.get(line.row) ?? []), ...line.documents]);
  }
  return byRow;
}
