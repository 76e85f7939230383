/**
 * The state after a version that is known by its rows. They say which decision was announced for every success, regardless of what
 * chose them. Other rules, other entry schemas or another release would choose otherwise now; their first commit says the difference.
 */
import { SeamError } from '@seamstream/kernel';
import type { BufferRow } from './buffer.types.js';
import { type BufferState, forgetAged } from './buffer-state.js';
import { stratumOf, successesOf } from './candidate.js';
import { announcementOf } from './group.js';
import { tallyOf } from './helpfulness.js';

/**
 * @param state with the results that the version was made from, folded on an earlier version; it is used up
 * @throws CONFLICT when a row comes of none of these results
 */
export function afterVersion(
  state: BufferState,
  { sequence, rows }: { readonly sequence: number; readonly rows: readonly BufferRow[] },
): BufferState {
  forgetAged(state);
  const kept = new Map(rows.map((row) => [nameOf(row), row]));
  for (const group of state.groups.values()) {
    group.announced.clear();
    const stratum = stratumOf(group, tallyOf(group), state.config);
    for (const pair of successesOf(group, state.config)) {
      const status = kept.delete(nameOf(pair)) ? 'admitted' : 'rejected';
      group.announced.set(pair.experienceId, announcementOf(pair, status, stratum));
    }
  }
  // What was forgotten on the way was taken back by the versions between.
  state.workspace.changed.clear();
  state.workspace.selection = undefined;
  const [missing] = kept.values();
  if (missing === undefined) return { ...state, sequence };
  throw new SeamError(
    'CONFLICT',
    `Cannot continue from buffer version ${sequence}: expected the outcome of every row among those that it was made from, got none for ${kept.size} of ${rows.length} (${missing.outcomeId} the first). Records of the log are missing, or the version is of another log. Compare the two.`,
    { details: { sequence, missing: kept.size, outcomeId: missing.outcomeId } },
  );
}

/** One id may have been given to two outcomes, by a faulty executor. */
function nameOf({ outcomeId, experienceId }: { readonly outcomeId: string; readonly experienceId: string }): string {
  return `${outcomeId} ${experienceId}`;
}
