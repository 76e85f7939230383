export interface Mutant {
  readonly id: string;
  /** From the root. */
  readonly file: string;
  readonly line: number;
  readonly mutator: string;
  readonly from: string;
  readonly to: string;
  /** The line's text. */
  readonly within: string;
}

export function mutantsOf(
  root: string,
  file: string,
): Promise<{ readonly text: string; readonly mutants: readonly Mutant[] }>;
