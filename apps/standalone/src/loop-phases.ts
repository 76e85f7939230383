/** Where the time of the loop went. A round is explored, what it brought is trained on, and the result is compared with what is served. */
import { endedRuns, type LoopProgress } from './round-progress.js';

/** Seconds of work; what is left of the loop's time is hand-over: the buffer's commit, the plan, the swap. */
export interface LoopPhases {
  /** From a round's first problem to the start of the run that learns from it. */
  readonly exploring: number;
  /** Until a run has made its candidate, or has ended without one. */
  readonly training: number;
  /** Until the candidate is promoted or rejected. */
  readonly comparing: number;
}

/**
 * Times that overlap count for the phase that began first, so that the phases are at most the whole.
 * @param secondsTo work from the loop's first problem to a time in milliseconds since 1970
 */
export function loopPhases(progress: LoopProgress, secondsTo: (toMs: number) => number): LoopPhases {
  const rounds = [...progress.rounds.values()].sort((a, b) => a.round - b.round);
  const phases = { exploring: 0, training: 0, comparing: 0 };
  let countedTo = Number.NEGATIVE_INFINITY;
  const pass = (phase: keyof LoopPhases, fromMs: number, toMs: number): void => {
    const begunMs = Math.max(fromMs, countedTo);
    if (toMs <= begunMs) return;
    phases[phase] += secondsTo(toMs) - secondsTo(begunMs);
    countedTo = toMs;
  };
  for (const [at, run] of endedRuns(progress).entries()) {
    const endedAtMs = run.endedAtMs ?? run.startedAtMs;
    const madeAtMs = run.madeAtMs ?? endedAtMs;
    pass('exploring', rounds[at]?.firstPublishedAtMs ?? run.startedAtMs, run.startedAtMs);
    pass('training', run.startedAtMs, madeAtMs);
    pass('comparing', madeAtMs, endedAtMs);
  }
  return phases;
}
