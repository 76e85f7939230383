/**
 * Drives the rounds: follows the log, folds what it shows, publishes the next round when the last one has been decided.
 * All it knows comes from the log, so a driver that was killed goes on where the log ends.
 */
import type { ConsumedOffset, EventLog, LogRecord } from '@seamstream/event-log';
import { encodeEvent, TOPIC } from '@seamstream/events';
import type { Clock } from '@seamstream/kernel';
import { problemsOfRound } from './problem-stream.js';
import { readableEvent } from './readable-event.js';
import { decideRound, type RoundPlan } from './round-driver.decide.js';
import { evolveLoopProgress, initialLoopProgress, type LoopProgress } from './round-progress.js';

export interface RunRoundsDependencies {
  readonly log: EventLog;
  readonly clock: Clock;
  /** Told after every chunk of the log. */
  readonly onProgress: (progress: LoopProgress) => void;
}

const FOLLOWED = [
  TOPIC.problems,
  TOPIC.experiences,
  TOPIC.outcomes,
  TOPIC.buffer,
  TOPIC.training,
  TOPIC.adapters,
  TOPIC.deadLetters,
];

export class RunRoundsHandler {
  constructor(private readonly dependencies: RunRoundsDependencies) {}

  /** Returns when the rounds are over (with the reason) or the signal aborts (reason null). */
  async handle(
    seed: number,
    plan: RoundPlan,
    signal: AbortSignal,
  ): Promise<{ readonly progress: LoopProgress; readonly reason: string | null; readonly converged: boolean }> {
    const { log, clock, onProgress } = this.dependencies;
    const stop = new AbortController();
    const both = AbortSignal.any([signal, stop.signal]);
    let progress = initialLoopProgress;
    /** Highest round published by this process: its own records may not have come back yet. */
    let publishedRound = 0;
    let reason: string | null = null;
    let converged = false;

    const act = async (): Promise<void> => {
      const decision = decideRound(progress, plan);
      if (decision.kind === 'finished') {
        ({ reason, converged } = decision);
        stop.abort();
      } else if (decision.kind === 'publish' && decision.round > publishedRound) {
        publishedRound = decision.round;
        const { round, phase } = decision;
        await log.append(
          problemsOfRound({ seed, round, phase, roundSize: plan.roundSize, occurredAt: clock.now() }).map(encodeEvent),
        );
      }
    };

    const fold = (records: readonly LogRecord[]): void => {
      for (const record of records) {
        const event = readableEvent(record);
        if (event !== undefined) progress = evolveLoopProgress(progress, event);
      }
      onProgress(progress);
    };

    // What is already recorded comes first: nothing is decided on half a history.
    const from = await this.readHistory(fold);
    await act();
    for await (const records of log.follow({ topics: FOLLOWED, from, signal: both })) {
      fold(records);
      await act();
      if (both.aborted) break;
    }
    return { progress, reason, converged };
  }

  /** Hands over all that is recorded, and returns where it ends. */
  private async readHistory(fold: (records: readonly LogRecord[]) => void): Promise<readonly ConsumedOffset[]> {
    const { log } = this.dependencies;
    const ends: ConsumedOffset[] = [];
    for (const topic of FOLLOWED) {
      for (const { partition, low, high } of await log.watermarks(topic)) {
        for await (const records of log.read({ topic, partition, from: low, to: high })) fold(records);
        ends.push({ topic, partition, nextOffset: high });
      }
    }
    return ends;
  }
}
