/**
 * Which adapter generators shall serve, folded from seam.adapters. The topic has one partition, so all readers agree on the
 * order; a fact that is told twice counts once. Runs that end at the same time know nothing of each other, and no transaction
 * spans both: the order decides which promotion counts, the other one is overtaken.
 */
import type { SeamEvent } from '@seamstream/events';

/** The adapter to serve; null is the bare base model. */
export interface ServedAdapter {
  readonly adapterDigest: string;
  /** In the object store. */
  readonly key: string;
  /** What a model that serves it answers to the fingerprint probe. */
  readonly fingerprint: string;
}

export interface ServedAdapterState {
  readonly served: ServedAdapter | null;
  /** messageIds of the promotions and rollbacks so far: as many as adapters, so few. */
  readonly told: ReadonlySet<string>;
  /** Promotions that came too late: why, by their messageIds. */
  readonly overtaken: ReadonlyMap<string, string>;
}

export function initialServedAdapter(): ServedAdapterState {
  return { served: null, told: new Set(), overtaken: new Map() };
}

/** Why an adapter that was compared with its parent is not promoted while something else is served; null is the bare base model. */
export function overtakenReason(parent: string | null, served: string | null): string {
  const nameOf = (digest: string | null): string => (digest === null ? 'the base model' : `adapter ${digest}`);
  return `overtaken: it was compared with ${nameOf(parent)}, and meanwhile ${nameOf(served)} is served; train anew from that`;
}

/**
 * The state after an event. A promotion replaces what is served, unless it was decided over a parent that is served no more, and says
 * that it counts over that one only: then it comes too late and changes nothing. A rollback names the adapter that it takes away: when another
 * one has been promoted since, it comes too late and changes nothing.
 */
export function evolveServedAdapter(state: ServedAdapterState, event: SeamEvent): ServedAdapterState {
  if ((event.type !== 'AdapterPromoted' && event.type !== 'AdapterRolledBack') || state.told.has(event.meta.messageId))
    return state;
  const told = new Set([...state.told, event.meta.messageId]);
  const { overtaken } = state;
  const servedDigest = state.served?.adapterDigest ?? null;
  if (event.type === 'AdapterPromoted') {
    const { adapterDigest, key, fingerprint, parent } = event;
    if (event.onlyOverParent && parent !== servedDigest) {
      const reason = overtakenReason(parent, servedDigest);
      return { ...state, told, overtaken: new Map(overtaken).set(event.meta.messageId, reason) };
    }
    return { served: { adapterDigest, key, fingerprint }, told, overtaken };
  }
  if (event.adapterDigest !== servedDigest) return { ...state, told };
  const { to, key, fingerprint } = event;
  const earlier = to === null || key === null || fingerprint === null ? null : { adapterDigest: to, key, fingerprint };
  return { served: earlier, told, overtaken };
}
