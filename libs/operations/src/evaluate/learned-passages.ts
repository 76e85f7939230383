/** Passages of a file with what is trained on of each: the passage alone, or the documents of edits. */
import {
  type DatasetProblem,
  datasetForms,
  detectedForm,
  type RowFault,
  readProblems,
  rowsOf,
} from '@seamstream/datasets';
import { plural, SeamError } from '@seamstream/kernel';
import { selfEditKind, trainingDocuments } from '@seamstream/self-edits';
import { type PassageTask, passageOf } from '@seamstream/tasks';
import { z } from 'zod';
import { FAULTS_KEPT, type InputDoor, openDataset, renderFaults } from '../publish/dataset-file.js';

/** Who opens the file, and hears of rows that are left out. */
export interface PassagesDoor extends InputDoor {
  readonly terminal: { remark(text: string): void };
}

/** A file of passages whose questions are answered. */
export interface GradedPassages {
  readonly digest: string;
  /** Faulty rows that were left out, of those that were read. */
  readonly faultyRows: number;
  read(): AsyncGenerator<{ readonly row: number; readonly problem: DatasetProblem; readonly task: PassageTask }>;
}

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
  world: PassagesDoor,
  path: string,
  { dataset, edits, limit }: PassageChoice,
): Promise<{
  readonly digest: string;
  readonly faultyRows: number;
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
  if (passages.length > 1) return { digest: file.digest, faultyRows: file.faultyRows, passages };
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot learn from ${path}: expected at least two passages with answered questions${edits === undefined ? '' : ' and edits'}, got ${passages.length}. Name a file of passages, and its form (--dataset).`,
  );
}

/**
 * The passages of a file whose questions are answered, read as a stream. Nothing is read of a file in no known form. Faulty rows are left
 * out, counted, and said once the reading ends.
 * @param kind who judges each answer, instead of what dataset or row say
 */
export async function gradedPassages(
  world: PassagesDoor,
  path: string,
  dataset: string | undefined,
  kind?: string,
): Promise<GradedPassages> {
  const opened = await openDataset(world, path);
  const form = dataset === undefined ? await detectedForm(opened.bytes) : datasetForms.get(dataset);
  const faults: RowFault[] = [];
  let badRows = 0;
  const say = (): void => {
    const rows = plural(badRows, `faulty ${opened.unit}`);
    world.terminal.remark(`${rows} of ${opened.name} left out:\n${renderFaults(opened, { faults, badRows })}`);
  };
  return {
    digest: opened.digest,
    get faultyRows() {
      return badRows;
    },
    async *read() {
      if (form === undefined) return;
      [faults.length, badRows] = [0, 0];
      // Without `ungraded` a passage whose questions nothing answers would be at fault.
      const settings = { form, ungraded: true, verifier: kind === undefined ? undefined : { kind } };
      try {
        for await (const reading of readProblems(opened.bytes, settings)) {
          if (reading.status === 'faulty') {
            badRows++;
            faults.push(...reading.faults.slice(0, Math.max(0, FAULTS_KEPT - faults.length)));
          }
          if (reading.status !== 'problem' || reading.problem.task == null) continue;
          const task = passageOf(reading.problem.task);
          if (task !== undefined) yield { row: reading.row, problem: reading.problem, task };
        }
      } finally {
        // Also where no more passages are wanted.
        if (badRows > 0) say();
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
