/** What a tracker of experiments is given. The log stays the source: a run may be given again at any time, and each figure is shown once. */

export interface TrackedPoint {
  /** Letters, digits, `_`, `-`, `.` and `/`: what every tracker takes. */
  readonly metric: string;
  /** The iteration, from 0 on. Of a metric, steps rise. */
  readonly step: number;
  /** Finite. */
  readonly value: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

export interface TrackedRun {
  /** Equal ids are one run, however often it is given. */
  readonly id: string;
  readonly name: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Milliseconds since the Unix epoch; null while it continues. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly status: 'running' | 'finished' | 'failed';
  /** All that are final, in the order of their steps. */
  readonly points: readonly TrackedPoint[];
}

export interface Tracked {
  /** Points that were not there before. */
  readonly added: number;
  /** Where a person finds the run. */
  readonly where: string;
}

export interface ExperimentTracker {
  /** Shows the run, or what is new of it. @throws INVALID_CONFIGURATION, ENDPOINT_UNAVAILABLE (retryable), INVALID_INPUT */
  track(run: TrackedRun): Promise<Tracked>;
}
