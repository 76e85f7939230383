/**
 * Decides what the buffer holds now, and what to announce about it. What is kept follows from all successes folded so far,
 * regardless of how many commits looked at them. Only what is *announced* (the decisions) depends on earlier announcements.
 */

import type { RejectionReason } from '@seamstream/events';
import { compareText, sha256 } from '@seamstream/kernel';
import type { BufferDecision, BufferRow } from './buffer.types.js';
import { type BufferState, forgetAged } from './buffer-state.js';
import type { Candidate, EntryValidator, Rejection } from './candidate.js';
import { type Announcement, announcementOf, type Group } from './group.js';
import { Selection } from './selection.js';

export interface BufferCommit {
  /** The next state. It shares its contents with the given one, which must not be used any more. */
  readonly state: BufferState;
  /** What changed since the previous commit, ascending by outcomeId. */
  readonly decisions: readonly BufferDecision[];
  /** All rows kept, ascending by outcomeId. */
  readonly rows: readonly BufferRow[];
  /** SHA-256 over the rows' canonical JSON lines: equal content, equal digest. */
  readonly bufferDigest: string;
  readonly rowsPerStratum: Readonly<Record<string, number>>;
}

/** What is kept now, and every decision that is new since the last commit. Commits on the returned state only. */
export function commit(state: BufferState, options: { readonly validateEntry: EntryValidator }): BufferCommit {
  forgetAged(state);
  const { workspace } = state;
  const { config } = state;
  const known = workspace.selection?.isUnder(config, options.validateEntry) === true ? workspace.selection : undefined;
  const selection = known ?? new Selection(config, options.validateEntry);
  // A new selection looks at all groups, and at those that were just forgotten.
  const changed = known === undefined ? new Map([...state.groups, ...workspace.changed]) : workspace.changed;
  const reviewed = selection.update(changed.values());
  const decisions = [
    ...changed.values().flatMap((group) => withdraw(group, selection, config.maxAgeRecords)),
    ...announce(reviewed, selection),
  ];
  workspace.selection = selection;
  workspace.changed.clear();
  const kept = selection.kept();
  const strata = [...Map.groupBy(kept, ({ row }) => row.stratum)].sort(([a], [b]) => compareText(a, b));
  return {
    state: { ...state, sequence: state.sequence + 1 },
    decisions: decisions.sort(
      (a, b) => compareText(a.outcomeId, b.outcomeId) || compareText(a.experienceId, b.experienceId),
    ),
    rows: kept.map(({ row }) => row),
    bufferDigest: sha256(kept.map(({ line }) => line).join('')),
    rowsPerStratum: Object.fromEntries(strata.map(([stratum, rows]) => [stratum, rows.length])),
  };
}

function* announce(reviewed: Iterable<Candidate>, selection: Selection): IterableIterator<BufferDecision> {
  for (const candidate of reviewed) {
    const { group, pair, stratum, traits } = candidate;
    const { outcomeId, experienceId, problemId, subject } = pair;
    const rejection = selection.rejectionOf(candidate);
    const status = rejection === undefined ? 'admitted' : 'rejected';
    const before = group.announced.get(experienceId);
    group.announced.set(experienceId, announcementOf(pair, status, stratum));
    if (before?.status === status) continue;
    const facts = { stratum, outcomeId, experienceId, problemId, subject };
    if (rejection === undefined) {
      const helpfulness = selection.helpfulnessOf(candidate);
      yield { type: 'SuccessAdmitted', ...facts, contentDigest: traits.contentDigest, helpfulness };
    } else yield { type: 'SuccessRejected', ...facts, ...(before === undefined ? rejection : displacedBy(rejection)) };
  }
}

/** Withdraws what was announced of a group's results that no longer count as successes. */
function* withdraw(group: Group, selection: Selection, maxAgeRecords: number): IterableIterator<BufferDecision> {
  for (const [experienceId, announcement] of group.announced) {
    if (selection.outcomeOf(group, experienceId) === announcement.outcomeId) continue;
    group.announced.delete(experienceId);
    if (announcement.status === 'admitted') yield withdrawn(experienceId, announcement, maxAgeRecords);
  }
}

function withdrawn(experienceId: string, announcement: Announcement, maxAgeRecords: number): BufferDecision {
  const { outcomeId, problemId, stratum, subject } = announcement;
  const why: { readonly reason: RejectionReason; readonly detail: string } =
    maxAgeRecords > 0
      ? {
          reason: 'aged_out',
          detail: `a result of its group lies more than ${maxAgeRecords} records before the newest of its partition`,
        }
      : { reason: 'displaced', detail: 'another verdict counts, or its arm is kept no longer' };
  return { type: 'SuccessRejected', stratum, outcomeId, experienceId, problemId, subject, ...why, duplicateOf: null };
}

function displacedBy({ detail, duplicateOf, reason }: Rejection): {
  reason: RejectionReason;
  detail: string;
  duplicateOf: string | null;
} {
  return { reason: 'displaced', detail: `${reason}: ${detail}`, duplicateOf };
}
