/** The passages of a data set, read as a stream: once to check every row, and again to use them. */
import { datasetForms, detectedForm, readProblems } from '@seamstream/datasets';
import { plural, SeamError } from '@seamstream/kernel';
import { type PassageTask, passageOf, type TaskContent } from '@seamstream/tasks';
import { checkFile, type InputDoor, openDataset, renderFaults } from '../publish/dataset-file.js';

export interface PassageFile {
  /** SHA-256 of the file. */
  readonly digest: string;
  /** The form that it is read as. */
  readonly form: string;
  readonly passages: number;
  /** Problems that are no passages. */
  readonly others: number;
  /** From the first passage on, every time it is called. */
  read(): AsyncGenerator<{ readonly row: number; readonly passage: PassageTask }>;
}

/**
 * @param dataset the form of the file; by its first row when absent
 * @param limit passages to take; all when absent
 * @throws INVALID_INPUT for faulty rows, all of which are counted, and for a file without a passage
 */
export async function openPassages(
  door: InputDoor,
  path: string,
  {
    dataset,
    limit = Number.POSITIVE_INFINITY,
  }: { readonly dataset?: string | undefined; readonly limit?: number | undefined },
): Promise<PassageFile> {
  const file = await openDataset(door, path);
  const form = dataset === undefined ? await detectedForm(file.bytes) : datasetForms.get(dataset);
  const refused = (got: string, advice: string): SeamError =>
    new SeamError('INVALID_INPUT', `Cannot write edits of ${file.name}: expected passages, got ${got}. ${advice}`, {
      details: { file: file.name },
    });
  const unknown = 'Name a file of passages, and its form (--dataset).';
  if (form === undefined) throw refused('rows of no known form', unknown);
  const settings = { form, ungraded: true };
  let found = 0;
  const check = await checkFile(file, settings, ({ task }) => {
    if (taskOf(task) !== undefined) found++;
  });
  if (check.badRows > 0)
    throw refused(plural(check.badRows, `faulty ${file.unit}`), `Correct the file:\n${renderFaults(file, check)}`);
  if (found === 0) throw refused('none', unknown);
  return {
    digest: file.digest,
    form: form.name,
    passages: Math.min(found, limit),
    others: check.problems - found,
    async *read() {
      let left = Math.min(found, limit);
      for await (const reading of readProblems(file.bytes, settings)) {
        if (left === 0) return;
        if (reading.status !== 'problem' && reading.status !== 'ungraded') continue;
        const passage = taskOf(reading.problem.task);
        if (passage === undefined) continue;
        yield { row: reading.row, passage };
        left--;
      }
    },
  };
}

function taskOf(task: TaskContent | undefined): PassageTask | undefined {
  return task === undefined ? undefined : passageOf(task);
}
