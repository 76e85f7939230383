import type { Problem } from '@seamstream/events';
import type { Adapter } from '@seamstream/language-model';
import type { JudgedBy } from '@seamstream/rollout';
import type { Artefact } from './artefact.js';
import type { EvaluationTerms } from './run-plan.js';

/** A problem with what was said about it. */
export interface Said {
  readonly problemId: string;
  readonly prompt: string;
  /** Null where none was written. */
  readonly entry: string | null;
  /** Null where the response holds none. */
  readonly answer: string | null;
}

/** What became of one problem. */
export interface ProblemResult {
  readonly domain: string;
  /** Null where it could not be judged: it counts in no rate. */
  readonly solved: boolean | null;
  /** The share of it that is right, of several questions say; absent: all of it where it is solved, else nothing. */
  readonly share?: number;
  /** The model whose opinion that is; absent where none was asked. */
  readonly judgedBy?: JudgedBy;
  /** Absent where no entry was written for the problem alone, say by a team. */
  readonly said?: Said;
}

/** How many problems of a set were asked, by domain. */
export type AskedPerDomain = Readonly<Record<string, number>>;

/**
 * Problems in a row. The row begins, in every domain, with the problem after those that were asked before; after a domain's last comes
 * its first again. Domains are mixed in the proportions that they have in the set, so that a beginning of the row is a sample of the set.
 */
export interface Stretch {
  readonly asked: AskedPerDomain;
  /** Place in the row, from 0. */
  readonly from: number;
  readonly count: number;
}

/** Measures adapters before they may serve, with greedy decoding. Equal adapters on equal problems measure equal. */
export abstract class AdapterEvaluation<A extends Artefact = Adapter> {
  /** Name of the set of problems. */
  abstract readonly problemSet: string;
  /** SHA-256 of all its problems: whether another process has the same ones. */
  abstract readonly problemSetDigest: string;

  /** Attempts that its measurements have taken so far; null where they are not counted. */
  attempts(): number | null {
    return null;
  }

  /** The same problems under the terms of a plan. @throws as models do that cannot be opened under them */
  abstract under(terms: EvaluationTerms): Promise<AdapterEvaluation<A>>;

  /** Other problems, asked in the same way; absent where that is not possible. @param problemSet what events call them */
  over?(problemSet: string, problems: readonly Problem[]): AdapterEvaluation<A>;

  /**
   * How many problems there are to ask, by domain.
   * @param domains those that have appeared in the log; problems of others are not asked
   */
  abstract sizes(domains: readonly string[]): AskedPerDomain;

  /** Digest of the problems of a stretch: whether a recorded measurement was on the same ones. */
  abstract digestOf(domains: readonly string[], stretch: Stretch): string;

  /**
   * The problems of a stretch, in its order.
   * @param adapter null measures the bare base model
   */
  abstract measure(
    adapter: A | null,
    domains: readonly string[],
    stretch: Stretch,
    onProgress: (done: number, total: number) => void,
  ): Promise<readonly ProblemResult[]>;
}
