/** What persons declare of guards: that a slot is guarded and how, that it is not any more, and that a domain is not muted any more. */
import { type EventOf, GENERATOR_SLOT, originMeta, type SeamEvent } from '@seamstream/events';
import { newId, onOneLine, SeamError } from '@seamstream/kernel';
import {
  checkedGuardPlan,
  DEFAULT_GUARD_PLAN,
  type GuardPlan,
  guardDoubt,
  guardPlanText,
  MOST_WEIGHTS,
  servedIn,
  unmutingDoubt,
} from '@seamstream/release';
import { assertWouldBeBelieved } from '@seamstream/signatures';
import type { ReadingOptions } from '../read-models/index.js';
import { holdDecisions } from './hold-decisions.js';
import { centreOf, type ReleaseFacts, type ReleaseWorld } from './release-evidence.js';
import { readFacts } from './release-facts.js';

interface Signed {
  readonly by: string;
  readonly reason: string;
}

/** Part of the risk that is kept for domains that have no problem yet. */
const RESERVE = 0.2;
/** Weights are rounded down to this, so that a plan is easy to read. */
const WEIGHT_STEP = 0.001;

/**
 * The plan that is declared where a person says nothing else: the risk is divided as the traffic is, but for a reserve, and the centre is the rate
 * of success so far.
 */
export function proposedGuardPlan({ lift }: Pick<ReleaseFacts, 'lift'>): GuardPlan {
  const domains = (lift.modes.find(({ mode }) => mode === 'deploy')?.domains ?? [])
    .map(({ domain, counts }) => ({
      domain,
      problems: counts.reduce((sum, { problems }) => sum + problems, 0),
      counts,
    }))
    .sort((a, b) => b.problems - a.problems)
    .slice(0, MOST_WEIGHTS);
  const problems = domains.reduce((sum, each) => sum + each.problems, 0);
  if (problems === 0) return DEFAULT_GUARD_PLAN;
  const solved = domains
    .flatMap(({ counts }) => counts)
    .reduce((sum, { result, problems: times }) => sum + result * times, 0);
  const weights = domains.map(({ domain, problems: own }): [string, number] => {
    const steps = Math.floor(((1 - RESERVE) * own) / problems / WEIGHT_STEP);
    return [domain, Number((steps * WEIGHT_STEP).toFixed(3))];
  });
  return {
    ...DEFAULT_GUARD_PLAN,
    centre: centreOf(solved / problems),
    // A domain with less than one step is for the reserve.
    weights: Object.fromEntries(weights.filter(([, weight]) => weight > 0)),
  };
}

/**
 * Guards a slot by a plan, in place of the guard before it. Only problems that are drawn from then on count: a plan that was chosen after looking
 * at them would not keep its risk.
 * @param changes what differs from {@link proposedGuardPlan}; null switches the guard off
 * @throws INVALID_INPUT for a plan that is not valid, CONFLICT where it would not count
 */
export async function declareGuard(
  world: ReleaseWorld,
  { changes, by, reason }: Signed & { readonly changes: Readonly<Record<string, unknown>> | null },
  options: ReadingOptions,
): Promise<EventOf<'GuardPlanned'>> {
  return act(world, 'GuardPlanned', options, (facts, at) => {
    const { guards } = facts.progress;
    if (changes === null && !guards.guards.has(GENERATOR_SLOT))
      throw new SeamError('CONFLICT', 'Cannot switch the guard off: it is not on. Nothing was recorded.');
    const plan = changes === null ? null : checkedGuardPlan({ ...proposedGuardPlan(facts), ...changes });
    const guardId = newId();
    const event: EventOf<'GuardPlanned'> = {
      ...{ type: 'GuardPlanned', meta: personsMeta(guardId, at), guardId, slot: GENERATOR_SLOT },
      ...{ plan: plan === null ? null : guardPlanText(plan), plannedBy: by, reason, attestation: null },
    };
    return [event, guardDoubt(guards, event)];
  });
}

/**
 * Ends the muting of a domain for what is served, in the name of a person.
 * @throws CONFLICT where it is not muted: nothing is recorded then
 */
export async function unmuteDomain(
  world: ReleaseWorld,
  { domain, by, reason }: Signed & { readonly domain: string },
  options: ReadingOptions,
): Promise<EventOf<'DomainUnmuted'>> {
  return act(world, 'DomainUnmuted', options, ({ progress: { guards, slots } }, at) => {
    const guard = guards.guards.get(GENERATOR_SLOT);
    const adapterDigest = servedIn(slots, GENERATOR_SLOT).served?.adapterDigest ?? null;
    const guardId = guard?.event.guardId ?? 'none';
    const event: EventOf<'DomainUnmuted'> = {
      ...{ type: 'DomainUnmuted', meta: personsMeta(guardId, at), guardId, slot: GENERATOR_SLOT },
      ...{ adapterDigest, domain, unmutedBy: by, reason, attestation: null },
    };
    return [event, guard === undefined ? 'no guard is on' : unmutingDoubt(guard, event)];
  });
}

const personsMeta = (correlationId: string, at: number) =>
  originMeta({
    ...{ messageId: newId(), correlationId, source: 'seam/cli', occurredAt: at, sourceClass: 'user' },
  });

/** Records what a person says under the claim of those who decide, unless it would not count. */
async function act<E extends Extract<SeamEvent, { type: 'GuardPlanned' | 'DomainUnmuted' }>>(
  world: ReleaseWorld,
  type: E['type'],
  options: ReadingOptions,
  say: (facts: ReleaseFacts, at: number) => readonly [event: E, doubt: string | undefined],
): Promise<E> {
  assertWouldBeBelieved(type, await world.signing());
  const kept = await world.openKeptLog();
  return holdDecisions(await world.openLog('append'), async (record) => {
    const [event, doubt] = say(await readFacts(kept, options), world.clock.now());
    if (doubt !== undefined) {
      const subject = event.type === 'DomainUnmuted' ? `domain ${onOneLine(event.domain)}` : 'the guard';
      throw new SeamError('CONFLICT', `Cannot act on ${subject}: ${onOneLine(doubt)}. Nothing was recorded.`);
    }
    await record([event]);
    return event;
  });
}
