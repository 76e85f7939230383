/** What the mutings of a guard rest on, gathered from read models. Pure. */
import { deriveMeta, type EventOf } from '@seamstream/events';
import { isSeamError } from '@seamstream/kernel';
import {
  type DomainCounts,
  decideMuting,
  type Guard,
  type MutingDecision,
  mutingOf,
  mutingText,
  servedIn,
} from '@seamstream/release';
import { offsetsOf, type ReleaseFacts, SOURCE } from './release-evidence.js';

/**
 * The domains that a guard has counted while an adapter was served, each with its place among those that the plan does not name. The places are
 * in the order of publication, settled or not: a place that depended on results would spend more of the risk than there is.
 */
export function guardedDomains(
  { event, plan }: Guard,
  adapterDigest: string | null,
  { lift }: Pick<ReleaseFacts, 'lift'>,
): readonly DomainCounts[] {
  const { guards } = lift.decisions[plan.version];
  const own = guards.find((each) => each.guardId === event.guardId && each.adapterDigest === adapterDigest);
  const unnamed = lift.deployedDomains.filter((domain) => !Object.hasOwn(plan.weights, domain));
  const ranks = new Map(unnamed.map((domain, at) => [domain, at + 1]));
  return (own?.domains ?? []).map(({ domain, stages }) => ({
    domain,
    rank: ranks.get(domain) ?? null,
    // Without both arms there is nothing to compare.
    stages: stages
      .filter(({ controlShare }) => controlShare > 0 && controlShare < 1)
      .map(({ controlShare, counts, missing }) => ({
        controlShare,
        counts: counts.map(({ treated, result, problems }) => ({ treated, result, problems })),
        missing: { treated: missing.treated, control: missing.control },
      })),
  }));
}

/** What the rule says of a domain, as the event that says so; null where it is not muted. */
function mutingNow(
  { event, plan }: Guard,
  adapterDigest: string | null,
  counts: DomainCounts,
  facts: ReleaseFacts,
  /** Milliseconds since the Unix epoch. */
  at: number,
): EventOf<'DomainMuted'> | null {
  const decision: MutingDecision = decideMuting(plan, counts);
  if (!decision.isMuted) return null;
  const { domain } = counts;
  const role = `muted ${adapterDigest ?? 'base'} ${domain}`;
  return {
    type: 'DomainMuted',
    meta: deriveMeta(event.meta, { role, source: SOURCE, occurredAt: at }),
    ...{ guardId: event.guardId, slot: event.slot, adapterDigest, domain, rule: decision.rule },
    evidence: mutingText(plan, counts, decision.figures),
    offsets: [...offsetsOf(facts)],
    ...{ reason: decision.reason, attestation: null },
  };
}

/** Of every guard, the domains that its plan mutes now for what is served, and has not muted before. */
export function dueMutings(facts: ReleaseFacts, at: number): readonly EventOf<'DomainMuted'>[] {
  const { guards, slots } = facts.progress;
  return [...guards.guards.values()].flatMap((guard) => {
    const adapterDigest = servedIn(slots, guard.event.slot).served?.adapterDigest ?? null;
    return guardedDomains(guard, adapterDigest, facts).flatMap((counts) => {
      if (mutingOf(guard, { adapterDigest, domain: counts.domain }) !== undefined) return [];
      const muting = unlessImpossible(() => mutingNow(guard, adapterDigest, counts, facts, at));
      return muting === null ? [] : [muting];
    });
  });
}

/** Null where a domain has impossible figures: they must not keep other domains, and releases, from their decisions, or hide them. */
export function unlessImpossible<T>(decide: () => T | null): T | null {
  try {
    return decide();
  } catch (error) {
    if (isSeamError(error, 'INVALID_INPUT')) return null;
    throw error;
  }
}

/** A recorded muting made again from facts; null where nothing is muted by them. */
export function mutingAgain(muting: EventOf<'DomainMuted'>, facts: ReleaseFacts): EventOf<'DomainMuted'> | null {
  const { slot, guardId, adapterDigest, domain, meta } = muting;
  const guard = facts.progress.guards.guards.get(slot);
  if (guard?.event.guardId !== guardId) return null;
  const counts = guardedDomains(guard, adapterDigest, facts).find((each) => each.domain === domain);
  return counts === undefined ? null : mutingNow(guard, adapterDigest, counts, facts, meta.occurredAt);
}
