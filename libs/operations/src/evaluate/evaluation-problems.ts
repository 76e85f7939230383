/** The problems that are measured on. */
import type { Problem } from '@seamstream/events';
import { count, plural, SeamError } from '@seamstream/kernel';
import {
  checkFile,
  type DatasetFile,
  type DatasetOptions,
  type InputDoor,
  openDataset,
  problemIdOf,
  renderFaults,
  settingsFor,
} from '../publish/index.js';

/** Sets of problems of the demonstrations; none has all of them. */
export const WORLD_SETS = ['held-out', 'new-words', 'shifted', 'validation'] as const;
export type WorldSet = (typeof WORLD_SETS)[number];

/** Where problems come from. */
export interface ProblemSources extends InputDoor {
  /** @throws INVALID_INPUT for a set that the world of the data folder does not have */
  worldProblems(set: WorldSet): Promise<readonly Problem[]>;
}

/** Which problems are measured on. */
export interface ProblemOptions extends DatasetOptions {
  /** Absent where none is named: {@link DEFAULT_SET}, or those of the file. */
  readonly set?: WorldSet;
  readonly limit?: number;
}

export const DEFAULT_SET: WorldSet = 'held-out';

/**
 * The problems of the file, or where none is given those of a set of the demonstration.
 * @throws INVALID_INPUT where both are named, and for a file that cannot be used
 */
export async function chosenProblems(
  sources: ProblemSources,
  path: string | undefined,
  options: ProblemOptions,
): Promise<readonly Problem[]> {
  const { set, limit } = options;
  if (path === undefined) {
    refuseReading(options);
    return (await sources.worldProblems(set ?? DEFAULT_SET)).slice(0, limit);
  }
  if (set !== undefined) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot choose problems: expected FILE or --set, got both (${path} and --set ${set}). Leave one out: --set names problems of the demonstration.`,
    );
  }
  return evaluationProblems(await openDataset(sources, path), options, limit);
}

/** Without a file, options that say how it is read would have no effect. Those with a default look the same as absent ones. */
function refuseReading({ dataset, columns, verifier, domain, split }: ProblemOptions): void {
  for (const [name, value] of Object.entries({ dataset, columns, verifier, domain, split })) {
    if (value === undefined) continue;
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot choose problems: expected FILE with --${name} ${value}, got none, and the demonstration's problems need no reading. Name the file, or leave --${name} out.`,
    );
  }
}

/** The problems of a file as publish reads them, without what only a publication needs. INVALID_INPUT lists the bad rows. */
export async function evaluationProblems(
  file: DatasetFile,
  options: DatasetOptions,
  limit: number | undefined,
): Promise<readonly Problem[]> {
  const settings = await settingsFor(file, options);
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
      `Cannot evaluate ${file.name} (as ${settings.form.name}): expected problems, got ${came}.\n${renderFaults(file, check)}`,
      { details: { file: file.name, badRows: check.badRows, faults: check.faults } },
    );
  }
  return problems;
}
