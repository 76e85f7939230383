/** What `report.json` holds. Rates are fractions of 1; times are seconds. */

interface ControlRates {
  /** Problems measured, all unseen in training. */
  readonly problems: number;
  /** The frozen executor alone, in the same answer format and token budget. */
  readonly noExperience: number;
  /** An entry without content. */
  readonly wrapperOnly: number;
  /** One fixed entry for all problems: of a few that are tried, the one that helps most on a few validation problems. */
  readonly fixedHint: number;
  /** The entry that the trained generator wrote for another problem. */
  readonly otherProblemsEntry: number;
  /** Entries of the generator's base model. */
  readonly untrained: number;
  /** Entries of the adapter served last. */
  readonly final: number;
}

interface AdapterRow {
  readonly digest: string;
  readonly algorithm: string;
  readonly parent: string | null;
  /** Success on the held-out problems; null where it was not measured. */
  readonly heldOut: number | null;
  /** Success on the validation problems that its promotion was decided by. */
  readonly validation: number | null;
  readonly round: number;
}

export interface RoundRow {
  readonly round: number;
  readonly phase: 'base' | 'shifted';
  readonly algorithm: string;
  /** Success of sampled candidates, and of the control arm (null when the round had no control problem). */
  readonly explored: number;
  readonly control: number | null;
  readonly validation: number | null;
  readonly promoted: boolean;
  readonly deadGroups: number;
  readonly liveGroups: number;
  /** Candidates executed since the start, control arm excluded. */
  readonly rollouts: number;
  /** Since the loop began. */
  readonly seconds: number;
}

export interface Report {
  readonly loopSeconds: number;
  readonly seed: number;
  readonly heldOut: ControlRates & {
    readonly perDomain: Readonly<Record<string, number>>;
    readonly interval95: readonly [number, number];
  };
  /** Held-out problems that fail without an experience and are solved with one, and the reverse. */
  readonly rescued: number;
  readonly broken: number;
  /** Of rescued less broken, 95 %: bootstrap over the problems, each with and without its entry. */
  readonly liftInterval95: readonly [number, number];
  /** The domain variant that appeared later in the stream; null when the run ended before it. */
  readonly shift: {
    readonly problems: number;
    readonly beforeTraining: number;
    readonly final: number;
    readonly oldDomainsBefore: number;
    readonly oldDomainsFinal: number;
  } | null;
  readonly ledger: {
    readonly published: number;
    readonly solved: number;
    readonly failed: number;
    readonly deadLettered: number;
    readonly expired: number;
    readonly inFlight: number;
    readonly balanced: boolean;
  };
  readonly adapters: readonly AdapterRow[];
  readonly rounds: readonly RoundRow[];
  readonly deadGroups: number;
  readonly rollouts: number;
  /** Fraction of generated entries that parse and validate. */
  readonly entriesValid: number;
  readonly buffer: {
    readonly digest: string | null;
    readonly rows: number;
    readonly strata: Readonly<Record<string, number>>;
    readonly rejected: Readonly<Record<string, number>>;
  };
  readonly executor: { readonly model: string; readonly digest: string; readonly unchanged: boolean };
  /** Why the loop ended, in words. */
  readonly ended: string;
  /** Whether it ended because every domain reached its target, not because rounds or patience were over. */
  readonly converged: boolean;
}
