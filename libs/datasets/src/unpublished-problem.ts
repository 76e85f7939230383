import { derivedId } from '@seamstream/kernel';
import type { DatasetProblem } from './dataset.types.js';

/**
 * A file's problem as it is asked outside the log: to compare adapters, and to measure.
 * @param digest of the file: where a row states no id, that follows from its place in the file
 */
export function unpublishedProblem(
  digest: string,
  { row, problemId, domain, prompt, reference, verifier, metadata }: DatasetProblem,
): Required<Pick<DatasetProblem, 'domain' | 'prompt' | 'reference' | 'verifier' | 'metadata'>> & {
  readonly problemId: string;
} {
  return { problemId: problemId ?? derivedId(digest, 'problem', row), domain, prompt, reference, verifier, metadata };
}
