/** What a person's act on a slot means for the release that is tried there. Pure. */
import type { EventOf } from '@seamstream/events';
import { isSeamError } from '@seamstream/kernel';
import { type Decision, decisionDoubt, type Release, runningIn } from '@seamstream/release';
import { personsDecision, type ReleaseFacts } from './release-evidence.js';

const WORDS = {
  AdapterPromoted: 'promoted another adapter',
  AdapterRolledBack: 'rolled back what is served',
  AdapterPinned: 'pinned what is served',
} as const;

/** A release that a person's act ends. */
export interface EndedRelease {
  readonly release: Release;
  readonly decision: EventOf<'ReleaseDecided'>;
}

/**
 * The end of the release that runs in the slot, for the same append: a person who promotes its candidate decides it, and who promotes, rolls
 * back or pins something else leaves it undecided. Null where none runs, and where its course is not touched.
 */
export function endOfRunning(
  act: Decision['event'],
  facts: ReleaseFacts,
  { by, reason }: { readonly by: string; readonly reason: string },
): EndedRelease | null {
  if (act.type === 'AdapterUnpinned') return null;
  const release = runningIn(facts.progress, act.slot);
  if (release === undefined) return null;
  const isItsPromotion = act.type === 'AdapterPromoted' && act.adapterDigest === release.event.candidate;
  const decision = decisionUnlessHindered(() =>
    personsDecision(release, facts, {
      end: isItsPromotion ? 'promoted' : 'undecided',
      by,
      reason: isItsPromotion ? reason : `${by} ${WORDS[act.type]}: ${reason}`,
      at: act.meta.occurredAt,
    }),
  );
  if (decision === undefined) return null;
  // Its stage is over already in another way, say by a record that is not read yet: readers see it as overtaken.
  return decisionDoubt(release, decision) === undefined ? { release, decision } : null;
}

/** Undefined where the evidence has impossible figures: these must not keep a person from acting on what is served. */
function decisionUnlessHindered(decide: () => EventOf<'ReleaseDecided'>): EventOf<'ReleaseDecided'> | undefined {
  try {
    return decide();
  } catch (error) {
    if (isSeamError(error, 'INVALID_INPUT')) return undefined;
    throw error;
  }
}
