/**
 * Which adapter generators shall serve, folded from seam.adapters and seam.training. The topic of adapters has one partition, so all
 * readers agree on the order of its facts; of the runs only what is in the log counts, wherever it stands among them: what is
 * learned of a run later is applied as if it had been known before.
 *
 * A fact that is told twice counts once. Runs that end at the same time know nothing of each other, and no transaction spans both:
 * the order decides which promotion counts, the other one is overtaken. And no record is believed because it is there: a promotion or
 * rollback that the rest of the log does not bear out changes nothing, and is told as refused (promotion-evidence.decide.ts).
 */
import type { AdapterPublished, EventOf, SeamEvent } from '@seamstream/events';
import { canonicalJson } from '@seamstream/kernel';
import { promotionDoubt, type RunRecord, rollbackDoubt, runRecordOf } from './promotion-evidence.decide.js';

/** The adapter to serve; null is the bare base model. */
export interface ServedAdapter {
  readonly adapterDigest: string;
  /** In the object store. */
  readonly key: string;
  /** What a model that serves it answers to the fingerprint probe. */
  readonly fingerprint: string;
}

type Step = EventOf<'AdapterPublished'> | EventOf<'AdapterPromoted'> | EventOf<'AdapterRolledBack'>;

/** A promotion or rollback, and what came of it. */
export interface Decision {
  readonly event: EventOf<'AdapterPromoted'> | EventOf<'AdapterRolledBack'>;
  /** overtaken: it came too late and changed nothing. refused: the log does not bear it out. */
  readonly status: 'counted' | 'overtaken' | 'refused';
  /** Why it does not count; empty where it does. */
  readonly reason: string;
}

export interface ServedAdapterState {
  readonly served: ServedAdapter | null;
  /** Every decision once, in the log's order: as many as adapters, so few. */
  readonly decisions: readonly Decision[];
  /** What was said of adapters so far. */
  readonly steps: readonly Step[];
  readonly runs: ReadonlyMap<string, RunRecord>;
  readonly published: readonly AdapterPublished[];
}

export function initialServedAdapter(): ServedAdapterState {
  return { served: null, decisions: [], steps: [], runs: new Map(), published: [] };
}

/** Why an adapter that was compared with its parent is not promoted while something else is served; null is the bare base model. */
export function overtakenReason(parent: string | null, served: string | null): string {
  const nameOf = (digest: string | null): string => (digest === null ? 'the base model' : `adapter ${digest}`);
  return `overtaken: it was compared with ${nameOf(parent)}, and meanwhile ${nameOf(served)} is served; train anew from that`;
}

/** What came of a promotion or rollback; undefined for one that says again what was said before, or is not known. */
export function decisionOn({ decisions }: ServedAdapterState, event: SeamEvent): Decision | undefined {
  return decisions.find((each) => each.event === event);
}

/**
 * The state after an event of either topic. A promotion replaces what is served, unless the log does not bear it out, or it was
 * decided over a parent that is served no more, and says that it counts over that one only: then it comes too late and changes
 * nothing. A rollback names the adapter that it takes away: when another one has been promoted since, it comes too late and changes
 * nothing.
 */
export function evolveServedAdapter(state: ServedAdapterState, event: SeamEvent): ServedAdapterState {
  switch (event.type) {
    case 'TrainingRunStarted':
    case 'TrainingRunCompleted': {
      const known = state.runs.get(event.runId);
      const run = runRecordOf(known, event);
      if (run === known) return state;
      const next = { ...state, runs: new Map(state.runs).set(event.runId, run) };
      const isAwaited = state.steps.some((step) => step.type === 'AdapterPromoted' && step.runId === event.runId);
      return isAwaited ? foldedAnew(next) : next;
    }
    case 'AdapterPublished':
    case 'AdapterPromoted':
    case 'AdapterRolledBack':
      return take({ ...state, steps: [...state.steps, event] }, event);
    default:
      return state;
  }
}

function foldedAnew({ steps, runs }: ServedAdapterState): ServedAdapterState {
  return steps.reduce(take, { ...initialServedAdapter(), steps, runs });
}

function take(state: ServedAdapterState, step: Step): ServedAdapterState {
  if (step.type === 'AdapterPublished') return { ...state, published: [...state.published, step] };
  // Whoever forges a decision must not block the true one by its id: what was refused holds none.
  const before = state.decisions.find(
    ({ event, status }) => event.meta.messageId === step.meta.messageId && status !== 'refused',
  );
  if (before !== undefined)
    return isSame(before.event, step) ? state : decide(state, step, 'refused', 'another decision has its id');
  return step.type === 'AdapterPromoted' ? promote(state, step) : rollBack(state, step);
}

function promote(state: ServedAdapterState, promotion: EventOf<'AdapterPromoted'>): ServedAdapterState {
  const doubt = promotionDoubt(promotion, state);
  if (doubt !== undefined) return decide(state, promotion, 'refused', doubt);
  const { adapterDigest, key, fingerprint, parent, onlyOverParent } = promotion;
  const servedDigest = state.served?.adapterDigest ?? null;
  if (onlyOverParent && parent !== servedDigest)
    return decide(state, promotion, 'overtaken', overtakenReason(parent, servedDigest));
  return { ...decide(state, promotion, 'counted'), served: { adapterDigest, key, fingerprint } };
}

function rollBack(state: ServedAdapterState, rollback: EventOf<'AdapterRolledBack'>): ServedAdapterState {
  const earlier = state.decisions.flatMap(({ event, status }) =>
    status === 'counted' && event.type === 'AdapterPromoted' ? [event] : [],
  );
  const doubt = rollbackDoubt(rollback, earlier);
  if (doubt !== undefined) return decide(state, rollback, 'refused', doubt);
  const { adapterDigest, to, key, fingerprint } = rollback;
  if (adapterDigest !== (state.served?.adapterDigest ?? null))
    return decide(state, rollback, 'overtaken', `adapter ${adapterDigest} was not served any more`);
  const served = to === null || key === null || fingerprint === null ? null : { adapterDigest: to, key, fingerprint };
  return { ...decide(state, rollback, 'counted'), served };
}

function decide(
  state: ServedAdapterState,
  event: Decision['event'],
  status: Decision['status'],
  reason = '',
): ServedAdapterState {
  return { ...state, decisions: [...state.decisions, { event, status, reason }] };
}

/** Told again by a redelivery: only when it was told may differ. */
function isSame(a: Decision['event'], b: Decision['event']): boolean {
  return canonicalJson({ ...a, meta: null }) === canonicalJson({ ...b, meta: null });
}
