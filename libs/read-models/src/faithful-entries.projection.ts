/** Whether entries quote their problems truly: per adapter that wrote them, as the outcomes that the ledger counts say. */
import { TOPIC } from '@seamstream/events';
import { type Cells, MemoryCells } from './cells.js';
import { changesBy } from './counted-verdicts.js';
import { advance, type FoldedOffsets, type KeptProjection, sortedEntries } from './projection.js';

/** Of the entries that were to quote their problem, those whose every quote stands there. */
export interface FaithfulEntries {
  readonly quoting: number;
  readonly faithful: number;
}

export interface FaithfulEntriesState {
  readonly folded: FoldedOffsets;
  /** The verdicts that count, by their group. */
  readonly cells: Cells;
  readonly adapters: Map<string, { quoting: number; faithful: number; readonly adapterDigest: string | null }>;
}

export interface FaithfulEntriesByAdapter {
  readonly all: FaithfulEntries;
  /** By the adapter that wrote the entry (null: the bare base model), by digest; those without an entry that quotes are left out. */
  readonly adapters: readonly (FaithfulEntries & { readonly adapterDigest: string | null })[];
}

export const faithfulEntriesProjection: KeptProjection<FaithfulEntriesState, FaithfulEntriesByAdapter> = {
  name: 'faithful',
  topics: [TOPIC.outcomes],

  initialState: (cells = new MemoryCells()) => ({ folded: new Map(), cells, adapters: new Map() }),

  evolve(state, event, position) {
    if (!advance(state.folded, position) || event.type !== 'OutcomeRecorded') return state;
    const told = { faithful: event.faithful, adapterDigest: event.adapterDigest };
    for (const [{ faithful, adapterDigest }, by] of changesBy(state.cells, event, told)) {
      if (faithful === null) continue;
      const tally = state.adapters.get(adapterDigest ?? '') ?? { quoting: 0, faithful: 0, adapterDigest };
      tally.quoting += by;
      if (faithful) tally.faithful += by;
      state.adapters.set(adapterDigest ?? '', tally);
    }
    return state;
  },

  read({ adapters }) {
    const tallies = sortedEntries(adapters).flatMap(([, tally]) => (tally.quoting === 0 ? [] : [{ ...tally }]));
    const sum = (of: (tally: FaithfulEntries) => number): number =>
      tallies.reduce((total, tally) => total + of(tally), 0);
    return {
      all: { quoting: sum(({ quoting }) => quoting), faithful: sum(({ faithful }) => faithful) },
      adapters: tallies,
    };
  },
};
