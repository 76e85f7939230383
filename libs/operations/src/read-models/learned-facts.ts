/** Which facts are learned: how often problems that depend on one are solved, at first and by now. Pure. */
import type { AdapterLineage, FactTally, LearnedFacts } from '@seamstream/read-models';

export interface LearnedFact {
  readonly domain: string;
  readonly fact: string;
  /** In the control arm, whose problems get no entry. */
  readonly without: FactTally;
  /** With entries of the bare base model. */
  readonly before: FactTally;
  /** With entries of the newest adapter that wrote any; null before the first. */
  readonly now: (FactTally & { readonly adapterDigest: string; readonly version: number }) | null;
}

export interface LearnedFactsAnswer {
  /** By domain and name. */
  readonly facts: readonly LearnedFact[];
  /** Verdicts on facts for which there was no room any more. */
  readonly leftOut: number;
}

const NONE: FactTally = { outcomes: 0, successes: 0 };

/** @param lineage says which adapter is the newest; one that it does not know is left out */
export function factsLearned({ facts, leftOut }: LearnedFacts, lineage: AdapterLineage): LearnedFactsAnswer {
  const known = new Map(lineage.versions.map((version) => [version.adapterDigest, version]));
  return {
    facts: facts.map(({ domain, fact, without, adapters }) => {
      const [newest] = adapters
        .flatMap(({ adapterDigest, outcomes, successes }) => {
          const version = adapterDigest === null ? undefined : known.get(adapterDigest);
          return version === undefined ? [] : [{ ...version, outcomes, successes }];
        })
        .toSorted((a, b) => b.publishedAt - a.publishedAt || b.version - a.version);
      const base = adapters.find(({ adapterDigest }) => adapterDigest === null);
      return {
        ...{ domain, fact, without },
        before: base === undefined ? NONE : { outcomes: base.outcomes, successes: base.successes },
        now:
          newest === undefined
            ? null
            : {
                adapterDigest: newest.adapterDigest,
                version: newest.version,
                outcomes: newest.outcomes,
                successes: newest.successes,
              },
      };
    }),
    leftOut,
  };
}
