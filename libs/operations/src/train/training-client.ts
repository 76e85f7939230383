/** Training on demand: one run, or a recorded run once more. The trainer's own handlers do it. */
import type { EngineIdentity, Problem } from '@seamstream/events';

/** How far a phase of a run is; `metrics` are those of the last step. */
export interface TrainingStepReport {
  readonly phase: string;
  readonly step: number;
  readonly steps: number;
  readonly metrics: Readonly<Record<string, number>>;
}

export interface TrainingOutcome {
  readonly runId: string;
  /** refused: there was nothing to learn from, or the adapter is worse than its parent. unchanged: this run is in the log already. */
  readonly status: 'promoted' | 'refused' | 'failed' | 'unchanged';
  readonly adapterDigest: string | null;
  readonly reason: string | null;
  readonly metrics: Readonly<Record<string, number>>;
}

export interface AdapterVerification {
  readonly runId: string;
  readonly recordedDigest: string;
  /** Null when the run, done again, ends without an adapter. */
  readonly replayedDigest: string | null;
  /** Whether the log gives the adapter again: in every bit, or within what the engine of the run states. */
  readonly equal: boolean;
  /** By what that was decided, and with a tolerance how far the two are apart. */
  readonly comparison:
    | { readonly by: 'digest' }
    | {
        readonly by: 'tolerance';
        readonly tolerance: { readonly weights: number; readonly change: number };
        readonly difference: { readonly weights: number; readonly tensor: string | null; readonly change: number };
      };
  /** What trained, and what trained again; null where that is not known. */
  readonly engines: { readonly recorded: EngineIdentity | null; readonly here: EngineIdentity | null };
}

/** The result of one trial. */
export type Trial =
  | {
      readonly status: 'made';
      readonly digest: string;
      readonly metrics: Readonly<Record<string, number>>;
      /** By problem; null where it could not be judged. */
      readonly solved: readonly (boolean | null)[];
    }
  | { readonly status: 'refused'; readonly reason: string; readonly metrics: Readonly<Record<string, number>> };

export interface Trials {
  /** Of what all learn from, begin with and are measured on: trials of equal ones may be compared. */
  readonly basis: string;
  /** By problem: whether what is served solves it. */
  before(): Promise<readonly (boolean | null)[]>;
  /** @param configuration complete */
  measure(configuration: Readonly<Record<string, unknown>>): Promise<Trial>;
}

export interface TrainerClient {
  /** Trains, publishes and decides, recording every event as the service does. `configuration` is complete. */
  train(
    request: {
      readonly algorithm: string;
      readonly configuration: Readonly<Record<string, unknown>>;
      /** Of a self-training, by its id: a run that was planned for this iteration resumes. */
      readonly iteration?: { readonly of: string; readonly index: number };
      /** Old problems, by id, and the most that a candidate may cost of them to be promoted; absent: that does not decide. */
      readonly retention?: { readonly mostCost: number; readonly problems: string[] };
      /** The person who asks; recorded. */
      readonly by: string;
    },
    watch: { readonly signal: AbortSignal; readonly onStep: (report: TrainingStepReport) => void },
  ): Promise<TrainingOutcome>;
  /**
   * Trials of an algorithm's settings on what the log holds now, measured on the given problems. They record nothing.
   * @param request with the configuration that trials are laid over: it says what is read
   * @param problems that nothing is trained on
   */
  trials(
    request: { readonly algorithm: string; readonly configuration: Readonly<Record<string, unknown>> },
    problems: { readonly name: string; readonly problems: readonly Problem[] },
    watch: { readonly signal: AbortSignal; readonly onStep: (report: TrainingStepReport) => void },
  ): Promise<Trials>;
  /** Runs the recorded training of an adapter again and records nothing. NOT_FOUND when the log has no such run. */
  verify(
    adapterDigest: string,
    watch: { readonly signal: AbortSignal; readonly onStep: (report: TrainingStepReport) => void },
  ): Promise<AdapterVerification>;
}
