import type { TaskContent } from '@seamstream/tasks';
import type { z } from 'zod';

/** How a problem is judged, as a row or a form states it; without a version the newest is meant. */
export interface StatedVerifier {
  readonly kind: string;
  readonly version?: string | undefined;
  readonly options?: Readonly<Record<string, string>> | undefined;
}

/** A problem as a form reads it from a row. */
export interface StatedProblem {
  readonly problemId?: string | undefined;
  readonly domain: string;
  readonly prompt: string;
  /** The answer alone, extracted as the dataset defines it: a worked solution would give it away. */
  readonly reference: string;
  readonly verifier: StatedVerifier;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly mode?: 'explore' | 'deploy' | undefined;
  readonly subject?: string | undefined;
  /** ISO 8601 */
  readonly expiresAt?: string | undefined;
  /** What the prompt was rendered from, where it is more than a prompt. */
  readonly task?: TaskContent | undefined;
}

/** A problem that was checked: its verifier exists and can judge by its reference. */
export interface DatasetProblem extends StatedProblem {
  /** 1-based: the line of a JSON Lines file, blank ones counted, or the row of a Parquet file. */
  readonly row: number;
  readonly verifier: {
    readonly kind: string;
    readonly version: string;
    readonly options: Readonly<Record<string, string>>;
  };
  readonly metadata: Readonly<Record<string, string>>;
}

/** A problem that no verifier judges: answers wait for feedback. */
export interface UngradedProblem extends Omit<StatedProblem, 'reference' | 'verifier'> {
  /** As of a {@link DatasetProblem}. */
  readonly row: number;
  readonly reference: null;
  readonly verifier: null;
  readonly metadata: Readonly<Record<string, string>>;
  /** Milliseconds from an answer to the end of the time in which feedback on it counts. */
  readonly feedbackWithinMs?: number | undefined;
}

/** Such a problem as a form reads it from a row. */
type StatedUngraded = Omit<StatedProblem, 'reference' | 'verifier'> & Pick<UngradedProblem, 'feedbackWithinMs'>;

/** What is wrong with a row. */
export interface RowFault {
  readonly row: number;
  /** "prompt", "reward_model.ground_truth", or "row" for the whole of it. */
  readonly field: string;
  readonly expected: string;
  /** What the row has instead, as JSON cut short. */
  readonly came: string;
}

/** A row as the file has it, or why it cannot be read. `row` is 1-based. */
export type Row =
  | { readonly row: number; readonly value: unknown }
  | { readonly row: number; readonly fault: RowFault };

/** How a published dataset states its problems. */
export interface DatasetForm {
  readonly name: string;
  /** One sentence for --help. */
  readonly summary: string;
  /** A row as JSON. */
  readonly example: string;
  /** Top-level columns that are read; all where absent. Other columns are passed over. */
  readonly columns?: readonly string[];
  /** Whether the row looks like one of this form, by its fields alone. */
  recognises(row: Readonly<Record<string, unknown>>): boolean;
  readonly shape: z.ZodType<StatedProblem>;
  /** A row without a prompt that has no verdict yet; none where absent. */
  readonly ungraded?: z.ZodType<StatedUngraded>;
}
