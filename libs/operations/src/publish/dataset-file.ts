/** A file of problems as commands read it: every row is checked before any is used. It records nothing and knows no log. */
import {
  ARC_FORM,
  type DatasetProblem,
  detectedForm,
  type FileBytes,
  fileDigest,
  isJsonDocument,
  isParquet,
  type ReadingSettings,
  type RowFault,
  readProblems,
  type UngradedProblem,
} from '@seamstream/datasets';
import { derivedId, onOneLine, plural } from '@seamstream/kernel';

/** Who opens files by the names that people give them. */
export interface InputDoor {
  openInput(path: string): Promise<FileBytes>;
}

export interface DatasetFile {
  /** As a person knows it. */
  readonly name: string;
  readonly bytes: FileBytes;
  /** SHA-256 */
  readonly digest: string;
  /** What a row of it is called. */
  readonly unit: 'line' | 'row';
}

/** Opens a file, or standard input for "-". Closed by who opened it. */
export async function openDataset(door: InputDoor, path: string): Promise<DatasetFile> {
  const name = path === '-' ? 'standard input' : path;
  const bytes = { ...(await door.openInput(path)), name };
  // A line of ARC may be several problems, which are numbered as rows.
  const hasRows = (await isParquet(bytes)) || (await isJsonDocument(bytes)) || (await detectedForm(bytes)) === ARC_FORM;
  return { name, bytes, digest: await fileDigest(bytes), unit: hasRows ? 'row' : 'line' };
}

/**
 * Id of a row's problem: from the file's digest and the row's number, so that the same file published twice is
 * recognised. `pass` 0 is the first publication, 1 the first repetition, …
 */
export function problemIdOf(fileDigest: string, row: number, pass: number): string {
  return derivedId(fileDigest, pass === 0 ? 'problem' : `problem/again-${pass}`, row);
}

/** Most faults kept for the report; the rest is counted. */
export const FAULTS_KEPT = 20;

export interface FileCheck {
  /** Rows that were looked at and are not blank. */
  readonly rows: number;
  /** Rows with at least one fault; may exceed what `faults` shows. */
  readonly badRows: number;
  readonly faults: readonly RowFault[];
  /** Rows that lie in another part of the split. */
  readonly otherSplit: number;
  readonly problems: number;
}

/**
 * Reads and checks every row, and hands over each problem.
 * @param limit problems and bad rows to take; rows after them are not looked at
 */
export async function checkFile(
  { bytes, unit }: DatasetFile,
  settings: ReadingSettings,
  use: (problem: DatasetProblem | UngradedProblem) => void,
  limit = Number.POSITIVE_INFINITY,
): Promise<FileCheck> {
  const faults: RowFault[] = [];
  const rowOfId = new Map<string, number>();
  let [rows, badRows, otherSplit, problems] = [0, 0, 0, 0];
  const refuse = (found: readonly RowFault[]): void => {
    badRows++;
    faults.push(...found.slice(0, Math.max(0, FAULTS_KEPT - faults.length)));
  };
  for await (const reading of readProblems(bytes, settings)) {
    rows++;
    if (reading.status === 'otherSplit') otherSplit++;
    else if (reading.status === 'faulty') refuse(reading.faults);
    else {
      const { row, problemId } = reading.problem;
      const earlier = problemId === undefined ? undefined : rowOfId.get(problemId);
      if (earlier !== undefined) {
        const expected = `a unique id (${unit} ${earlier} has this one)`;
        refuse([{ row, field: 'problemId', expected, came: JSON.stringify(problemId) }]);
      } else {
        if (problemId !== undefined) rowOfId.set(problemId, row);
        problems++;
        use(reading.problem);
      }
    }
    if (problems + badRows >= limit) break;
  }
  return { rows, badRows, faults, otherSplit, problems };
}

/** The faults as lines of text: row, field, what was expected, what it got. */
export function renderFaults(
  { unit }: Pick<DatasetFile, 'unit'>,
  { faults, badRows }: Pick<FileCheck, 'faults' | 'badRows'>,
): string {
  const shown = faults.map(({ row, field, expected, came }) =>
    onOneLine(`  ${unit} ${row}: ${field === 'row' ? '' : `${field}: `}expected ${expected}, got ${came}`),
  );
  const rowsShown = new Set(faults.map(({ row }) => row)).size;
  if (rowsShown < badRows) shown.push(`  … and ${plural(badRows - rowsShown, `more bad ${unit}`)}`);
  return shown.join('\n');
}
