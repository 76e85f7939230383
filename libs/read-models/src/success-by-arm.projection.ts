/** How often executions succeed: per arm, per arm and domain, and per adapter as measured. Of a candidate the verdict counts that the ledger counts. */
import { type Arm, TOPIC } from '@seamstream/events';
import { type BoundedRows, cellsFor, largestRows, noRows, type RowKind, rowOf } from './bounded-rows.js';
import { type Cells, MemoryCells } from './cells.js';
import { changesBy } from './counted-verdicts.js';
import { advance, type FoldedOffsets, type KeptProjection } from './projection.js';

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

type Tallies = Record<Arm, Tally>;

export interface SuccessByArmState {
  readonly folded: FoldedOffsets;
  /** The verdicts that count, by their group; rows that are not among the largest. */
  readonly cells: Cells;
  readonly arms: Tallies;
  readonly domains: BoundedRows<Tallies>;
  /** Under '' the bare base model. */
  readonly adapters: BoundedRows<Tallies>;
}

type ByArm = Readonly<Record<Arm, SuccessTally>>;
/** Without the control arm. */
type ByTreatedArm = Readonly<Record<'explore' | 'deploy', SuccessTally>>;

export interface SuccessByArm {
  readonly arms: ByArm;
  /** Of the domains with most outcomes, by name. */
  readonly domains: readonly { readonly domain: string; readonly arms: ByArm }[];
  /** Of the adapters that wrote most entries (null: the bare base model), by digest. */
  readonly adapters: readonly (ByTreatedArm & { readonly adapterDigest: string | null })[];
  /** All other domains together; absent where there are none. */
  readonly otherDomains?: { readonly names: number; readonly arms: ByArm };
  readonly otherAdapters?: ByTreatedArm & { readonly names: number };
}

const tally = (): Tally => ({ outcomes: 0, successes: 0 });
const tallies = (): Tallies => ({ explore: tally(), deploy: tally(), control: tally() });
const sizeOf = ({ explore, deploy, control }: Tallies): number => explore.outcomes + deploy.outcomes + control.outcomes;
const DOMAINS: RowKind<Tallies> = { name: 'domain', none: tallies, sizeOf };
const ADAPTERS: RowKind<Tallies> = { name: 'adapter', none: tallies, sizeOf };

function count(of: Tallies, { arm, success }: { readonly arm: Arm; readonly success: boolean }, by: 1 | -1): void {
  of[arm].outcomes += by;
  if (success) of[arm].successes += by;
}

const told = ({ outcomes, successes }: Tally): SuccessTally => ({
  ...{ outcomes, successes, rate: outcomes === 0 ? null : successes / outcomes },
});

const toldOf = ({ explore, deploy, control }: Tallies): ByArm => ({
  ...{ explore: told(explore), deploy: told(deploy), control: told(control) },
});

/** What is left of all without those that have a row. */
function rest(all: Tallies, rows: readonly (readonly [string, Tallies])[]): Tallies {
  const left = structuredClone(all);
  for (const [, row] of rows)
    for (const arm of ['explore', 'deploy', 'control'] as const) {
      left[arm].outcomes -= row[arm].outcomes;
      left[arm].successes -= row[arm].successes;
    }
  return left;
}

export const successByArmProjection: KeptProjection<SuccessByArmState, SuccessByArm> = {
  name: 'success',
  topics: [TOPIC.outcomes],

  initialState: (cells = new MemoryCells()) => ({
    folded: new Map(),
    cells,
    arms: tallies(),
    domains: noRows(),
    adapters: noRows(),
  }),

  evolve(state, event, position) {
    if (!advance(state.folded, position) || event.type !== 'OutcomeRecorded') return state;
    const { cells, domains, adapters, arms } = state;
    const facts = { arm: event.arm, success: event.success, name: event.problem.domain, digest: event.adapterDigest };
    for (const [each, by] of changesBy(cellsFor(cells, 'verdicts'), event, facts)) {
      count(arms, each, by);
      count(rowOf(domains, cells, DOMAINS, each.name), each, by);
      if (each.arm !== 'control') count(rowOf(adapters, cells, ADAPTERS, each.digest ?? ''), each, by);
    }
    return state;
  },

  read({ arms, domains, adapters }) {
    const [ofDomains, ofAdapters] = [largestRows(domains, DOMAINS), largestRows(adapters, ADAPTERS)];
    const [moreDomains, moreAdapters] = [domains.numNames - ofDomains.length, adapters.numNames - ofAdapters.length];
    return {
      arms: toldOf(arms),
      domains: ofDomains.map(([domain, row]) => ({ domain, arms: toldOf(row) })),
      adapters: ofAdapters.map(([digest, row]) => ({
        ...{ adapterDigest: digest === '' ? null : digest, ...treated(row) },
      })),
      ...(moreDomains === 0 ? {} : { otherDomains: { names: moreDomains, arms: toldOf(rest(arms, ofDomains)) } }),
      ...(moreAdapters === 0 ? {} : { otherAdapters: { names: moreAdapters, ...treated(rest(arms, ofAdapters)) } }),
    };
  },
};

const treated = ({ explore, deploy }: Tallies): ByTreatedArm => ({ explore: told(explore), deploy: told(deploy) });
