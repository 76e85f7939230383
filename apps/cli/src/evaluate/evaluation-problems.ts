import type { Problem } from '@seamstream/events';
import { SeamError, sha256 } from '@seamstream/kernel';
import {
  type ProblemDraft,
  type ProblemFormat,
  problemIdOf,
  readProblemFile,
  renderFaults,
} from '../publish/problem-lines.js';
import { splitLines } from '../publish/split-lines.js';
import { count, plural } from '../terminal/text.js';

/** The problem that a line states, without what only a publication needs. */
function problemOf({ problemId, domain, prompt, reference, verifier, metadata }: ProblemDraft): Problem {
  return { problemId, domain, prompt, reference, verifier, metadata };
}

/** The problems of a file in one of publish's formats. INVALID_INPUT lists the bad lines. */
export function evaluationProblems(
  bytes: Uint8Array,
  name: string,
  format: ProblemFormat,
  limit: number | undefined,
): readonly Problem[] {
  const digest = sha256(bytes);
  const settings = { format, mode: 'deploy' } as const;
  const file = readProblemFile(splitLines(bytes), settings, (line) => problemIdOf(digest, line, 0), limit);
  if (file.badLines > 0 || file.problems.length === 0) {
    const came =
      file.badLines > 0 ? `${count(file.badLines)} of ${plural(file.lines, 'line')} that cannot be used` : 'none';
    throw new SeamError(
      'INVALID_INPUT',
      `Evaluating ${name} (format ${format.name}): expected problems, came ${came}.\n${renderFaults(file)}`,
      { details: { file: name, badLines: file.badLines, faults: file.faults } },
    );
  }
  return file.problems.map(problemOf);
}
