/** Which self-edits were not written. */
import type { ExperienceGenerated } from './generated/events.generated.js';

/**
 * Whether a self-edit was not written: its record says why, and has neither an entry nor tokens. A record with a reason and an entry is judged
 * by its entry, so that a reason avoids no check.
 */
export function isUnwritten({
  unaugmented,
  entry,
  tokenIds,
}: Pick<ExperienceGenerated, 'unaugmented' | 'entry' | 'tokenIds'>): boolean {
  return unaugmented != null && entry === '' && tokenIds.length === 0;
}
