/** What people measured of teams and put on record, in the order of the log. All of a slot are in one partition. */
import { type EventOf, TOPIC } from '@seamstream/events';
import { advance, type FoldedOffsets, type KeptProjection, sortedEntries } from './projection.js';

export interface TeamEvaluation extends Omit<EventOf<'TeamEvaluated'>, 'type' | 'meta'> {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

interface TeamEvaluationsState {
  readonly folded: FoldedOffsets;
  readonly bySlot: Map<string, TeamEvaluation[]>;
}

export const teamEvaluationsProjection: KeptProjection<TeamEvaluationsState, readonly TeamEvaluation[]> = {
  name: 'team-evaluations',
  topics: [TOPIC.teams],

  initialState: () => ({ folded: new Map(), bySlot: new Map() }),

  evolve(state, event, position) {
    if (!advance(state.folded, position) || event.type !== 'TeamEvaluated') return state;
    const { type: _type, meta, ...facts } = event;
    const own = state.bySlot.get(event.slot) ?? [];
    state.bySlot.set(event.slot, own);
    own.push({ ...facts, at: meta.occurredAt });
    return state;
  },

  read: ({ bySlot }) => sortedEntries(bySlot).flatMap(([, own]) => own),
};
