/**
 * Starts a run after every so many completed problems, and first ends the run that a killed trainer left behind. Windows
 * are counted over all partitions, so one instance works on all of them, one batch at a time.
 *
 * The window's state is a function of the log: the last window on record says where the next one begins, and the records
 * from there to what was committed as consumed are counted again. A batch that does not begin where the state ends means that
 * a transaction failed, and one that comes under another claim that somebody else may have been at work: where the state is
 * not at what was committed, it is restored.
 */
import type { ConsumedOffset, EventLog } from '@seamstream/event-log';
import { encodeEvent, type SeamEvent, TOPIC } from '@seamstream/events';
import {
  type DeliveredBatch,
  defer,
  done,
  FoldPosition,
  type HandlerResult,
  replayUntil,
  type ServiceLogger,
  stateFor,
} from '@seamstream/service-kit';
import { evolveWindow, type OutcomeWindow, REMEMBERED_WINDOWS, windowAt, windowRanges } from './outcome-window.js';
import type { PlanRunHandler } from './plan-run.handler.js';
import { planOf } from './run-plan.js';
import type { RunHolder, RunTrainingHandler } from './run-training.handler.js';
import { readTrainingHistory } from './training-history.js';
import { decide } from './training-run.js';

export interface TrainWindowsDependencies {
  readonly log: EventLog;
  readonly planRun: PlanRunHandler;
  readonly runTraining: RunTrainingHandler;
  readonly logger: ServiceLogger;
}

interface Held {
  window: OutcomeWindow;
  readonly places: FoldPosition;
}

export class TrainWindowsHandler {
  private held: Held | undefined;

  constructor(
    private readonly dependencies: TrainWindowsDependencies,
    private readonly trainEveryProblems: number,
  ) {}

  /** One outcome per record: the end of a run is committed together with the record that completed its window. */
  async handle(batch: DeliveredBatch): Promise<readonly HandlerResult[]> {
    const held = await stateFor(this.dependencies.log, batch, this.held, (consumed) => this.restore(batch, consumed));
    // Until this batch is through, a failure leaves nothing to go on from.
    this.held = undefined;
    const outcomes: HandlerResult[] = [];
    let next = batch.nextOffset;
    for (const { event, position } of batch.records) {
      held.window = evolveWindow(held.window, event, position);
      if (held.window.completedProblems < this.trainEveryProblems) {
        outcomes.push(done());
        continue;
      }
      outcomes.push(done(await this.endWindow(held.window, batch)));
      held.window = windowAt(held.window.nextOffsets, held.window);
      // The run's end must stand in the log before the next window is planned from it.
      if (outcomes.length < batch.records.length) next = position.offset + 1;
      break;
    }
    while (outcomes.length < batch.records.length) outcomes.push(defer());
    held.places.advance(batch, next);
    this.held = held;
    return outcomes;
  }

  private async endWindow(window: OutcomeWindow, batch: DeliveredBatch): Promise<readonly SeamEvent[]> {
    const { log, planRun, runTraining } = this.dependencies;
    const history = await readTrainingHistory(log);
    const plan = await planRun.ofWindow(windowRanges(window, TOPIC.outcomes), window, history, batch.signal);
    return runTraining.handle(plan, history, this.holderOf(batch));
  }

  /** Under the claim: a trainer that stood still while another took over must neither begin a run nor end one. */
  private holderOf({ claim, signal }: DeliveredBatch): RunHolder {
    const { log } = this.dependencies;
    const record = (events: readonly SeamEvent[]): Promise<unknown> =>
      log.transact({ records: events.map(encodeEvent), consumed: { claim, offsets: [] } });
    return { signal, record };
  }

  private async restore(batch: DeliveredBatch, consumed: readonly ConsumedOffset[]): Promise<Held> {
    const { log, runTraining, logger } = this.dependencies;
    let history = await readTrainingHistory(log);
    const { lastWindow } = history;
    const run = lastWindow && history.runs.get(lastWindow.runId);
    if (run !== undefined && run.status !== 'unknown' && decide(run).kind !== 'none') {
      const holder = this.holderOf(batch);
      await holder.record(await runTraining.handle(planOf(run.started), history, holder));
      history = await readTrainingHistory(log);
    }
    const last = lastWindow?.configuration.window;
    // Groups that were open or complete when the last windows ended are known by counting these again.
    let window = windowAt(new Map());
    for (let back = last === undefined || last === null ? -1 : REMEMBERED_WINDOWS - 1; back >= 0; back--) {
      const ranges = history.windows.get(last!.index - back)?.outcomes;
      if (ranges === undefined) continue;
      const { completedBefore, open } = window;
      window = { ...windowAt(new Map(ranges.map(({ partition, from }) => [partition, from]))), completedBefore, open };
      window = await this.countOn(window, new Map(ranges.map(({ partition, to }) => [partition, to])));
      window = windowAt(new Map(ranges.map(({ partition, to }) => [partition, to])), window);
    }
    window = await this.countOn(window, new Map(consumed.map(({ partition, nextOffset }) => [partition, nextOffset])));
    logger.info({ windows: history.windows.size, completedProblems: window.completedProblems }, 'trainer restored');
    return { window, places: new FoldPosition(consumed) };
  }

  private countOn(start: OutcomeWindow, ends: ReadonlyMap<number, number>): Promise<OutcomeWindow> {
    return replayUntil(this.dependencies.log, TOPIC.outcomes, { start, ends }, evolveWindow);
  }
}
