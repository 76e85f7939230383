/**
 * Plans a run after every so many completed problems. Windows are counted over all partitions, so one instance works on all of
 * them, one batch at a time. A window is planned when the run of the one before has ended, since it begins with what that made; until
 * then the record that completes it waits in the log.
 *
 * The window's state is a function of the log: the last planned window says where the next one begins, and the records
 * from there to what was committed as consumed are counted again. A batch that does not begin where the state ends means that
 * a transaction failed, and one under another claim that another instance may have been at work: where the state is
 * not at what was committed, it is restored.
 */

import type { ConsumedOffset, EventLog } from '@seamstream/event-log';
import { type EventOf, TOPIC } from '@seamstream/events';
import { type Clock, sleep } from '@seamstream/kernel';
import {
  type DeliveredBatch,
  defer,
  done,
  ensureCurrent,
  FoldPosition,
  type HandlerResult,
  type ServiceLogger,
  wait,
} from '@seamstream/service-kit';
import {
  type EndedWindow,
  evolveWindow,
  hasEnded,
  type OutcomeWindow,
  type PlanRunHandler,
  plannedEvent,
  runMeta,
  runOfLastWindow,
  type TrainingHistory,
  type TrainingHistoryReader,
  WindowRestoration,
  windowAt,
  windowRanges,
} from '@seamstream/training-runs';

export interface PlanWindowsDependencies {
  readonly log: EventLog;
  readonly history: TrainingHistoryReader;
  readonly planRun: PlanRunHandler;
  readonly clock: Clock;
  readonly logger: ServiceLogger;
}

export interface PlanWindowsSettings {
  readonly trainEveryProblems: number;
  /** Whose workers take the runs. */
  readonly queue: string;
}

interface Held {
  window: OutcomeWindow;
  /** Absent once the window stands where the log does. */
  restoration?: { readonly consumed: readonly ConsumedOffset[]; under?: WindowRestoration } | undefined;
  /** The run of the previous window. If it is another one now, the window is counted again. */
  after: string | undefined;
  /** What is known of the window that is complete and not planned yet, and the record that completes it. */
  ended?: { readonly by: string; readonly facts: EndedWindow } | undefined;
  readonly places: FoldPosition;
}

/** Between two looks at what a window waits for, in milliseconds: short at first, so that quick runs are followed at once. */
const FIRST_LOOK_MS = 20;
const LOOK_MS = 500;

const REMIND_EVERY_MS = 15_000;

/** Longest wait for the history in one go, in milliseconds: its first reading may take longer than a batch may. */
const PATIENCE_MS = 30_000;

export class PlanWindowsHandler {
  private held: Held | undefined;
  /** The run that a complete window waits for; undefined where it waits for the buffer. */
  private waitsFor: ReturnType<typeof unendedRun>;
  private waiting: { readonly sinceMs: number; readonly looks: number; readonly saidMs: number } | undefined;

  constructor(
    private readonly dependencies: PlanWindowsDependencies,
    private readonly settings: PlanWindowsSettings,
  ) {}

  /** One result per record: a plan is committed together with the record that completed its window. */
  async handle(batch: DeliveredBatch): Promise<readonly HandlerResult[]> {
    const { signal } = batch;
    const held = await ensureCurrent(this.dependencies.log, batch, this.held, (consumed) => this.restore(consumed));
    if (!(await this.isRestored(held, signal))) return postponed(batch);
    // Until this batch is through, a failure leaves no state to continue with.
    this.held = undefined;
    const results: HandlerResult[] = [];
    let next = batch.nextOffset;
    for (const { event, position } of batch.records) {
      const window = evolveWindow(held.window, event, position);
      if (window.completedProblems < this.settings.trainEveryProblems) {
        held.window = window;
        held.ended = undefined;
        results.push(done());
        continue;
      }
      const planned = await this.endWindow(held, window, `${position.partition}@${position.offset}`, signal);
      if (planned === 'overtaken') return postponed(batch);
      if (planned === undefined) {
        results.push(this.notYet(window));
        next = position.offset;
        break;
      }
      this.waiting = undefined;
      held.window = windowAt(window.nextOffsets, window);
      held.ended = undefined;
      held.after = planned.runId;
      results.push(done([planned]));
      // The plan must be in the log before the next window is planned from it.
      if (results.length < batch.records.length) next = position.offset + 1;
      break;
    }
    while (results.length < batch.records.length) results.push(defer());
    held.places.advance(batch, next);
    this.held = held;
    return results;
  }

  /**
   * The window's plan; undefined as long as something is missing for it, `overtaken` where another plan took a window meanwhile.
   * @param by the record that completes it: while one waits, another partition's record may complete another window
   */
  private async endWindow(
    held: Held,
    window: OutcomeWindow,
    by: string,
    signal: AbortSignal,
  ): Promise<EventOf<'TrainingRunPlanned'> | 'overtaken' | undefined> {
    const { history: reader, planRun, clock, logger } = this.dependencies;
    const history = await reader.read(signal);
    if (history.lastWindow?.runId !== held.after) return 'overtaken';
    this.waitsFor = unendedRun(history);
    if (this.waitsFor !== undefined) return undefined;
    if (held.ended?.by !== by)
      held.ended = {
        by,
        facts: await planRun.endWindow(windowRanges(window, TOPIC.outcomes), window, history, signal),
      };
    const plan = await planRun.ofWindow(held.ended.facts, history, signal);
    if (plan === undefined) return undefined;
    const { runId, algorithm, configuration } = plan;
    logger.info({ runId, algorithm, window: configuration.window?.index }, 'training run planned');
    return {
      type: 'TrainingRunPlanned',
      ...plannedEvent(plan, this.settings.queue, runMeta(runId, 'planned', clock.now())),
    };
  }

  private notYet({ completedProblems }: OutcomeWindow): HandlerResult {
    const nowMs = this.dependencies.clock.now();
    const { sinceMs, looks, saidMs } = this.waiting ?? { sinceMs: nowMs, looks: 0, saidMs: nowMs };
    const isToBeSaid = nowMs - saidMs >= REMIND_EVERY_MS;
    this.waiting = { sinceMs, looks: looks + 1, saidMs: isToBeSaid ? nowMs : saidMs };
    if (isToBeSaid)
      this.dependencies.logger.warn(
        { completedProblems, seconds: Math.round((nowMs - sinceMs) / 1000), ...this.waitsFor },
        this.waitsFor === undefined
          ? 'a complete window waits for a version of the buffer that covers it: does the buffer service run, and does it commit as often as runs are planned?'
          : 'a complete window waits for the run before it to end: does a training worker of its queue run, with what it asks for? Cancel a run that no worker can carry out with seam runs cancel',
      );
    return wait(Math.min(LOOK_MS, FIRST_LOOK_MS * 2 ** Math.min(looks, 10)));
  }

  /** The history, or nothing while it is not read yet: reading continues. */
  private async historyWithin(patienceMs: number, signal: AbortSignal): Promise<TrainingHistory | undefined> {
    const reading = this.dependencies.history.read(signal);
    reading.catch(() => undefined); // the next caller gets the error
    const over = new AbortController();
    try {
      return await Promise.race([reading, sleep(patienceMs, over.signal).then(() => undefined)]);
    } finally {
      over.abort();
    }
  }

  private restore(consumed: readonly ConsumedOffset[]): Promise<Held> {
    const restoration = { consumed };
    return Promise.resolve({
      window: windowAt(new Map()),
      restoration,
      after: undefined,
      places: new FoldPosition(consumed),
    });
  }

  /** Counts a slice of what is still to be counted; what was is kept, also where this one fails. */
  private async isRestored(held: Held, signal: AbortSignal): Promise<boolean> {
    const { restoration } = held;
    if (restoration === undefined) return true;
    this.held = held;
    if (restoration.under === undefined) {
      const history = await this.historyWithin(PATIENCE_MS, signal);
      if (history === undefined) return false;
      restoration.under = new WindowRestoration(this.dependencies.log, history, restoration.consumed);
      held.after = history.lastWindow?.runId;
    }
    const window = await restoration.under.advance(signal);
    if (window === undefined) return false;
    held.window = window;
    held.restoration = undefined;
    this.dependencies.logger.info({ completedProblems: window.completedProblems }, 'planner restored');
    return true;
  }
}

/** Nothing of the batch yet, and no attempt of it. */
function postponed({ records }: DeliveredBatch): readonly HandlerResult[] {
  return records.map((_, index) => (index === 0 ? wait(0) : defer()));
}

/** The run of the last window where it has not ended: what it made is not known. */
function unendedRun(history: TrainingHistory): { readonly runId: string; readonly queue: string | null } | undefined {
  const run = runOfLastWindow(history);
  return run === undefined || hasEnded(run) ? undefined : { runId: run.plan.runId, queue: run.queue };
}
