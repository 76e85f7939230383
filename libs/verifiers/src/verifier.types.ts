import type { VerifierSpec } from '@seamstream/events';

/** What was answered. */
export interface JudgedResponse {
  readonly text: string;
  /** The model ended by itself. A response cut off at its token limit has no answer: its last number may be half a number. */
  readonly finished: boolean;
}

export interface Verdict {
  readonly success: boolean;
  /** As written in the response; null where it holds no answer. */
  readonly extractedAnswer: string | null;
  /** Why, in a sentence. */
  readonly detail: string;
}

/** One way to judge, in one version: a change of what it accepts is a new version, so that old outcomes stay explainable. */
export interface Verifier {
  readonly kind: string;
  readonly version: string;
  /** Names of the options with what they mean; others are refused. */
  readonly options: Readonly<Record<string, string>>;
  /** Reads reference and options once. @throws INVALID_INPUT where the reference or an option's value is malformed. */
  prepare(reference: string, options: VerifierSpec['options']): (answer: string) => Omit<Verdict, 'extractedAnswer'>;
}
