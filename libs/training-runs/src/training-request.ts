import type { RunIteration, RunRetention } from './run-plan.js';

/** What a person asks for. */
export interface TrainingRequest {
  /** Name of an algorithm. */
  readonly algorithm: string;
  /** What differs from the configured settings of that algorithm. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Of a self-training: its run of this iteration resumes, regardless of what was recorded since it was planned. */
  readonly iteration?: RunIteration | undefined;
  /** What a candidate has to keep of old problems to be promoted; absent: that does not decide. */
  readonly retention?: RunRetention | undefined;
  /** Their name; recorded with the plan. */
  readonly by?: string | undefined;
}
