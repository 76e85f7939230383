/** What a command does about questions that are in a file twice, or in a file that is kept for testing. */
import { type DatasetForm, type Duplicate, detectedForm, type QuestionIndex } from '@seamstream/datasets';
import { count, plural, SeamError } from '@seamstream/kernel';
import { checkFile, type DatasetFile, type InputDoor, openDataset, renderFaults } from './dataset-file.js';

export const DUPLICATE_POLICIES = ['refuse', 'skip', 'report'] as const;
export type DuplicatePolicy = (typeof DUPLICATE_POLICIES)[number];

/** The file that is looked at; those that it is held against are 1, 2, … */
export const OWN_FILE = 0;

/**
 * Adds the questions of the files to an index, as files 1, 2, … Their form is found out from their first row, or is the one
 * given. @throws INVALID_INPUT naming the rows that cannot be read: a leak could hide in them
 */
export async function addFiles(
  door: InputDoor,
  paths: readonly string[],
  fallback: DatasetForm,
  index: QuestionIndex,
): Promise<readonly DatasetFile[]> {
  const files: DatasetFile[] = [];
  for (const [at, path] of paths.entries()) {
    const file = await openDataset(door, path);
    const form = (await detectedForm(file.bytes)) ?? fallback;
    const check = await checkFile(file, { form }, ({ row, prompt, reference }) => {
      index.add(at + 1, row, prompt, reference ?? '');
    });
    if (check.rows === 0) {
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot compare with ${file.name}: expected problems, got a file without a single ${file.unit}; nothing was recorded. Name the file that is kept for testing, or leave it out of --against.`,
        { details: { file: file.name } },
      );
    }
    if (check.badRows > 0) {
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot compare with ${file.name} (as ${form.name}): expected problems in every ${file.unit}, got ${count(check.badRows)} of ${plural(check.rows, file.unit)} that cannot be used; nothing was recorded.\n${renderFaults(file, check)}`,
        { details: { file: file.name, badRows: check.badRows, faults: check.faults } },
      );
    }
    files.push(file);
  }
  return files;
}

/** Most duplicates that are listed; the rest is counted. */
const LISTED = 20;

/** The duplicates as lines of text. `files` holds the files by their numbers. */
export function renderDuplicates(duplicates: readonly Duplicate[], files: readonly DatasetFile[]): string {
  const own = files[OWN_FILE]!;
  const lines = duplicates.slice(0, LISTED).map(({ row, otherFile, otherRow, kind, similarity, sameAnswer }) => {
    const other = files[otherFile]!;
    const where = otherFile === OWN_FILE ? '' : ` of ${other.name}`;
    const likeness = kind === 'exact' ? 'the question of' : `${(similarity * 100).toFixed(0)} % of`;
    return `  ${own.unit} ${row}: ${likeness} ${other.unit} ${otherRow}${where}${sameAnswer ? '' : ', with another answer'}\n`;
  });
  const rest = duplicates.length - LISTED;
  return `${lines.join('')}${rest > 0 ? `  … and ${count(rest)} more\n` : ''}`;
}

/** Duplicates counted: the exact, the near, and those exact ones whose answers differ. */
export function countDuplicates(duplicates: readonly Duplicate[]): {
  readonly exact: number;
  readonly near: number;
  readonly conflictingAnswers: number;
} {
  const exact = duplicates.filter(({ kind }) => kind === 'exact');
  return {
    exact: exact.length,
    near: duplicates.length - exact.length,
    conflictingAnswers: exact.filter(({ sameAnswer }) => !sameAnswer).length,
  };
}
