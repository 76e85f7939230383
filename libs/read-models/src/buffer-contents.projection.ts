/** What the buffer keeps, and why it refused the rest: by stratum, and version by version. */
import { TOPIC } from '@seamstream/events';
import { advance, type FoldedOffsets, type KeptProjection, sortedEntries } from './projection.js';

export interface BufferVersion {
  readonly sequence: number;
  readonly shard: number;
  readonly shards: number;
  readonly rows: number;
  readonly bufferDigest: string;
  readonly manifestKey: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

export interface BufferContents {
  /** By sequence and shard. */
  readonly versions: readonly BufferVersion[];
  readonly admitted: number;
  /** Successes that did not enter, or left again, by reason. */
  readonly rejected: Readonly<Record<string, number>>;
  readonly strata: readonly {
    readonly stratum: string;
    /** In the newest version of its shard. */
    readonly rows: number;
    readonly admitted: number;
    readonly rejected: Readonly<Record<string, number>>;
  }[];
}

interface StratumState {
  admitted: number;
  readonly rejected: Map<string, number>;
}

export interface BufferContentsState {
  readonly folded: FoldedOffsets;
  readonly versions: Map<string, BufferVersion>;
  /** By shard the rows of its newest version by stratum. */
  readonly rows: Map<number, { readonly sequence: number; readonly perStratum: Readonly<Record<string, number>> }>;
  readonly strata: Map<string, StratumState>;
}

export const bufferContentsProjection: KeptProjection<BufferContentsState, BufferContents> = {
  name: 'buffer',
  topics: [TOPIC.buffer],

  initialState: () => ({ folded: new Map(), versions: new Map(), rows: new Map(), strata: new Map() }),

  evolve(state, event, position) {
    if (!advance(state.folded, position)) return state;
    if (event.type === 'BufferCommitted') {
      const { sequence, shard, shards, rows, bufferDigest, manifestKey, meta, rowsPerStratum } = event;
      const version = { sequence, shard, shards, rows, bufferDigest, manifestKey, at: meta.occurredAt };
      state.versions.set(meta.messageId, version);
      if (sequence >= (state.rows.get(shard)?.sequence ?? 0))
        state.rows.set(shard, { sequence, perStratum: rowsPerStratum });
    } else if (event.type === 'SuccessAdmitted') {
      stratumOf(state, event.stratum).admitted++;
    } else if (event.type === 'SuccessRejected') {
      const { rejected } = stratumOf(state, event.stratum);
      rejected.set(event.reason, (rejected.get(event.reason) ?? 0) + 1);
    }
    return state;
  },

  read({ versions, rows, strata }) {
    const kept = new Map<string, number>();
    for (const { perStratum } of rows.values())
      for (const [stratum, own] of Object.entries(perStratum)) kept.set(stratum, (kept.get(stratum) ?? 0) + own);
    const all = new Map<string, StratumState>(strata);
    for (const stratum of kept.keys()) if (!all.has(stratum)) all.set(stratum, { admitted: 0, rejected: new Map() });
    const reasons = new Map<string, number>();
    for (const { rejected } of strata.values())
      for (const [reason, times] of rejected) reasons.set(reason, (reasons.get(reason) ?? 0) + times);
    return {
      versions: [...versions.values()].sort((a, b) => a.sequence - b.sequence || a.shard - b.shard),
      admitted: strata.values().reduce((sum, { admitted }) => sum + admitted, 0),
      rejected: Object.fromEntries(sortedEntries(reasons)),
      strata: sortedEntries(all).map(([stratum, { admitted, rejected }]) => ({
        stratum,
        rows: kept.get(stratum) ?? 0,
        admitted,
        rejected: Object.fromEntries(sortedEntries(rejected)),
      })),
    };
  },
};

function stratumOf({ strata }: BufferContentsState, stratum: string): StratumState {
  const own = strata.get(stratum) ?? { admitted: 0, rejected: new Map<string, number>() };
  strata.set(stratum, own);
  return own;
}
