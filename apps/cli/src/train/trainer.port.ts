/** The trainer as the command line needs it: one run on demand, or a recorded run once more. */

/** How far a run is; `metrics` are those of the last step. */
export interface TrainingStepReport {
  readonly step: number;
  readonly steps: number;
  readonly metrics: Readonly<Record<string, number>>;
}

export interface TrainingOutcome {
  readonly runId: string;
  /** refused: there was nothing to learn from, or the adapter is worse than its parent. */
  readonly status: 'promoted' | 'published' | 'refused' | 'failed';
  readonly adapterDigest: string | null;
  readonly reason: string | null;
  readonly metrics: Readonly<Record<string, number>>;
}

export interface AdapterVerification {
  readonly runId: string;
  readonly recordedDigest: string;
  readonly replayedDigest: string;
}

export interface TrainerDoor {
  /** Trains, publishes and decides, recording every event as the service does. `configuration` is fully resolved. */
  train(
    request: { readonly algorithm: string; readonly configuration: Readonly<Record<string, unknown>> },
    watch: { readonly signal: AbortSignal; readonly onStep: (report: TrainingStepReport) => void },
  ): Promise<TrainingOutcome>;
  /** Runs the recorded training of an adapter again and records nothing. NOT_FOUND when the log has no such run. */
  verify(
    adapterDigest: string,
    watch: { readonly signal: AbortSignal; readonly onStep: (report: TrainingStepReport) => void },
  ): Promise<AdapterVerification>;
}
