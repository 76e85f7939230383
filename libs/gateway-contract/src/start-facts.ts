/** What a run on one machine was begun with, as its page and `seam status` say it. Files are named by their paths. */
export interface StartFacts {
  readonly method: string;
  readonly seed: number;
  readonly algorithm: string;
  readonly roundSize: number;
  readonly preset: string | null;
  /** Files of one's own; null where there is none. */
  readonly problems: string | null;
  readonly validation: string | null;
  readonly test: string | null;
  /** Of Seamstream, and when the folder was begun (ISO 8601). */
  readonly version: string;
  readonly begunAt: string;
  /** Oldest first; the last are in force. */
  readonly limits: readonly { readonly since: string; readonly maxRounds: number; readonly maxShiftedRounds: number }[];
  /** That repeat the run in an empty folder, in their order. */
  readonly commands: readonly string[];
  readonly hasReport: boolean;
}

/** What is said of a data folder, also where its own file cannot be read. */
export interface ToldStart {
  /** Null for a folder without rounds. */
  readonly start: StartFacts | null;
  /** Why there are no facts of a folder that has its file; else null. */
  readonly unread: string | null;
}
