/** Rows of the success buffer for specs. */
import type { BufferRow } from '@seamstream/success-buffer';

/** A row of sums by its outcome's id, with the changes that a spec is about. */
export const bufferRow = (outcomeId: string, changes: Partial<BufferRow> = {}): BufferRow => ({
  outcomeId,
  experienceId: `experience-${outcomeId}`,
  problemId: `problem-${outcomeId}`,
  domain: 'sums',
  stratum: `${changes.domain ?? 'sums'}/hard`,
  prompt: '2 + 3?',
  entry: '{"strategy":"add"}',
  promptTokenIds: [1, 2],
  tokenIds: [7, 8, 9],
  forced: [true, false, false],
  reward: 1,
  helpfulness: 0.5,
  adapterDigest: null,
  baseModelDigest: 'base',
  ...changes,
});
