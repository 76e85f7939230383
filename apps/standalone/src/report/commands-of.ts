/** Commands that repeat a run. Pure. */
import { hasNewWords, type RunFile } from '../run-settings.js';

/** One command per limits that held, each to its end, as they would be typed for an empty folder called data. */
export function commandsOf({
  run: { settings, limits },
  heldOutProblems,
  testFile,
}: {
  readonly run: Pick<RunFile, 'settings' | 'limits'>;
  readonly testFile: string | null;
  /** Null: that is not said, and the usual number holds. */
  readonly heldOutProblems: number | null;
}): readonly string[] {
  const { method, seed, algorithm, roundSize, preset, problems, validation } = settings;
  return limits.map(({ maxRounds, maxShiftedRounds }) =>
    [
      ...(preset === null ? [] : [`SEAM_PRESET=${preset}`]),
      `seam start --exit --method ${method} --seed ${seed} --algorithm ${algorithm} --round-size ${roundSize} --max-rounds ${maxRounds}`,
      hasNewWords(settings) ? `--max-shifted-rounds ${maxShiftedRounds}` : '',
      problems === null && heldOutProblems !== null ? `--held-out ${heldOutProblems}` : '',
      problems === null ? '' : `--problems ${quoted(problems.path)}`,
      validation === null ? '' : `--validation ${quoted(validation.path)}`,
      testFile === null ? '' : `--test ${quoted(testFile)}`,
      '--data-dir data',
    ]
      .filter((part) => part !== '')
      .join(' '),
  );
}

/** For a POSIX shell. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
