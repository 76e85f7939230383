/** What a late batch says about its deadline. Pure. */
import type { BatchProgress } from './delivery.js';

export interface Speed {
  /** Of writing: reading the prompts is not counted where two reports tell them apart. */
  readonly tokensPerSecond: number;
  /** For the most tokens that a record needs, its prompt aside. */
  readonly msPerRecord: number;
}

export interface DeadlineFinding {
  /** Whether a record needs longer than the deadline at the measured speed, even without its prompt. */
  readonly isTooShort: boolean;
  /** A sentence for an operator. */
  readonly advice: string;
}

/** A deadline that is advised is longer than the estimate by this: a machine is not equally fast at all times. */
const ALLOWANCE = 2;

/**
 * @param reports the first with tokens and the last one, in milliseconds since the batch was begun
 * @returns undefined where no tokens were counted
 */
export function speedOf(
  reports: readonly { readonly atMs: number; readonly progress: BatchProgress }[],
): Speed | undefined {
  const [first, last] = [reports[0], reports.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const hasTwo = last.atMs > first.atMs && last.progress.tokens > first.progress.tokens;
  const tokens = hasTwo ? last.progress.tokens - first.progress.tokens : last.progress.tokens;
  const tookMs = hasTwo ? last.atMs - first.atMs : last.atMs;
  if (tookMs <= 0) return undefined;
  const perMs = tokens / tookMs;
  return { tokensPerSecond: 1000 * perMs, msPerRecord: last.progress.tokensPerRecord / perMs };
}

/** Of a batch that was not answered within its deadline. */
export function judgeLateRecord(speed: Speed | undefined, deadlineMs: number): DeadlineFinding {
  if (speed === undefined) return { isTooShort: false, advice: 'Find what takes so long, or allow more time for it.' };
  const { msPerRecord, tokensPerSecond } = speed;
  const [needed, measured] = [seconds(msPerRecord), tokensPerSecond.toPrecision(3)];
  const advised = 1000 * Math.ceil((ALLOWANCE * Math.max(msPerRecord, deadlineMs)) / 1000);
  return {
    isTooShort: msPerRecord > deadlineMs,
    advice: `One problem needs about ${needed} s at the measured ${measured} tokens/s, the deadline is ${seconds(deadlineMs)} s. Raise SEAM_CONSUMING_DEADLINE_MS to ${advised}, or ask for fewer tokens.`,
  };
}

function seconds(ms: number): string {
  return ms < 10_000 ? (ms / 1000).toPrecision(2) : String(Math.ceil(ms / 1000));
}
