/**
 * Which artefact a slot is served with, folded from seam.adapters and seam.training. Each slot has its own chain: a fact about another
 * slot changes nothing in it. The topic of adapters has one partition, so all readers agree on the order of its facts. The facts of the
 * runs count regardless of their place among those: what is learned of a run later is applied as if it had been known before.
 *
 * A repeated fact counts once. Runs that end at the same time know nothing of each other, and no transaction spans both: the order
 * decides which promotion counts, and the other one is overtaken. No record is believed because it is there. A promotion, a rollback
 * or a pin that the rest of the log does not bear out changes nothing, and is reported as refused (promotion-evidence.decide.ts).
 *
 *   run promotes ──► served ◄── person promotes            pinned: neither changes what is served, until a person unpins.
 *                      │ person rolls back                 rolled back: no run brings the adapter back, nor one that it was the
 *                      ▼                                   origin of; a person may.
 *               an earlier one is served
 */
import {
  type AdapterPromoted,
  type AdapterPublished,
  type EventOf,
  GENERATOR_SLOT,
  type SeamEvent,
} from '@seamstream/events';
import { canonicalJson, onOneLine } from '@seamstream/kernel';
import {
  actDoubt,
  evaluationDoubt,
  isOfCompletedRun,
  type PromotionGrounds,
  promotionDoubt,
  type RunRecord,
  rollbackDoubt,
  runRecordOf,
} from './promotion-evidence.decide.js';

/** The adapter to serve; null is the bare base model. */
export interface ServedAdapter {
  readonly adapterDigest: string;
  /** In the object store. */
  readonly key: string;
  /** What a model that serves it answers to the fingerprint probe. */
  readonly fingerprint: string;
}

type DecisionEvent = EventOf<'AdapterPromoted' | 'AdapterRolledBack' | 'AdapterPinned' | 'AdapterUnpinned'>;
type Step = DecisionEvent | EventOf<'AdapterPublished' | 'AdapterEvaluated'>;

/** A promotion, a rollback or a pin, and its effect. */
export interface Decision {
  readonly event: DecisionEvent;
  /** overtaken: something else held by then, and it changed nothing. refused: the log does not bear it out. */
  readonly status: 'counted' | 'overtaken' | 'refused';
  /** Why it does not count; empty where it does. */
  readonly reason: string;
}

/**
 * Refused records that are kept, of decisions and of evaluations: a process that may append must not fill the memory of all readers. An honest promotion is
 * refused only until the facts of its run are read, which every reader reads first.
 */
const MOST_REFUSED = 1000;

export interface ServedAdapterState {
  /** Whose chain it is. */
  readonly slot: string;
  readonly served: ServedAdapter | null;
  /** What holds {@link served}, until a person unpins. */
  readonly pin: EventOf<'AdapterPinned'> | null;
  /** What was served, from the bare base model to what is served now. A rollback removes all after the adapter that it goes back to. */
  readonly history: readonly (ServedAdapter | null)[];
  /** By digest: adapters that a rollback removed, and that no later decision has promoted or gone back to. */
  readonly rolledBack: ReadonlyMap<string, EventOf<'AdapterRolledBack'>>;
  /** Every decision once, in the log's order: about as many as adapters, and the newest {@link MOST_REFUSED} of those that are refused. */
  readonly decisions: readonly Decision[];
  /** The facts about adapters so far, without those that are refused and forgotten. */
  readonly steps: readonly Step[];
  readonly runs: ReadonlyMap<string, RunRecord>;
  readonly published: readonly AdapterPublished[];
  /** What people measured, and what promotions that were not refused say was measured; in the log's order. */
  readonly measured: readonly EventOf<'AdapterEvaluated' | 'AdapterPromoted'>[];
  /** Evaluations that the log does not bear out, the newest {@link MOST_REFUSED}: nothing rests on them. */
  readonly doubted: readonly { readonly event: EventOf<'AdapterEvaluated'>; readonly reason: string }[];
}

/** @param slot by default that of the generators, which is also that of logs from before there were slots */
export function initialServedAdapter(slot: string = GENERATOR_SLOT): ServedAdapterState {
  return {
    slot,
    served: null,
    pin: null,
    history: [null],
    rolledBack: new Map(),
    decisions: [],
    steps: [],
    runs: new Map(),
    published: [],
    measured: [],
    doubted: [],
  };
}

const nameOf = (digest: string | null): string => (digest === null ? 'the base model' : `adapter ${digest}`);

/** What a promotion may rest on, with all that is known so far. */
export function groundsOf({ published, measured, runs }: ServedAdapterState): PromotionGrounds {
  return { published, measured, runs };
}

/**
 * Why a promotion changes nothing although the log bears it out: what is served is pinned; a run's adapter, or one that it descends
 * from, was rolled back; or it was compared with a parent that is not served. Undefined when it changes what is served.
 */
export function promotionHindrance(
  state: ServedAdapterState,
  promotion: Pick<AdapterPromoted, 'adapterDigest' | 'parent' | 'runId' | 'onlyOverParent'>,
): string | undefined {
  const { pin, rolledBack } = state;
  if (pin !== null) return pinnedReason(pin);
  const { adapterDigest, parent, runId, onlyOverParent } = promotion;
  const served = state.served?.adapterDigest ?? null;
  if (onlyOverParent && parent !== served)
    return `overtaken: it was compared with ${nameOf(parent)}, and meanwhile ${nameOf(served)} is served; train again from that`;
  const taken = runId === null ? undefined : takenBackBefore(state, adapterDigest);
  if (taken !== undefined) {
    const { rolledBackBy, reason } = rolledBack.get(taken)!;
    const which = taken === adapterDigest ? 'it' : `${nameOf(taken)}, which it descends from,`;
    return onOneLine(`${which} was rolled back by ${rolledBackBy} (${reason}); only a person promotes it again`);
  }
  return undefined;
}

function pinnedReason({ adapterDigest, pinnedBy, reason }: EventOf<'AdapterPinned'>): string {
  return onOneLine(`${nameOf(adapterDigest)} is pinned by ${pinnedBy} (${reason}); unpin it first`);
}

/** The first of the adapter and those it descends from, up to what is served, that was rolled back. */
function takenBackBefore(
  { rolledBack, published, served, runs }: ServedAdapterState,
  adapterDigest: string,
): string | undefined {
  const origins = new Set([adapterDigest]);
  for (const at of origins) {
    if (at === served?.adapterDigest) continue;
    if (rolledBack.has(at)) return at;
    // To publish it again, without a parent or under another, does not clear it, nor give it a parent that its run did not record.
    // For an adapter without a completed run every record counts.
    const told = published.filter((each) => each.adapterDigest === at);
    const borneOut = told.filter((each) => isOfCompletedRun(each, runs.get(each.runId)));
    for (const { parent } of borneOut.length > 0 ? borneOut : told) if (parent !== null) origins.add(parent);
  }
  return undefined;
}

/** What was served before what is served now, and was not rolled back since; undefined where there is nothing to go back to. */
export function lastGoodAdapter({ served, history, rolledBack }: ServedAdapterState): ServedAdapter | null | undefined {
  if (served === null) return undefined;
  return history.findLast(
    (each) => each?.adapterDigest !== served.adapterDigest && !(each !== null && rolledBack.has(each.adapterDigest)),
  );
}

/** The promotions that changed what was served, in the log's order. */
export function countedPromotions({ decisions }: ServedAdapterState): readonly EventOf<'AdapterPromoted'>[] {
  return decisions.flatMap(({ event, status }) =>
    status === 'counted' && event.type === 'AdapterPromoted' ? [event] : [],
  );
}

/** The effect of a decision; undefined for one that repeats an earlier one, or is not known. */
export function decisionOn({ decisions }: ServedAdapterState, event: SeamEvent): Decision | undefined {
  return decisions.find((each) => each.event === event);
}

/**
 * The state after an event of either topic. A promotion replaces what is served, unless the log does not bear it out or something
 * hinders it ({@link promotionHindrance}): then it changes nothing. A rollback names the adapter that it takes away, a pin the one that it
 * holds: when another one has been promoted since, it comes too late and changes nothing.
 */
export function evolveServedAdapter(state: ServedAdapterState, event: SeamEvent): ServedAdapterState {
  switch (event.type) {
    case 'TrainingRunStarted':
    case 'TrainingRunCompleted':
    case 'TrainingRunRejected': {
      const known = state.runs.get(event.runId);
      const run = runRecordOf(known, event);
      if (run === known) return state;
      const next = { ...state, runs: new Map(state.runs).set(event.runId, run) };
      return isAwaited(state, event.runId) ? foldedAnew(next) : next;
    }
    case 'AdapterPublished':
    case 'AdapterEvaluated':
    case 'AdapterPromoted':
    case 'AdapterRolledBack':
    case 'AdapterPinned':
    case 'AdapterUnpinned':
      return event.slot === state.slot ? bounded(take({ ...state, steps: [...state.steps, event] }, event)) : state;
    default:
      return state;
  }
}

/** Whether a promotion that was read may rest on facts of the run: it is of the run, or comes after what the run published. */
function isAwaited({ steps }: ServedAdapterState, runId: string): boolean {
  const first = steps.findIndex(
    (step) => (step.type === 'AdapterPublished' || step.type === 'AdapterPromoted') && step.runId === runId,
  );
  return first >= 0 && steps.slice(first).some(({ type }) => type === 'AdapterPromoted');
}

/** The same without its oldest refused records, where there are too many. */
function bounded(state: ServedAdapterState): ServedAdapterState {
  const { steps, decisions, doubted } = state;
  const refused = decisions.filter(({ status }) => status === 'refused');
  const forgotten = new Set<SeamEvent>(
    [refused, doubted].flatMap((all) => all.slice(0, Math.max(0, all.length - MOST_REFUSED)).map(({ event }) => event)),
  );
  if (forgotten.size === 0) return state;
  const isKept = ({ event }: { readonly event: SeamEvent }): boolean => !forgotten.has(event);
  return {
    ...state,
    steps: steps.filter((step) => !forgotten.has(step)),
    decisions: decisions.filter(isKept),
    doubted: doubted.filter(isKept),
  };
}

function foldedAnew({ slot, steps, runs }: ServedAdapterState): ServedAdapterState {
  return steps.reduce(take, { ...initialServedAdapter(slot), steps, runs });
}

function take(state: ServedAdapterState, step: Step): ServedAdapterState {
  if (step.type === 'AdapterPublished') return { ...state, published: [...state.published, step] };
  if (step.type === 'AdapterEvaluated') {
    const reason = evaluationDoubt(step, state.published);
    return reason === undefined
      ? { ...state, measured: [...state.measured, step] }
      : { ...state, doubted: [...state.doubted, { event: step, reason }] };
  }
  // A forged decision must not block the true one by its id: a refused one holds no id, nor does one of another kind or run.
  const before = state.decisions.find(
    ({ event, status }) =>
      status !== 'refused' &&
      event.meta.messageId === step.meta.messageId &&
      event.type === step.type &&
      runOf(event) === runOf(step),
  );
  if (before !== undefined)
    return isSame(before.event, step) ? state : decide(state, step, 'refused', 'another decision has its id');
  switch (step.type) {
    case 'AdapterPromoted':
      return promote(state, step);
    case 'AdapterRolledBack':
      return rollBack(state, step);
    case 'AdapterPinned':
      return pin(state, step);
    case 'AdapterUnpinned':
      return unpin(state, step);
  }
}

/** The run that a decision is of; null for a person's. */
function runOf(decision: Decision['event']): string | null {
  return decision.type === 'AdapterPromoted' ? decision.runId : null;
}

function promote(state: ServedAdapterState, promotion: EventOf<'AdapterPromoted'>): ServedAdapterState {
  const doubt = promotionDoubt(promotion, groundsOf(state));
  if (doubt !== undefined) return decide(state, promotion, 'refused', doubt);
  const hindrance = promotionHindrance(state, promotion);
  if (hindrance !== undefined) return decide(state, promotion, 'overtaken', hindrance);
  const { adapterDigest, key, fingerprint } = promotion;
  return serve(decide(state, promotion, 'counted'), { adapterDigest, key, fingerprint });
}

function rollBack(state: ServedAdapterState, rollback: EventOf<'AdapterRolledBack'>): ServedAdapterState {
  const doubt = rollbackDoubt(rollback, countedPromotions(state));
  if (doubt !== undefined) return decide(state, rollback, 'refused', doubt);
  if (state.pin !== null) return decide(state, rollback, 'overtaken', pinnedReason(state.pin));
  const { adapterDigest, to, key, fingerprint } = rollback;
  if (adapterDigest !== (state.served?.adapterDigest ?? null))
    return decide(state, rollback, 'overtaken', `adapter ${adapterDigest} was not served any more`);
  const served = to === null || key === null || fingerprint === null ? null : { adapterDigest: to, key, fingerprint };
  const before = state.history.findLastIndex((each) => (each?.adapterDigest ?? null) === to);
  const history = before < 0 ? state.history.slice(0, -1) : state.history.slice(0, before);
  const rolledBack = new Map(state.rolledBack);
  for (const taken of state.history.slice(history.length))
    if (taken !== null) rolledBack.set(taken.adapterDigest, rollback);
  return serve({ ...decide(state, rollback, 'counted'), history, rolledBack }, served);
}

/** Serves another adapter. A person may promote one that was rolled back, and that ends the effect of the rollback. */
function serve(state: ServedAdapterState, served: ServedAdapter | null): ServedAdapterState {
  const rolledBack = new Map(state.rolledBack);
  if (served !== null) rolledBack.delete(served.adapterDigest);
  return { ...state, served, rolledBack, history: [...state.history, served] };
}

function pin(state: ServedAdapterState, event: EventOf<'AdapterPinned'>): ServedAdapterState {
  const doubt = actDoubt(event.pinnedBy, event.reason);
  if (doubt !== undefined) return decide(state, event, 'refused', doubt);
  if (state.pin !== null) return decide(state, event, 'overtaken', pinnedReason(state.pin));
  const served = state.served?.adapterDigest ?? null;
  if (event.adapterDigest !== served)
    return decide(state, event, 'overtaken', `${nameOf(event.adapterDigest)} is not served, ${nameOf(served)} is`);
  return { ...decide(state, event, 'counted'), pin: event };
}

function unpin(state: ServedAdapterState, event: EventOf<'AdapterUnpinned'>): ServedAdapterState {
  const doubt = actDoubt(event.unpinnedBy, event.reason);
  if (doubt !== undefined) return decide(state, event, 'refused', doubt);
  if (state.pin?.adapterDigest !== event.adapterDigest)
    return decide(state, event, 'overtaken', `${nameOf(event.adapterDigest)} was not pinned any more`);
  return { ...decide(state, event, 'counted'), pin: null };
}

function decide(
  state: ServedAdapterState,
  event: Decision['event'],
  status: Decision['status'],
  reason = '',
): ServedAdapterState {
  const isMeasured = event.type === 'AdapterPromoted' && status !== 'refused';
  return {
    ...state,
    decisions: [...state.decisions, { event, status, reason }],
    measured: isMeasured ? [...state.measured, event] : state.measured,
  };
}

/** Whether one repeats the other, as a redelivery does: only the metadata may differ. */
function isSame(a: Decision['event'], b: Decision['event']): boolean {
  return canonicalJson({ ...a, meta: null }) === canonicalJson({ ...b, meta: null });
}
