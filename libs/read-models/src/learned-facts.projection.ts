/**
 * How often problems are solved that depend on a fact: per domain, fact and adapter that wrote the entry, and without an entry. The
 * metadata of a problem name the facts that it depends on, under `facts`, with commas between: its publisher says so. No model reads them.
 */
import { TOPIC } from '@seamstream/events';
import { type Cells, MemoryCells } from './cells.js';
import { changesBy } from './counted-verdicts.js';
import { advance, type FoldedOffsets, type KeptProjection, sortedEntries } from './projection.js';

/** A publisher may write what they like: more facts, and longer names, are not counted. Of a fact the adapters are kept that wrote last. */
const MOST_FACTS = { ofAProblem: 16, ofADomain: 500, letters: 64, adapters: 16 } as const;

/** Verdicts on problems that depend on a fact. */
export interface FactTally {
  readonly outcomes: number;
  readonly successes: number;
}

/** One fact of a domain. */
export interface FactRecord {
  readonly domain: string;
  readonly fact: string;
  /** In the control arm. */
  readonly without: FactTally;
  /** By the adapter that wrote the entry (null: the bare base model), by digest. */
  readonly adapters: readonly (FactTally & { readonly adapterDigest: string | null })[];
}

export interface LearnedFacts {
  /** By domain and name. */
  readonly facts: readonly FactRecord[];
  /** Verdicts that have a fact for which there was no room any more. */
  readonly leftOut: number;
}

interface Tally {
  outcomes: number;
  successes: number;
}

export interface LearnedFactsState {
  readonly folded: FoldedOffsets;
  /** The verdicts that count, by their group. */
  readonly cells: Cells;
  /** By domain, fact and who wrote: an adapter's digest, '' for the bare base model, {@link CONTROL}. */
  readonly domains: Map<string, Map<string, Map<string, Tally>>>;
  leftOut: number;
}

/** No digest is called so. */
const CONTROL = '(control)';

export const learnedFactsProjection: KeptProjection<LearnedFactsState, LearnedFacts> = {
  name: 'facts',
  topics: [TOPIC.outcomes],

  initialState: (cells = new MemoryCells()) => ({ folded: new Map(), cells, domains: new Map(), leftOut: 0 }),

  evolve(state, event, position) {
    if (!advance(state.folded, position) || event.type !== 'OutcomeRecorded') return state;
    const facts = factsOf(event.problem.metadata);
    if (facts.length === 0) return state;
    const { arm, adapterDigest, success, problem } = event;
    const told = { success, facts, domain: problem.domain, by: arm === 'control' ? CONTROL : (adapterDigest ?? '') };
    for (const [{ success: isSolved, facts: names, domain, by }, change] of changesBy(state.cells, event, told))
      for (const name of names) {
        const tallies = talliesOf(state, domain, name);
        if (tallies === undefined) state.leftOut += change;
        else count(tallies, by, isSolved, change);
      }
    return state;
  },

  read: ({ domains, leftOut }) => ({
    facts: sortedEntries(domains).flatMap(([domain, facts]) =>
      sortedEntries(facts).map(([fact, tallies]) => ({
        domain,
        fact,
        without: { ...(tallies.get(CONTROL) ?? { outcomes: 0, successes: 0 }) },
        adapters: sortedEntries(tallies).flatMap(([by, tally]) =>
          by === CONTROL || tally.outcomes === 0 ? [] : [{ adapterDigest: by === '' ? null : by, ...tally }],
        ),
      })),
    ),
    leftOut,
  }),
};

/** The facts that a problem depends on, each once. @param metadata with `facts`: names, with commas between */
function factsOf(metadata: Readonly<Record<string, string>>): readonly string[] {
  const names = (metadata.facts ?? '').split(',', MOST_FACTS.ofAProblem).map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== '' && name.length <= MOST_FACTS.letters))];
}

/** Undefined where the domain has no room for another fact. */
function talliesOf(state: LearnedFactsState, domain: string, fact: string): Map<string, Tally> | undefined {
  const facts = state.domains.get(domain) ?? new Map<string, Map<string, Tally>>();
  state.domains.set(domain, facts);
  const tallies = facts.get(fact) ?? new Map<string, Tally>();
  if (!facts.has(fact) && facts.size >= MOST_FACTS.ofADomain) return undefined;
  facts.set(fact, tallies);
  return tallies;
}

function count(tallies: Map<string, Tally>, by: string, isSolved: boolean, change: 1 | -1): void {
  const known = tallies.get(by);
  // Of an adapter that is not kept any more nothing is taken back.
  if (known === undefined && change < 0) return;
  const tally = known ?? { outcomes: 0, successes: 0 };
  tally.outcomes += change;
  // A verdict from before the adapter was let go may be taken back.
  if (isSolved) tally.successes = Math.max(0, tally.successes + change);
  // Last in the order of the map: those that were not used for longest are first.
  tallies.delete(by);
  tallies.set(by, tally);
  if (known !== undefined) return;
  const adapters = [...tallies.keys()].filter((each) => each !== CONTROL && each !== '');
  if (adapters.length > MOST_FACTS.adapters) tallies.delete(adapters[0]!);
}
