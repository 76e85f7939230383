/** Whether entries quote their problems truly: per adapter that wrote them, as the outcomes that the ledger counts say. */
import { TOPIC } from '@seamstream/events';
import { type BoundedRows, cellsFor, largestRows, noRows, type RowKind, rowOf } from './bounded-rows.js';
import { type Cells, MemoryCells } from './cells.js';
import { changesBy } from './counted-verdicts.js';
import { advance, type FoldedOffsets, type KeptProjection } from './projection.js';

/** Of the entries that were to quote their problem, those whose every quote stands there. */
export interface FaithfulEntries {
  readonly quoting: number;
  readonly faithful: number;
}

interface Tally {
  quoting: number;
  faithful: number;
}

export interface FaithfulEntriesState {
  readonly folded: FoldedOffsets;
  /** The verdicts that count, by their group; rows that are not among the largest. */
  readonly cells: Cells;
  readonly all: Tally;
  /** Under '' the bare base model. */
  readonly adapters: BoundedRows<Tally>;
}

export interface FaithfulEntriesByAdapter {
  readonly all: FaithfulEntries;
  /** Of the adapters with most entries (null: the bare base model), by digest; those without an entry that quotes are left out. */
  readonly adapters: readonly (FaithfulEntries & { readonly adapterDigest: string | null })[];
}

const none = (): Tally => ({ quoting: 0, faithful: 0 });
const ADAPTERS: RowKind<Tally> = { name: 'adapter', none, sizeOf: ({ quoting }) => quoting };

export const faithfulEntriesProjection: KeptProjection<FaithfulEntriesState, FaithfulEntriesByAdapter> = {
  name: 'faithful',
  topics: [TOPIC.outcomes],

  initialState: (cells = new MemoryCells()) => ({ folded: new Map(), cells, all: none(), adapters: noRows() }),

  evolve(state, event, position) {
    if (!advance(state.folded, position) || event.type !== 'OutcomeRecorded') return state;
    const { cells, adapters, all } = state;
    const told = { faithful: event.faithful, adapterDigest: event.adapterDigest };
    for (const [{ faithful, adapterDigest }, by] of changesBy(cellsFor(cells, 'verdicts'), event, told)) {
      if (faithful === null) continue;
      for (const tally of [all, rowOf(adapters, cells, ADAPTERS, adapterDigest ?? '')]) {
        tally.quoting += by;
        if (faithful) tally.faithful += by;
      }
    }
    return state;
  },

  read: ({ all, adapters }) => ({
    all: { ...all },
    adapters: largestRows(adapters, ADAPTERS)
      .filter(([, { quoting }]) => quoting > 0)
      .map(([digest, tally]) => ({ ...tally, adapterDigest: digest === '' ? null : digest })),
  }),
};
