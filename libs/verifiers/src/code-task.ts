/** An answer to run against its tests, and the verdict on it. */
import type { Language } from './sandbox-command.js';

export interface CodeTask {
  readonly language: Language;
  /** The answer. */
  readonly code: string;
  /** The unit tests. */
  readonly tests: string;
  /** What `check(candidate)` is called with, and a name that is the answer's even where the language has one like it; null for none. */
  readonly entryPoint: string | null;
  /** Which calls leave changes of their arguments behind: those that return nothing, or all. */
  readonly inPlace: 'procedures' | 'always';
  /** Wall time of answer and tests together, from when both sandboxes are up. */
  readonly timeLimitMs: number;
  /** Memory of all of the answer's processes together. What Node itself holds is added to it. */
  readonly memoryMb: number;
}

export interface CodeResult {
  readonly passed: boolean;
  readonly detail: string;
}
