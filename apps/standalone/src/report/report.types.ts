/** What `report.json` holds. Rates are fractions of 1; times are seconds; intervals are at 95 %. */
import type { Comparison } from '@seamstream/release';
import type { LoopPhases } from '../loop-phases.js';
import type { FixedSettings, RunLimits } from '../run-settings.js';

type Interval = readonly [low: number, high: number];

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

/** A training run of a round, with any result. */
interface RunRow {
  readonly round: number;
  readonly algorithm: string;
  readonly status: 'promoted' | 'rejected' | 'failed';
  readonly digest: string | null;
  readonly parent: string | null;
  /** On the validation problems of the domains seen by then: their number, success with Wilson's interval, the parent's success. */
  readonly validation: number | null;
  readonly validationProblems: number | null;
  /** Attempts that comparing with the parent took; null where they were not counted. */
  readonly comparedAttempts: number | null;
  readonly validationInterval95: Interval | null;
  readonly parentValidation: number | null;
  /** What the comparison with the parent came to; null where the two were not asked the same problems side by side. */
  readonly comparison: Comparison | null;
  /** Success on the held-out problems; null where it was not measured. */
  readonly heldOut: number | null;
  /** The rule that decided, or why not. */
  readonly reason: string | null;
}

export interface RoundRow {
  readonly round: number;
  readonly phase: 'base' | 'shifted';
  readonly algorithm: string;
  /** Success of sampled candidates, and of the control arm (null when the round had no control problem). */
  readonly explored: number;
  readonly control: number | null;
  /** Fraction of sampled entries whose every quote occurs in their problem; null where nothing was to be quoted. */
  readonly faithful: number | null;
  /** Control problems of the round. */
  readonly controls: number;
  /** Of the round's candidate, promoted or not. */
  readonly validation: number | null;
  readonly promoted: boolean;
  /** Of the adapter that is served after the round; null while that is the base model. */
  readonly servedValidation: number | null;
  readonly deadGroups: number;
  readonly liveGroups: number;
  /** Candidates executed since the start, control arm excluded. */
  readonly rollouts: number;
  /** Of work since the loop began. */
  readonly seconds: number;
}

/** Success in one domain with Wilson's interval. */
interface DomainRow {
  readonly domain: string;
  /** It appeared later in the stream. */
  readonly isNew: boolean;
  readonly problems: number;
  readonly success: number;
  readonly interval95: Interval;
}

/** One problem that fails without an experience and is solved with one. */
export interface Example {
  readonly domain: string;
  readonly prompt: string;
  readonly reference: string;
  readonly without: { readonly response: string };
  /** Null where the untrained generator could write none. */
  readonly untrained: { readonly entry: string; readonly response: string; readonly solved: boolean } | null;
  readonly trained: { readonly entry: string; readonly response: string };
}

export interface Report {
  /** Of the processes that worked on it, from the first problem to the end of the last run; time in which none ran does not count. */
  readonly loopSeconds: number;
  /** Seconds of these by what was done. */
  readonly phases: LoopPhases;
  readonly seed: number;
  /** Of Seamstream, and when this was measured (ISO 8601). */
  readonly version: string;
  readonly madeAt: string;
  /** What the folder was begun with. */
  readonly settings: FixedSettings;
  readonly limits: readonly RunLimits[];
  /** Commands that repeat the run in an empty folder, in their order. */
  readonly commands: readonly string[];
  /** What is short of convergence: domains of the served adapter's validation below the target. */
  readonly verdict: {
    readonly target: number;
    /** Digest of the adapter that is served. */
    readonly served: string | null;
    readonly short: readonly { readonly domain: string; readonly validation: number }[];
  };
  /** Problems that the figures below were measured on; `isHeldOut` false: promotions were decided on them. */
  readonly measuredOn: { readonly name: string; readonly isHeldOut: boolean };
  readonly heldOut: ControlRates & {
    /** Of the last adapter's entries, as in the rounds. */
    readonly faithful: number | null;
    readonly perDomain: Readonly<Record<string, number>>;
    readonly interval95: Interval;
    /** By the names of the rates above. */
    readonly intervals95: Readonly<Record<keyof Omit<ControlRates, 'problems'>, Interval>>;
  };
  /**
   * By how much validation flatters what is served: success in the mean of the domains that are measured on held-out problems too, at its
   * promotion, as the parent in comparisons since (null before one), and held out. Null without held-out problems or a promotion.
   */
  readonly optimism: { readonly atPromotion: number; readonly since: number | null; readonly heldOut: number } | null;
  /** Every domain that was measured, those that appeared later too. */
  readonly domains: readonly DomainRow[];
  readonly example: Example | null;
  /** Held-out problems that fail without an experience and are solved with one, and the reverse. */
  readonly rescued: number;
  readonly broken: number;
  /** Of rescued less broken: paired over the problems, each with and without its entry. */
  readonly liftInterval95: Interval;
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
  /** Those that were promoted. */
  readonly adapters: readonly AdapterRow[];
  readonly runs: readonly RunRow[];
  readonly rounds: readonly RoundRow[];
  /** Groups whose candidates all succeeded or all failed, and the others: only those teach a comparison. */
  readonly deadGroups: number;
  readonly liveGroups: number;
  readonly rollouts: number;
  /** Fraction of generated entries whose every quote occurs in their problem; null where nothing was to be quoted. */
  readonly entriesFaithful: number | null;
  /** An entry that quotes what does not stand there; null where there is none. */
  readonly misquote: { readonly prompt: string; readonly entry: string; readonly fault: string } | null;
  /** Fraction of generated entries that parse and validate. */
  readonly entriesValid: number;
  readonly buffer: {
    readonly digest: string | null;
    readonly rows: number;
    readonly strata: Readonly<Record<string, number>>;
    readonly rejected: Readonly<Record<string, number>>;
  };
  readonly executor: { readonly model: string; readonly digest: string; readonly unchanged: boolean };
  /** Bytes that the data folder takes, and the most memory that this process had. */
  readonly folderBytes: number;
  readonly peakMemoryBytes: number;
  /** Why the loop ended, in words. */
  readonly ended: string;
  /** Whether it ended because every domain reached its target, not because rounds or patience were over. */
  readonly converged: boolean;
}

/** What every report of a demonstration in rounds holds besides what its method shows. */
export type RoundsReport = Pick<
  Report,
  | 'settings'
  | 'limits'
  | 'seed'
  | 'version'
  | 'loopSeconds'
  | 'phases'
  | 'madeAt'
  | 'commands'
  | 'measuredOn'
  | 'ledger'
  | 'executor'
  | 'folderBytes'
  | 'peakMemoryBytes'
> & {
  /** Why the rounds ended, in words. */
  readonly ended: string;
};
