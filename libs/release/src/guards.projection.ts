/**
 * The guards of a log, folded from seam.adapters. No record is believed because it is there: a plan counts when a person made it, a muting when
 * the plan's rule decides so from the counts that it names, and an end of one when a person says so.
 *
 * What is muted is so for one guard and one adapter. Another adapter begins without mutings, and so does another plan; where the adapter is
 * served again, its mutings hold again.
 */
import type { EventOf, SeamEvent } from '@seamstream/events';
import { messageOf } from '@seamstream/kernel';
import { decideMuting, domainCountsIn, mutingText } from './guard.decide.js';
import { type GuardPlan, guardPlanIn } from './guard-plan.js';
import { actDoubt } from './promotion-evidence.decide.js';

type GuardEvent = EventOf<'GuardPlanned' | 'DomainMuted' | 'DomainUnmuted'>;

/** What became of a domain of an adapter. */
export interface Muting {
  readonly event: EventOf<'DomainMuted'>;
  /** Who ended it; null while it holds. */
  readonly ended: EventOf<'DomainUnmuted'> | null;
}

export interface Guard {
  readonly event: EventOf<'GuardPlanned'>;
  readonly plan: GuardPlan;
  /** In the log's order. */
  readonly mutings: readonly Muting[];
}

export interface RefusedGuardRecord {
  readonly event: GuardEvent;
  readonly reason: string;
}

export interface GuardsState {
  /** By slot: those that are in force. */
  readonly guards: ReadonlyMap<string, Guard>;
  /** Ids that were declared: no guard comes back, and none has two plans. */
  readonly declared: ReadonlySet<string>;
  /** The newest {@link MOST_SHOWN}: a process that may append must not fill the memory of all readers. */
  readonly refused: readonly RefusedGuardRecord[];
  /** How many were refused, these included. */
  readonly refusedCount: number;
}

const MOST_SHOWN = 100;

export const initialGuards = (): GuardsState => ({
  guards: new Map(),
  declared: new Set(),
  refused: [],
  refusedCount: 0,
});

export function evolveGuards(state: GuardsState, event: SeamEvent): GuardsState {
  switch (event.type) {
    case 'GuardPlanned':
      return declare(state, event);
    case 'DomainMuted':
    case 'DomainUnmuted': {
      const guard = state.guards.get(event.slot);
      if (guard?.mutings.some(({ event: own, ended }) => [own, ended].some((each) => isRepeated(each, event))) === true)
        return state;
      const doubt = event.type === 'DomainMuted' ? mutingDoubt(guard, event) : unmutingDoubt(guard, event);
      if (guard === undefined || doubt !== undefined) return refuse(state, event, doubt ?? '');
      return inSlot(state, event.slot, { ...guard, mutings: mutingsAfter(guard.mutings, event) });
    }
    default:
      return state;
  }
}

const isRepeated = (known: GuardEvent | null, event: GuardEvent): boolean =>
  known?.type === event.type && known.meta.messageId === event.meta.messageId;

const refuse = (state: GuardsState, event: GuardEvent, reason: string): GuardsState => ({
  ...state,
  refused: [...state.refused, { event, reason }].slice(-MOST_SHOWN),
  refusedCount: state.refusedCount + 1,
});

function inSlot(state: GuardsState, slot: string, guard: Guard | undefined): GuardsState {
  const guards = new Map(state.guards);
  if (guard === undefined) guards.delete(slot);
  else guards.set(slot, guard);
  return { ...state, guards };
}

function declare(state: GuardsState, event: EventOf<'GuardPlanned'>): GuardsState {
  // A declaration that is repeated changes nothing.
  if (isRepeated(state.guards.get(event.slot)?.event ?? null, event)) return state;
  const plan = event.plan === null ? null : guardPlanIn(event.plan);
  const doubt = typeof plan === 'string' ? plan : guardDoubt(state, event);
  if (typeof plan === 'string' || doubt !== undefined) return refuse(state, event, doubt ?? '');
  const declared = new Set(state.declared).add(event.guardId);
  return inSlot({ ...state, declared }, event.slot, plan === null ? undefined : { event, plan, mutings: [] });
}

/** Why a declaration does not count; undefined when it does. */
export function guardDoubt(state: GuardsState, event: EventOf<'GuardPlanned'>): string | undefined {
  if (state.declared.has(event.guardId)) return `guard ${event.guardId} was declared before`;
  return actDoubt(event.plannedBy, event.reason);
}

/** Whether a domain is muted for an adapter, and how that ended. */
export function mutingOf(
  { mutings }: Guard,
  { adapterDigest, domain }: Pick<EventOf<'DomainMuted'>, 'adapterDigest' | 'domain'>,
): Muting | undefined {
  return mutings.find(({ event }) => event.adapterDigest === adapterDigest && event.domain === domain);
}

/** Why a muting does not count; undefined when it does. */
export function mutingDoubt(guard: Guard | undefined, event: EventOf<'DomainMuted'>): string | undefined {
  if (guard?.event.guardId !== event.guardId) return `guard ${event.guardId} is not in force`;
  const known = mutingOf(guard, event);
  if (known !== undefined)
    return known.ended === null ? 'the domain is muted already' : `${known.ended.unmutedBy} ended its muting`;
  const counts = domainCountsIn(event.evidence);
  if (counts === undefined) return 'its evidence is not valid: expected counts of problems once for each share';
  try {
    const { isMuted, rule, reason, figures } = decideMuting(guard.plan, counts);
    const isSame =
      isMuted &&
      counts.domain === event.domain &&
      rule === event.rule &&
      reason === event.reason &&
      mutingText(guard.plan, counts, figures) === event.evidence;
    return isSame ? undefined : `its counts do not bear it out: ${reason}`;
  } catch (error) {
    // Counts that contradict each other; a record that a reader threw at would stop every reader.
    return `its evidence is not valid: ${messageOf(error)}`;
  }
}

/** Why the end of a muting does not count; undefined when it does. */
export function unmutingDoubt(guard: Guard | undefined, event: EventOf<'DomainUnmuted'>): string | undefined {
  if (guard?.event.guardId !== event.guardId) return `guard ${event.guardId} is not in force`;
  const known = mutingOf(guard, event);
  if (known === undefined) return 'the domain is not muted for this adapter';
  if (known.ended !== null) return `${known.ended.unmutedBy} ended its muting before`;
  return actDoubt(event.unmutedBy, event.reason);
}

function mutingsAfter(mutings: readonly Muting[], event: EventOf<'DomainMuted' | 'DomainUnmuted'>): readonly Muting[] {
  if (event.type === 'DomainMuted') return [...mutings, { event, ended: null }];
  return mutings.map((each) =>
    each.event.adapterDigest === event.adapterDigest && each.event.domain === event.domain
      ? { ...each, ended: event }
      : each,
  );
}

/** What a guard means for who draws arms while an adapter is served. */
export interface GuardInForce {
  readonly guardId: string;
  readonly adapterDigest: string | null;
  /** Of the problems of a muted domain, those that are treated. */
  readonly share: number;
  readonly muted: ReadonlySet<string>;
}

/** Undefined where the slot is not guarded. */
export function guardInForce(
  { guards }: GuardsState,
  slot: string,
  adapterDigest: string | null,
): GuardInForce | undefined {
  const guard = guards.get(slot);
  if (guard === undefined) return undefined;
  const muted = guard.mutings.filter(({ event, ended }) => ended === null && event.adapterDigest === adapterDigest);
  return {
    guardId: guard.event.guardId,
    adapterDigest,
    share: guard.plan.share,
    muted: new Set(muted.map(({ event }) => event.domain)),
  };
}

/**
 * The probability of the control arm for a problem that is deployed. A larger one keeps the controls that a smaller one had: muting takes entries
 * away, and moves no unit the other way.
 * @param controlShare where the domain is not muted
 */
export function controlShareIn(guard: GuardInForce | undefined, domain: string, controlShare: number): number {
  return guard?.muted.has(domain) === true ? Math.max(controlShare, 1 - guard.share) : controlShare;
}
