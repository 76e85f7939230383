import type { ReadingSettings } from '@seamstream/datasets';
import type { Problem } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import { checkFile, type DatasetFile, problemIdOf, renderFaults } from '../publish/dataset-file.js';
import { count, plural } from '../terminal/text.js';

/** The problems of a file as publish reads them, without what only a publication needs. INVALID_INPUT lists the bad rows. */
export async function evaluationProblems(
  file: DatasetFile,
  settings: ReadingSettings,
  limit: number | undefined,
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  const check = await checkFile(
    file,
    settings,
    ({ row, problemId = problemIdOf(file.digest, row, 0), domain, prompt, reference, verifier, metadata }) => {
      problems.push({ problemId, domain, prompt, reference, verifier, metadata });
    },
    limit,
  );
  if (check.badRows > 0 || problems.length === 0) {
    const came =
      check.badRows > 0 ? `${count(check.badRows)} of ${plural(check.rows, file.unit)} that cannot be used` : 'none';
    throw new SeamError(
      'INVALID_INPUT',
      `Evaluating ${file.name} (as ${settings.form.name}): expected problems, came ${came}.\n${renderFaults(file, check)}`,
      { details: { file: file.name, badRows: check.badRows, faults: check.faults } },
    );
  }
  return problems;
}
