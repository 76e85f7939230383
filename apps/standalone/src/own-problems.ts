/** Files of one's own for the loop: every row is checked before anything is recorded, and what decides is kept apart from what is learned from. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  bytesInMemory,
  type DatasetProblem,
  datasetForms,
  detectedForm,
  fileDigest,
  QuestionIndex,
  type RowFault,
  readProblems,
  unpublishedProblem,
} from '@seamstream/datasets';
import type { Problem } from '@seamstream/events';
import { messageOf, onOneLine, SeamError } from '@seamstream/kernel';
import type { FileIdentity } from './run-settings.js';

/** A file of problems, all of it read. */
export interface ProblemFile extends FileIdentity {
  readonly problems: readonly DatasetProblem[];
}

const FAULTS_SHOWN = 20;

const refused = (option: string, path: string, problem: string, cause?: unknown): SeamError =>
  new SeamError('INVALID_INPUT', `Cannot use ${option} ${path}: ${problem}`, { details: { file: path }, cause });

/**
 * Reads a file in any form that `seam publish` reads. Its first row decides which.
 * @param option that names the file, for messages
 * @throws INVALID_INPUT for a file that cannot be read, is in no known form, or has a row at fault, listing these rows
 */
export async function readProblemFile(option: string, path: string): Promise<ProblemFile> {
  const content = await readFile(path).catch((cause: unknown) => {
    throw refused(option, path, `expected a readable file, got ${messageOf(cause)}. Name another file.`, cause);
  });
  const bytes = { ...bytesInMemory(content), name: path };
  const form = await detectedForm(bytes, datasetForms.get('seam'));
  if (form === undefined) {
    throw refused(
      option,
      path,
      `expected a form that is known (${[...datasetForms.keys()].join(', ')}), got a first row in none of them. A row may look like this: ${datasetForms.get('seam')!.example}`,
    );
  }
  const problems: DatasetProblem[] = [];
  const faults: RowFault[] = [];
  for await (const reading of readProblems(bytes, { form })) {
    if (reading.status === 'problem') problems.push(reading.problem);
    else if (reading.status === 'faulty') faults.push(...reading.faults);
  }
  if (faults.length > 0) {
    const shown = faults
      .slice(0, FAULTS_SHOWN)
      .map(({ row, field, expected, came }) =>
        onOneLine(`  row ${row}: ${field === 'row' ? '' : `${field}: `}expected ${expected}, got ${came}`),
      );
    throw refused(
      option,
      path,
      `expected problems (as ${form.name}) in every row, got ${faults.length} faults; nothing was recorded. Correct them.\n${shown.join('\n')}`,
    );
  }
  if (problems.length === 0) {
    throw refused(option, path, `expected at least one problem, got none. A row may look like this: ${form.example}`);
  }
  return { path: resolve(path), digest: await fileDigest(bytes), problems };
}

/** The file's problems as they are asked outside the log: to compare adapters, and to measure. */
export function asProblems({ digest, problems }: ProblemFile): readonly Problem[] {
  return problems.map((problem) => unpublishedProblem(digest, problem));
}

/** Copies that are named in a message. */
const COPIES_SHOWN = 5;

/**
 * What decides on adapters must not be learned from, and must be able to decide.
 * @throws INVALID_INPUT where both files have the same questions or nearly so, a domain has no problem to decide on, or there is only one problem
 */
export function assertApart(train: ProblemFile, other: ProblemFile, option: string): void {
  if (other.problems.length < 2)
    throw refused(option, other.path, 'expected at least two problems, got one. One decides nothing: add more.');
  const index = new QuestionIndex();
  for (const { row, prompt, reference } of other.problems) index.add(1, row, prompt, reference);
  for (const { row, prompt, reference } of train.problems) index.add(0, row, prompt, reference);
  const copies = index.across(0, [1]);
  if (copies.length > 0) {
    const rows = copies
      .slice(0, COPIES_SHOWN)
      .map(({ row, otherRow }) => `row ${row} as row ${otherRow} of it`)
      .join(', ');
    throw refused(
      '--problems',
      train.path,
      `expected questions that are not in ${option} ${other.path}, got ${copies.length} that are, or nearly (${rows}${copies.length > COPIES_SHOWN ? ', …' : ''}). Take them out of one of the files.`,
    );
  }
  const decided = new Set(other.problems.map(({ domain }) => domain));
  const missing = [...new Set(train.problems.map(({ domain }) => domain))].filter((domain) => !decided.has(domain));
  if (missing.length > 0) {
    throw refused(
      option,
      other.path,
      `expected problems of every domain of --problems, got none of ${missing.map(onOneLine).join(', ')}. Add some: an adapter is compared with its parent on them.`,
    );
  }
}
