/**
 * The releases of a log, folded from seam.adapters. No record is believed because it is there: a plan counts when a person made it over what
 * was served then, and a decision when the plan's rule decides so from the counts that it names, or a person says so. What else is
 * served in the meantime ends a release: its comparison is with a parent that is not served any more.
 */
import type { EventOf, SeamEvent } from '@seamstream/events';
import { messageOf } from '@seamstream/kernel';
import { actDoubt } from './promotion-evidence.decide.js';
import { decideStage, evidenceIn, evidenceText, STAGE_ENDS, type StageEnd } from './release.decide.js';
import { planIn, type ReleasePlan } from './release-plan.js';
import type { ServedAdapterState } from './served-adapter.projection.js';

export interface Release {
  readonly event: EventOf<'ReleasePlanned'>;
  readonly plan: ReleasePlan;
  /** Index of the stage that runs, or that was the last. */
  readonly stage: number;
  /** overtaken: something else is served than the parent. */
  readonly status: 'running' | 'overtaken' | Exclude<StageEnd, 'advanced'>;
  /** Those that count, in the log's order. */
  readonly decisions: readonly EventOf<'ReleaseDecided'>[];
}

export interface RefusedRelease {
  readonly event: EventOf<'ReleasePlanned' | 'ReleaseDecided'>;
  readonly reason: string;
}

export interface ReleasesState {
  /** By id, in the order of their plans. */
  readonly releases: ReadonlyMap<string, Release>;
  /** The newest {@link MOST_SHOWN}: a process that may append must not fill the memory of all readers. */
  readonly refused: readonly RefusedRelease[];
  /** How many were refused, these included. */
  readonly refusedCount: number;
}

const MOST_SHOWN = 100;

export const initialReleases = (): ReleasesState => ({ releases: new Map(), refused: [], refusedCount: 0 });

const withRefused = (state: ReleasesState, refused: RefusedRelease): ReleasesState => ({
  ...state,
  refused: [...state.refused, refused].slice(-MOST_SHOWN),
  refusedCount: state.refusedCount + 1,
});

/** The release that is tried in a slot. */
export function runningIn({ releases }: ReleasesState, slot: string): Release | undefined {
  return [...releases.values()].find(({ status, event }) => status === 'running' && event.slot === slot);
}

/** @param own what is served in the event's slot, and what is known of its adapters, after the event */
export function evolveReleases(state: ReleasesState, event: SeamEvent, own: ServedAdapterState): ReleasesState {
  switch (event.type) {
    case 'ReleasePlanned':
      return begin(state, event, own);
    case 'ReleaseDecided':
      return decide(state, event);
    case 'AdapterPromoted':
    case 'AdapterRolledBack': {
      const running = runningIn(state, event.slot);
      if (running === undefined || servedDigest(own) === running.event.parent) return state;
      return changed(state, { ...running, status: 'overtaken' });
    }
    default:
      return state;
  }
}

const servedDigest = ({ served }: ServedAdapterState): string | null => served?.adapterDigest ?? null;

const changed = (state: ReleasesState, release: Release): ReleasesState => ({
  ...state,
  releases: new Map(state.releases).set(release.event.releaseId, release),
});

function begin(state: ReleasesState, event: EventOf<'ReleasePlanned'>, own: ServedAdapterState): ReleasesState {
  const plan = planIn(event.plan);
  const doubt = typeof plan === 'string' ? plan : planDoubt(state, event, own);
  if (typeof plan === 'string' || doubt !== undefined)
    // A plan that is repeated changes nothing.
    return state.releases.get(event.releaseId)?.event.meta.messageId === event.meta.messageId
      ? state
      : withRefused(state, { event, reason: doubt ?? '' });
  return changed(state, { event, plan, stage: 0, status: 'running', decisions: [] });
}

/** Why a plan does not count; undefined when it does. */
export function planDoubt(
  state: ReleasesState,
  { releaseId, slot, candidate, parent, plannedBy, reason }: EventOf<'ReleasePlanned'>,
  own: ServedAdapterState,
): string | undefined {
  if (state.releases.has(releaseId)) return `release ${releaseId} was planned before`;
  const running = runningIn(state, slot);
  if (running !== undefined) return `release ${running.event.releaseId} of this slot is not over`;
  if (candidate === parent) return 'its candidate is its parent';
  if (own.pin !== null) return `what is served is pinned by ${own.pin.pinnedBy}`;
  if (!own.published.some(({ adapterDigest }) => adapterDigest === candidate))
    return `adapter ${candidate} was not published before`;
  const served = servedDigest(own);
  if (served !== parent)
    return `its parent is ${parent ?? 'the base model'}, and ${served ?? 'the base model'} is served`;
  return actDoubt(plannedBy, reason);
}

function decide(state: ReleasesState, event: EventOf<'ReleaseDecided'>): ReleasesState {
  const release = state.releases.get(event.releaseId);
  if (release?.decisions.some(({ meta }) => meta.messageId === event.meta.messageId)) return state;
  const doubt = decisionDoubt(release, event);
  if (release === undefined || doubt !== undefined) return withRefused(state, { event, reason: doubt ?? '' });
  const decisions = [...release.decisions, event];
  const end = event.decision as StageEnd;
  return changed(
    state,
    end === 'advanced' ? { ...release, decisions, stage: release.stage + 1 } : { ...release, decisions, status: end },
  );
}

/** Why a decision does not count; undefined when it does. */
export function decisionDoubt(release: Release | undefined, event: EventOf<'ReleaseDecided'>): string | undefined {
  const { releaseId, stage, decision, decidedBy, reason, slot } = event;
  if (release === undefined) return `no release ${releaseId} was planned`;
  if (release.status !== 'running') return `release ${releaseId} is over: ${release.status}`;
  if (slot !== release.event.slot) return `release ${releaseId} is of slot ${release.event.slot}`;
  if (stage !== release.stage) return `stage ${release.stage + 1} runs, and it decides on ${stage + 1}`;
  if (!STAGE_ENDS.includes(decision as StageEnd)) return 'it says neither of the ends of a stage';
  if (decision === 'advanced' && stage === release.plan.stages.length - 1) return 'there is no stage after the last';
  return decidedBy === null ? ruleDoubt(release, event) : actDoubt(decidedBy, reason);
}

/** Whether the plan decides so from the counts, and says so in these words. */
function ruleDoubt({ plan }: Release, event: EventOf<'ReleaseDecided'>): string | undefined {
  const evidence = evidenceIn(event.evidence);
  if (evidence === undefined) return 'its evidence is not valid: expected counts of problems once for each stage';
  try {
    const { end, rule, reason, figures } = decideStage(plan, event.stage, evidence);
    const isSame =
      end === event.decision &&
      rule === event.rule &&
      reason === event.reason &&
      evidenceText(plan, evidence, figures) === event.evidence;
    return isSame ? undefined : `its counts do not bear it out: ${reason}`;
  } catch (error) {
    // Counts that contradict each other; a record that a reader threw at would stop every reader.
    return `its evidence is not valid: ${messageOf(error)}`;
  }
}
