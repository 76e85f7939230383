/** Where a program that carries out jobs of files is started: as a child process; elsewhere as a Ray job or a Kubernetes Job. */
export abstract class JobLauncher {
  /**
   * Starts the program on a job.
   * @param folder of the job, on this machine
   */
  abstract start(folder: string): RunningJob;
}

export interface RunningJob {
  /** Fulfilled when every process of the program has ended, however it came to that. */
  readonly ended: Promise<EndedJob>;
  /** Ends the program. What it has written whole stays. Further calls do nothing. */
  cancel(): void;
  /** Whether the program has not started yet; absent: it starts at once. */
  isWaiting?(): boolean;
}

export interface EndedJob {
  readonly hasSucceeded: boolean;
  /** How it ended and what it said last, for a person. */
  readonly report: string;
}
