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
import { type SeamEvent, TOPIC } from '@seamstream/events';
import type { Clock } from '@seamstream/kernel';
import {
  type DeliveredBatch,
  defer,
  done,
  FoldPosition,
  type HandlerResult,
  replayUntil,
  type ServiceLogger,
  stateFor,
  wait,
} from '@seamstream/service-kit';
import { evolveWindow, type OutcomeWindow, REMEMBERED_WINDOWS, windowAt, windowRanges } from './outcome-window.js';
import type { EndedWindow, PlanRunHandler } from './plan-run.handler.js';
import { runMeta } from './run-events.js';
import { plannedEvent } from './run-plan.js';
import type { TrainingHistory, TrainingHistoryReader } from './training-history.js';
import { hasEnded } from './training-run.js';

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
  /** What is known of the window that is complete and not planned yet, and the record that completes it. */
  ended?: { readonly by: string; readonly facts: EndedWindow } | undefined;
  readonly places: FoldPosition;
}

/** Between two looks at what a window waits for, in milliseconds: short at first, so that quick runs are followed at once. */
const FIRST_LOOK_MS = 20;
const LOOK_MS = 500;

const REMIND_EVERY_MS = 15_000;

export class PlanWindowsHandler {
  private held: Held | undefined;
  private waiting: { readonly sinceMs: number; readonly looks: number; readonly saidMs: number } | undefined;

  constructor(
    private readonly dependencies: PlanWindowsDependencies,
    private readonly settings: PlanWindowsSettings,
  ) {}

  /** One result per record: a plan is committed together with the record that completed its window. */
  async handle(batch: DeliveredBatch): Promise<readonly HandlerResult[]> {
    const held = await stateFor(this.dependencies.log, batch, this.held, (consumed) => this.restore(consumed));
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
      const planned = await this.endWindow(held, window, `${position.partition}@${position.offset}`);
      if (planned === undefined) {
        results.push(this.notYet(window));
        next = position.offset;
        break;
      }
      this.waiting = undefined;
      held.window = windowAt(window.nextOffsets, window);
      held.ended = undefined;
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
   * The window's plan; undefined as long as something is missing for it.
   * @param by the record that completes it: while one waits, another partition's record may complete another window
   */
  private async endWindow(held: Held, window: OutcomeWindow, by: string): Promise<SeamEvent | undefined> {
    const { history: reader, planRun, clock, logger } = this.dependencies;
    const history = await reader.read();
    if (!isFree(history)) return undefined;
    if (held.ended?.by !== by)
      held.ended = { by, facts: await planRun.endWindow(windowRanges(window, TOPIC.outcomes), window, history) };
    const plan = await planRun.ofWindow(held.ended.facts, history);
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
        { completedProblems, seconds: Math.round((nowMs - sinceMs) / 1000) },
        'a complete window waits for the run before it to end, or for a version of the buffer that covers it: do a training worker and the buffer service run, and does the buffer commit as often as runs are planned?',
      );
    return wait(Math.min(LOOK_MS, FIRST_LOOK_MS * 2 ** Math.min(looks, 10)));
  }

  private async restore(consumed: readonly ConsumedOffset[]): Promise<Held> {
    const { history: reader, logger } = this.dependencies;
    const { lastWindow, windows } = await reader.read();
    const last = lastWindow?.configuration.window;
    // Groups that were open or complete when the last windows ended are known by counting these again.
    let window = windowAt(new Map());
    for (let back = last === undefined || last === null ? -1 : REMEMBERED_WINDOWS - 1; back >= 0; back--) {
      const ranges = windows.get(last!.index - back)?.outcomes;
      if (ranges === undefined) continue;
      const { completedBefore, open } = window;
      window = { ...windowAt(new Map(ranges.map(({ partition, from }) => [partition, from]))), completedBefore, open };
      window = await this.countOn(window, new Map(ranges.map(({ partition, to }) => [partition, to])));
      window = windowAt(new Map(ranges.map(({ partition, to }) => [partition, to])), window);
    }
    window = await this.countOn(window, new Map(consumed.map(({ partition, nextOffset }) => [partition, nextOffset])));
    logger.info({ windows: windows.size, completedProblems: window.completedProblems }, 'planner restored');
    return { window, places: new FoldPosition(consumed) };
  }

  private countOn(start: OutcomeWindow, ends: ReadonlyMap<number, number>): Promise<OutcomeWindow> {
    return replayUntil(this.dependencies.log, TOPIC.outcomes, { start, ends }, evolveWindow);
  }
}

/** Whether the run of the last window has ended, so that what it made is known. */
function isFree({ lastWindow, runs }: TrainingHistory): boolean {
  const run = lastWindow === undefined ? undefined : runs.get(lastWindow.runId);
  return run === undefined || hasEnded(run);
}
