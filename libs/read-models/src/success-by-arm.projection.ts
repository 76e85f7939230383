/** How often executions succeed: per arm, per arm and domain, and per adapter as measured. Of a candidate the verdict counts that the ledger counts. */
import { type Arm, TOPIC } from '@seamstream/events';
import { type Cells, MemoryCells } from './cells.js';
import { changesBy } from './counted-verdicts.js';
import { advance, type FoldedOffsets, type KeptProjection, sortedEntries } from './projection.js';

export interface SuccessTally {
  readonly outcomes: number;
  readonly successes: number;
  /** successes / outcomes; null without outcomes. */
  readonly rate: number | null;
}

interface Tally {
  outcomes: number;
  successes: number;
}

export interface SuccessByArmState {
  readonly folded: FoldedOffsets;
  /** The verdicts that count, by their group. */
  readonly cells: Cells;
  readonly arms: Map<string, Tally>;
  readonly domains: Map<string, Map<string, Tally>>;
  readonly adapters: Map<string, { readonly adapterDigest: string | null; readonly arms: Map<string, Tally> }>;
}

export interface SuccessByArm {
  readonly arms: Readonly<Record<Arm, SuccessTally>>;
  /** By domain, by name. */
  readonly domains: readonly { readonly domain: string; readonly arms: Readonly<Record<Arm, SuccessTally>> }[];
  /** By the adapter that wrote the entry (null: the bare base model), by digest; without the control arm. */
  readonly adapters: readonly {
    readonly adapterDigest: string | null;
    readonly explore: SuccessTally;
    readonly deploy: SuccessTally;
  }[];
}

function count(tallies: Map<string, Tally>, arm: Arm, success: boolean, by: 1 | -1): void {
  const tally = tallies.get(arm) ?? { outcomes: 0, successes: 0 };
  tally.outcomes += by;
  if (success) tally.successes += by;
  tallies.set(arm, tally);
}

function tallyOf(tallies: ReadonlyMap<string, Tally>, arm: Arm): SuccessTally {
  const { outcomes, successes } = tallies.get(arm) ?? { outcomes: 0, successes: 0 };
  return { outcomes, successes, rate: outcomes === 0 ? null : successes / outcomes };
}

function armsOf(tallies: ReadonlyMap<string, Tally>): Record<Arm, SuccessTally> {
  return {
    explore: tallyOf(tallies, 'explore'),
    deploy: tallyOf(tallies, 'deploy'),
    control: tallyOf(tallies, 'control'),
  };
}

export const successByArmProjection: KeptProjection<SuccessByArmState, SuccessByArm> = {
  name: 'success',
  topics: [TOPIC.outcomes],

  initialState: (cells = new MemoryCells()) => ({
    folded: new Map(),
    cells,
    arms: new Map(),
    domains: new Map(),
    adapters: new Map(),
  }),

  evolve(state, event, position) {
    if (!advance(state.folded, position) || event.type !== 'OutcomeRecorded') return state;
    const told = { arm: event.arm, success: event.success, name: event.problem.domain, digest: event.adapterDigest };
    for (const [{ arm, success, name, digest }, by] of changesBy(state.cells, event, told)) {
      count(state.arms, arm, success, by);
      const domain = state.domains.get(name) ?? new Map<string, Tally>();
      state.domains.set(name, domain);
      count(domain, arm, success, by);
      if (arm === 'control') continue;
      const adapter = state.adapters.get(digest ?? '') ?? { adapterDigest: digest, arms: new Map<string, Tally>() };
      state.adapters.set(digest ?? '', adapter);
      count(adapter.arms, arm, success, by);
    }
    return state;
  },

  read: ({ arms, domains, adapters }) => ({
    arms: armsOf(arms),
    domains: sortedEntries(domains).map(([domain, tallies]) => ({ domain, arms: armsOf(tallies) })),
    adapters: sortedEntries(adapters).map(([, { adapterDigest, arms: tallies }]) => ({
      adapterDigest,
      explore: tallyOf(tallies, 'explore'),
      deploy: tallyOf(tallies, 'deploy'),
    })),
  }),
};
