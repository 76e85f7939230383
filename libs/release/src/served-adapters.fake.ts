/** Adapters that are published and promoted, and what a log of them serves. */
import type { SeamEvent } from '@seamstream/events';
import { evaluatedByPerson, promotedByPerson, promotedByRun } from '@seamstream/testing/promotion-log';
import {
  evolveServedAdapter,
  initialServedAdapter,
  type ServedAdapter,
  type ServedAdapterState,
} from './served-adapter.projection.js';

export const published = (digest: string): SeamEvent => promotedByRun({ adapterDigest: digest })[1];
/** As a person promotes: over any adapter that is served. */
export const promoted = (messageId: string, digest: string): SeamEvent =>
  promotedByPerson({ messageId, adapterDigest: digest });
/** As a run promotes: compared with its parent. */
export const over = (parent: string | null, digest: string): readonly SeamEvent[] =>
  promotedByRun({ adapterDigest: digest, parent, onlyOverParent: true });
export const serving = (digest: string): ServedAdapter => ({
  adapterDigest: digest,
  key: `adapters/${digest}`,
  fingerprint: `f-${digest}`,
});
export const stateAfter = (events: readonly SeamEvent[]): ServedAdapterState =>
  events.reduce(evolveServedAdapter, initialServedAdapter());
/** With everything published and measured. */
export const after = (...events: readonly SeamEvent[]): ServedAdapterState =>
  stateAfter([...['a', 'b', 'c', 'd'].flatMap((each) => [published(each), evaluatedByPerson(each)]), ...events]);
export const servedAfter = (...events: readonly SeamEvent[]): ServedAdapter | null => after(...events).served;
export const lastReason = ({ decisions }: ServedAdapterState): string | undefined => decisions.at(-1)?.reason;
