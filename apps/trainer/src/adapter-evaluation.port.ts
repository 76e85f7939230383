import type { Adapter } from '@seamstream/language-model';

/** Success on a fixed set of problems with greedy decoding. */
export interface MeasuredSuccess {
  readonly problemSet: string;
  readonly problemSetDigest: string;
  readonly problems: number;
  /** Fraction solved. */
  readonly success: number;
  /** Fraction solved per domain. */
  readonly perDomain: Readonly<Record<string, number>>;
}

/** Measures adapters before they may serve. Equal adapters on equal problems measure equal. */
export abstract class AdapterEvaluation {
  /** Name and digest of the set that {@link measure} would use, to know whether a recorded measurement still counts. */
  abstract problemSetFor(domains: readonly string[]): {
    readonly problemSet: string;
    readonly problemSetDigest: string;
  };

  /**
   * @param adapter null measures the bare base model
   * @param domains those that have appeared in the log; problems of others are not asked
   */
  abstract measure(
    adapter: Adapter | null,
    domains: readonly string[],
    onProgress: (done: number, total: number) => void,
  ): Promise<MeasuredSuccess>;
}
