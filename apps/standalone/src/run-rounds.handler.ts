/** Drives the rounds: publishes the next one when the last one has been decided. All it knows comes from the log. */
import type { EventLog } from '@seamstream/event-log';
import { encodeEvent } from '@seamstream/events';
import type { Clock } from '@seamstream/kernel';
import type { ProblemSource } from './problem-stream.js';
import { decideRound, type RoundPlan } from './round-driver.decide.js';
import type { LoopProgress } from './round-progress.js';

export interface RunRoundsDependencies {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly source: ProblemSource;
}

/** How the rounds ended. */
export interface RoundsOutcome {
  readonly reason: string;
  readonly converged: boolean;
}

export class RunRoundsHandler {
  /** Resolves when the rounds are over; it may be long since, in a process before this one. */
  readonly finished: Promise<RoundsOutcome>;
  private finish!: (outcome: RoundsOutcome) => void;
  private isOver = false;
  /** Problems of the stream that this process knows to be published: its own records may not have come back yet. */
  private publishedUpTo = 0;

  constructor(
    private readonly dependencies: RunRoundsDependencies,
    private readonly plan: RoundPlan,
  ) {
    this.finished = new Promise((resolve) => {
      this.finish = resolve;
    });
  }

  /**
   * Does what the progress asks for, once.
   * @param lost problems that went to the dead letters before they had a result
   */
  async react(progress: LoopProgress, lost: number): Promise<void> {
    if (this.isOver) return;
    const decision = decideRound(progress, this.plan, lost);
    if (decision.kind === 'finished') {
      this.isOver = true;
      this.finish({ reason: decision.reason, converged: decision.converged });
    } else if (decision.kind === 'publish' && decision.startIndex >= this.publishedUpTo) {
      const { round, phase, startIndex, count } = decision;
      this.publishedUpTo = startIndex + count;
      const { log, clock, source } = this.dependencies;
      const { roundSize } = this.plan;
      const events = source({ round, phase, roundSize, startIndex, count, occurredAt: clock.now() });
      await log.append(events.map(encodeEvent));
    }
  }
}
