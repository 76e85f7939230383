import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import {
  bytesInMemory,
  type DatasetForm,
  datasetForms,
  detectedForm,
  type FileBytes,
  fileDigest,
  type RowFault,
  readProblems,
  unpublishedProblem,
} from '@seamstream/datasets';
import type { Problem } from '@seamstream/events';
import { isSeamError, messageOf, SeamError } from '@seamstream/kernel';
import { fewestToPromote, type TrainerConfig } from './config.js';

/** Problems on which adapters are compared with their parents. */
export interface ValidationProblems {
  readonly name: string;
  readonly problems: readonly Problem[];
}

export interface ValidationSettings {
  readonly file: string | undefined;
  /** Form of the file, as `seam publish --dataset` names it; by its first row when absent. */
  readonly dataset?: string | undefined;
  /** Takes this many from the beginning. */
  readonly limit?: number | undefined;
  /** What decides on them: a set on which nothing can be promoted is refused. */
  readonly promotion: Pick<TrainerConfig['promotion'], 'rule' | 'risk' | 'minProblems'>;
}

const FAULTS_SHOWN = 10;
const SETTING = 'SEAM_TRAINER_VALIDATION_PROBLEMS';
const NO_FILE =
  'expected problems to compare adapters on, got none. Set SEAM_TRAINER_VALIDATION_PROBLEMS to a file as seam publish reads it, of problems that are never published (docs/how-to/checkpoints.md).';

/**
 * Reads the problems that adapters are compared on, in any form that `seam publish` reads; each is checked as it is there.
 * @throws INVALID_CONFIGURATION listing the first rows at fault, or that there are too few
 */
export async function loadValidationProblems(settings: ValidationSettings): Promise<ValidationProblems> {
  const { file, limit = Number.POSITIVE_INFINITY, promotion } = settings;
  const refuse = (problem: string, cause?: unknown): never => {
    throw new SeamError('INVALID_CONFIGURATION', `Cannot read validation problems: ${problem}`, {
      ...(file === undefined ? {} : { details: { file } }),
      ...(cause === undefined ? {} : { cause }),
    });
  };
  if (file === undefined) {
    return refuse(NO_FILE);
  }
  const content = await readFile(file).catch((cause: unknown) =>
    refuse(
      `expected ${SETTING} to name a readable file, got ${JSON.stringify(file)} (${messageOf(cause)}). Name a file as seam publish reads it.`,
      cause,
    ),
  );
  const bytes = { ...bytesInMemory(content), name: file };
  const { form, problems, faults } = await readAll(bytes, settings.dataset, limit).catch((cause: unknown) => {
    if (!isSeamError(cause, 'INVALID_INPUT')) throw cause;
    return refuse(`${cause.message} ${SETTING} names it.`, cause);
  });
  if (form === undefined) {
    return refuse(
      `expected ${file} in a form that is known (${[...datasetForms.keys()].join(', ')}), got ${settings.dataset === undefined ? 'a first row that is in none of them' : JSON.stringify(settings.dataset)}. Name its form by SEAM_TRAINER_VALIDATION_DATASET, see what is in it by seam datasets inspect, or name another file by ${SETTING}.`,
    );
  }
  if (faults.length > 0) {
    const shown = faults
      .slice(0, FAULTS_SHOWN)
      .map(({ row, field, expected, came }) => `  row ${row}: ${field}: expected ${expected}, got ${came}`);
    return refuse(`${file} (as ${form.name}) has ${faults.length} faults. Correct them.\n${shown.join('\n')}`);
  }
  const { rule, risk, minProblems } = promotion;
  const atLeast = rule === 'better' ? fewestToPromote(promotion) : minProblems;
  if (problems.length < atLeast) {
    const [need, remedy] =
      atLeast === minProblems
        ? [`a promotion needs ${atLeast}`, 'or lower SEAM_TRAINER_PROMOTION_MIN_PROBLEMS']
        : [
            `${atLeast} are the fewest on which a candidate can be better beyond chance at a risk of ${risk}, by solving all where its parent solves none`,
            'or raise SEAM_TRAINER_PROMOTION_RISK; SEAM_TRAINER_PROMOTION_RULE=tolerance promotes without evidence',
          ];
    return refuse(`${file} has ${problems.length} problems, and ${need}. Take more, ${remedy}.`);
  }
  return { name: basename(file), problems };
}

/** What is in the file; nothing where its form is not known. @throws INVALID_INPUT for a damaged file */
async function readAll(
  bytes: FileBytes,
  dataset: string | undefined,
  limit: number,
): Promise<{
  readonly form?: DatasetForm;
  readonly problems: readonly Problem[];
  readonly faults: readonly RowFault[];
}> {
  const problems: Problem[] = [];
  const faults: RowFault[] = [];
  // Nothing in it: no form is wrong.
  const form = dataset === undefined ? await detectedForm(bytes, datasetForms.get('seam')) : datasetForms.get(dataset);
  if (form === undefined) return { problems, faults };
  const digest = await fileDigest(bytes);
  for await (const reading of readProblems(bytes, { form })) {
    if (problems.length >= limit) break;
    if (reading.status === 'faulty') faults.push(...reading.faults);
    if (reading.status !== 'problem') continue;
    problems.push(unpublishedProblem(digest, reading.problem));
  }
  return { form, problems, faults };
}
