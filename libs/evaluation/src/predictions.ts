/** What was said about each problem of an evaluation, for readers who want more than a rate. */
import type { JudgedBy, Unjudged } from '@seamstream/rollout';

/** One answer to one problem in one arm, or why there is none. */
export interface Prediction {
  /** Of the evaluation or study that it belongs to. */
  readonly arm: string;
  /** Index of the problem in the set. */
  readonly problem: number;
  /** 0, 1, 2, … of several drawn answers; 0 for the greedy one. */
  readonly sample: number;
  /** What the executor was given: JSON text, a hint, empty for an empty slot; null without a slot. */
  readonly entry: string | null;
  /** Null where the executor was not asked. */
  readonly response: string | null;
  readonly answer: string | null;
  /** Null where nothing was judged. */
  readonly success: boolean | null;
  /** The share that is right, of several questions say; absent where nothing was judged. */
  readonly share?: number;
  /** The verifier's words. */
  readonly detail: string | null;
  /** The model whose opinion the verdict is. */
  readonly judgedBy: JudgedBy;
  readonly unjudged: Unjudged | null;
}

/** Takes predictions as they are made: an arm's problems in any order, all before the next arm's. */
export type PredictionSink = (prediction: Prediction) => void;

/** Of a problem that could not be asked. */
export function unasked(arm: string, problem: number, unjudged: Unjudged, entry: string | null = null): Prediction {
  const nothing = { response: null, answer: null, success: null, detail: null, judgedBy: null };
  return { arm, problem, sample: 0, entry, ...nothing, unjudged };
}
