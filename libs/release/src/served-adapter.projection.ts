/**
 * Which adapter generators shall serve, folded from seam.adapters. The topic has one partition, so all readers agree on the
 * order; a fact that is told twice counts once.
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
}

export function initialServedAdapter(): ServedAdapterState {
  return { served: null, told: new Set() };
}

/**
 * The state after an event. A promotion replaces what is served. A rollback names the adapter that it takes away: when another
 * one has been promoted since, it comes too late and changes nothing.
 */
export function evolveServedAdapter(state: ServedAdapterState, event: SeamEvent): ServedAdapterState {
  if ((event.type !== 'AdapterPromoted' && event.type !== 'AdapterRolledBack') || state.told.has(event.meta.messageId))
    return state;
  const told = new Set([...state.told, event.meta.messageId]);
  if (event.type === 'AdapterPromoted') {
    const { adapterDigest, key, fingerprint } = event;
    return { served: { adapterDigest, key, fingerprint }, told };
  }
  if (event.adapterDigest !== state.served?.adapterDigest) return { ...state, told };
  const { to, key, fingerprint } = event;
  const earlier = to === null || key === null || fingerprint === null ? null : { adapterDigest: to, key, fingerprint };
  return { served: earlier, told };
}
