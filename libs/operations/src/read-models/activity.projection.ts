/** What the newest event and the newest version of the buffer are. */
import { TOPICS } from '@seamstream/events';
import type { KeptProjection } from '@seamstream/read-models';

interface ActivityState {
  /** By shard: its newest version. */
  readonly commits: Map<number, { readonly sequence: number; readonly rows: number; readonly shards: number }>;
  newestAt: number | null;
}

export interface Activity {
  /** Newest version of the buffer that all of its shards have, and the rows of all; null before the first. */
  readonly buffer: { readonly version: number; readonly rows: number } | null;
  readonly shards: number;
  /** When the newest event happened, in milliseconds since the Unix epoch; null in an empty log. */
  readonly newestAt: number | null;
}

export const activityProjection: KeptProjection<ActivityState, Activity> = {
  name: 'activity',

  topics: TOPICS.map(({ name }) => name),

  initialState: () => ({ commits: new Map(), newestAt: null }),

  // To see an event twice changes nothing.
  evolve(state, event) {
    state.newestAt = Math.max(state.newestAt ?? 0, event.meta.occurredAt);
    if (event.type === 'BufferCommitted' && event.sequence >= (state.commits.get(event.shard)?.sequence ?? 0)) {
      const { sequence, rows, shards } = event;
      state.commits.set(event.shard, { sequence, rows, shards });
    }
    return state;
  },

  read({ commits, newestAt }) {
    const list = [...commits.values()];
    return {
      buffer:
        list.length === 0
          ? null
          : {
              version: Math.min(...list.map(({ sequence }) => sequence)),
              rows: list.reduce((sum, { rows }) => sum + rows, 0),
            },
      shards: list[0]?.shards ?? 1,
      newestAt,
    };
  },
};
