/** Every adapter that was made: from what, by which run, how it was measured, and whether it is or was served. */
import {
  type AdapterKind,
  type AdapterPromoted,
  type AdapterPublished,
  type Evaluation,
  type OffsetRange,
  TOPIC,
} from '@seamstream/events';
import { evolveServedAdapter, initialServedAdapter, type ServedAdapterState } from '@seamstream/release';
import { FoldedOffsets, type Projection } from './projection.js';

/** served: now; promoted: earlier; rejected: its run was refused, or its promotion overtaken; published: nobody decided yet. */
export type AdapterStatus = 'published' | 'served' | 'promoted' | 'rolledBack' | 'rejected';

export interface AdapterVersion {
  /** 1, 2, 3, … in the order of publication. */
  readonly version: number;
  readonly adapterDigest: string;
  /** The adapter it was trained from; null is the bare base model. */
  readonly parent: string | null;
  readonly runId: string;
  readonly algorithm: string;
  readonly kind: AdapterKind;
  readonly baseModelDigest: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly sizeBytes: number;
  readonly inputs: readonly OffsetRange[];
  readonly manifestDigest: string | null;
  readonly metrics: Readonly<Record<string, number>>;
  /** Milliseconds since the Unix epoch. */
  readonly publishedAt: number;
  readonly status: AdapterStatus;
  /** The measurement that promotion or rejection rests on. */
  readonly evaluation: Evaluation | null;
  /** The rule that promoted it, or the reason of its rejection or rollback. */
  readonly reason: string | null;
}

/** A promotion or rollback that the log does not bear out: it changed nothing. */
export interface RefusedDecision {
  readonly type: 'AdapterPromoted' | 'AdapterRolledBack';
  readonly messageId: string;
  readonly adapterDigest: string;
  /** Who says to have decided, e.g. seam/trainer. */
  readonly source: string;
  readonly reason: string;
}

interface Verdict {
  readonly evaluation: Evaluation | null;
  readonly reason: string;
}

export interface AdapterLineageState {
  readonly folded: FoldedOffsets;
  served: ServedAdapterState;
  readonly versions: Map<string, Omit<AdapterVersion, 'status' | 'evaluation' | 'reason'>>;
  /** Mostly from another topic than the rest: kept apart, so that they may come first. */
  readonly rejections: Map<string, Verdict & { readonly runId: string }>;
}

export interface AdapterLineage {
  /** Digest of the adapter that generators shall serve; null is the bare base model. */
  readonly served: string | null;
  /** In the order of publication. */
  readonly versions: readonly AdapterVersion[];
  /** In the log's order. */
  readonly refused: readonly RefusedDecision[];
}

function versionOf(event: AdapterPublished, version: number): Omit<AdapterVersion, 'status' | 'evaluation' | 'reason'> {
  return {
    version,
    adapterDigest: event.adapterDigest,
    parent: event.parent,
    runId: event.runId,
    algorithm: event.algorithm,
    kind: event.kind,
    baseModelDigest: event.baseModelDigest,
    key: event.key,
    fingerprint: event.fingerprint,
    sizeBytes: event.sizeBytes,
    inputs: event.inputs,
    manifestDigest: event.manifestDigest,
    metrics: event.metrics,
    publishedAt: event.meta.occurredAt,
  };
}

/** Runs stand in several partitions: of two that made the same adapter, the same one counts for every reader. */
function reject(
  rejections: AdapterLineageState['rejections'],
  { adapterDigest, evaluation }: { readonly adapterDigest: string | null; readonly evaluation: Evaluation | null },
  runId: string,
  reason: string,
): void {
  if (adapterDigest !== null && runId <= (rejections.get(adapterDigest)?.runId ?? runId))
    rejections.set(adapterDigest, { evaluation, reason, runId });
}

/** What came of every decision: of each adapter the last promotion, and the rollback since. */
function sorted(decisions: ServedAdapterState['decisions']): {
  readonly promotions: ReadonlyMap<string, Verdict>;
  readonly rollbacks: ReadonlyMap<string, string>;
  readonly overtaken: readonly { readonly promotion: AdapterPromoted; readonly reason: string }[];
  readonly refused: readonly RefusedDecision[];
} {
  const promotions = new Map<string, Verdict>();
  const rollbacks = new Map<string, string>();
  const overtaken: { readonly promotion: AdapterPromoted; readonly reason: string }[] = [];
  const refused: RefusedDecision[] = [];
  for (const { event, status, reason } of decisions) {
    const { type, adapterDigest, meta } = event;
    if (status === 'refused')
      refused.push({ type, messageId: meta.messageId, adapterDigest, source: meta.source, reason });
    else if (type === 'AdapterRolledBack') rollbacks.set(adapterDigest, event.reason);
    else if (status === 'overtaken') overtaken.push({ promotion: event, reason });
    else {
      rollbacks.delete(adapterDigest);
      promotions.set(adapterDigest, { evaluation: event.evaluation, reason: event.rule });
    }
  }
  return { promotions, rollbacks, overtaken, refused };
}

export const adapterLineageProjection: Projection<AdapterLineageState, AdapterLineage> = {
  topics: [TOPIC.adapters, TOPIC.training],

  initialState: () => ({
    folded: new FoldedOffsets(),
    served: initialServedAdapter(),
    versions: new Map(),
    rejections: new Map(),
  }),

  evolve(state, event, position) {
    if (!state.folded.advance(position)) return state;
    state.served = evolveServedAdapter(state.served, event);
    switch (event.type) {
      case 'AdapterPublished': {
        // Equal content is the same adapter, whoever makes it again.
        if (!state.versions.has(event.adapterDigest)) {
          state.versions.set(event.adapterDigest, versionOf(event, state.versions.size + 1));
        }
        break;
      }
      case 'TrainingRunRejected':
        reject(state.rejections, event, event.runId, event.reason);
        break;
      default:
    }
    return state;
  },

  read(state) {
    const { versions } = state;
    const servedDigest = state.served.served?.adapterDigest ?? null;
    const { promotions, rollbacks, overtaken, refused } = sorted(state.served.decisions);
    const rejections = new Map(state.rejections);
    for (const event of overtaken) reject(rejections, event.promotion, event.promotion.runId ?? '', event.reason);
    return {
      served: servedDigest,
      refused,
      versions: [...versions.values()].map((facts) => {
        const digest = facts.adapterDigest;
        const promotion = promotions.get(digest);
        const rejection = rejections.get(digest);
        const rollback = rollbacks.get(digest);
        const [status, reason]: [AdapterStatus, string | null] =
          digest === servedDigest
            ? ['served', promotion?.reason ?? null]
            : rollback !== undefined
              ? ['rolledBack', rollback]
              : promotion !== undefined
                ? ['promoted', promotion.reason]
                : rejection !== undefined
                  ? ['rejected', rejection.reason]
                  : ['published', null];
        return { ...facts, status, reason, evaluation: promotion?.evaluation ?? rejection?.evaluation ?? null };
      }),
    };
  },
};
