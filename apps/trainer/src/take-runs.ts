/**
 * A worker: takes planned runs, one after the other, and carries each out. Workers share nothing but the log and the objects: whose run
 * it is follows from the run's claim, and a run whose worker died is taken by the next one, from its last checkpoint.
 */

import type { EventLog } from '@seamstream/event-log';
import { TOPIC } from '@seamstream/events';
import { backoffMs, isSeamError, messageOf, SeamError, sleep, withDeadline } from '@seamstream/kernel';
import type { ObjectStore } from '@seamstream/object-store';
import { type CommonConfig, isOutage, type ServiceLogger } from '@seamstream/service-kit';
import {
  hasEnded,
  holdRun,
  initialState,
  type Lack,
  lackFor,
  planOf,
  type RunLeases,
  type RunPlan,
  type RunTraining,
  runsInQueue,
  sweepEndedRuns,
  type TrainingHistory,
  type TrainingHistoryReader,
  type WorkerAbilities,
} from '@seamstream/training-runs';

export interface TakeRunsDependencies {
  readonly log: EventLog;
  readonly objects: ObjectStore;
  readonly history: TrainingHistoryReader;
  readonly leases: RunLeases;
  readonly runTraining: RunTraining;
  readonly abilities: WorkerAbilities;
  readonly logger: ServiceLogger;
  /** Counts a run that this worker leaves to another one, by what it lacks. */
  readonly onPassedOver: (what: Lack['what']) => void;
}

export interface TakeRunsSettings {
  /** Whose runs are taken. */
  readonly queue: string;
  /** Planned runs until it is closed, or one run: then it ends, also where none waits. */
  readonly takes: 'runs' | 'one-run';
  /** Milliseconds between two looks at runs that others seem to work on. */
  readonly lookEveryMs: number;
  readonly retrying: Pick<CommonConfig['consuming'], 'firstRetryMs' | 'maxRetryMs' | 'shutdownGraceMs'>;
}

export class TakeRuns {
  /** Rejects when the worker can no longer do its work; resolves after {@link close}, or when it has done what it was started for. */
  readonly ended: Promise<void>;
  private readonly stopping = new AbortController();
  private news = Promise.withResolvers<undefined>();
  /** Runs that are left to other workers, each logged once. Those of them that have ended are forgotten. */
  private readonly passedOver = new Set<string>();
  private sweptAtMs: number | undefined;

  constructor(
    private readonly dependencies: TakeRunsDependencies,
    private readonly settings: TakeRunsSettings,
  ) {
    this.ended = this.work();
    this.ended.catch(() => undefined); // the service may look at it, but need not
  }

  /** Leaves the run in progress at its next step, with a checkpoint. The worker that takes it next resumes there. */
  async close(): Promise<void> {
    this.stopping.abort(new SeamError('ABORTED', 'Cannot finish the run: the worker closes.'));
    this.news.resolve(undefined);
    // An engine that does not come back must not hold the process; what it still records is fenced by the next holder.
    const patienceMs = this.settings.retrying.shutdownGraceMs + LEFT_BEHIND_AFTER_MS;
    await withDeadline(patienceMs, this.ended).catch(() => undefined);
  }

  private async work(): Promise<void> {
    const { signal } = this.stopping;
    const following = this.follow(signal);
    const isStopped = (): boolean => signal.aborted;
    for (let outages = 0; !isStopped(); ) {
      this.news = Promise.withResolvers();
      try {
        const next = await this.next();
        if (next !== undefined) await this.take(next);
        if (this.settings.takes === 'one-run')
          this.stopping.abort(new SeamError('ABORTED', 'Cannot finish the run: the worker has ended.'));
        else if (next === undefined) await Promise.race([this.news.promise, sleep(this.settings.lookEveryMs, signal)]);
        outages = 0;
        // Its end did not count, because of an earlier record: without a wait it would be taken again at once, for ever.
        if (next !== undefined && !isStopped() && !(await this.hasEnded(next.runId)))
          await sleep(this.settings.lookEveryMs, signal);
      } catch (error) {
        if (isStopped()) break;
        await this.excuse(error, ++outages, signal);
      }
    }
    await following;
  }

  /** The run that has waited longest of those that no worker holds. */
  private async next(): Promise<RunPlan | undefined> {
    const { history, leases } = this.dependencies;
    const known = await history.read();
    await this.sweep(known);
    for (const runId of this.passedOver)
      if (hasEnded(known.runs.get(runId) ?? initialState())) this.passedOver.delete(runId);
    for (const run of runsInQueue(known, this.settings.queue)) {
      if (this.passedOver.has(run.plan.runId)) continue;
      const plan = planOf(run.plan);
      if (this.canCarryOut(plan) && (await leases.isFree(plan.runId))) return plan;
    }
    return undefined;
  }

  /** Deletes what ended runs have left: at the start, and then from time to time. */
  private async sweep(known: TrainingHistory): Promise<void> {
    if (this.sweptAtMs !== undefined && performance.now() - this.sweptAtMs < SWEEP_EVERY_MS) return;
    this.sweptAtMs = performance.now();
    try {
      await sweepEndedRuns(this.dependencies.objects, known);
    } catch (error) {
      // Runs do not wait for it: a store may not let this worker delete anything.
      this.dependencies.logger.warn({ err: error }, 'what ended runs have left stays for later');
    }
  }

  /** What this worker lacks another one may have. */
  private canCarryOut(plan: RunPlan): boolean {
    const { abilities, logger, onPassedOver } = this.dependencies;
    const lack = lackFor(plan, abilities);
    if (lack === undefined) return true;
    const { runId } = plan;
    this.passedOver.add(runId);
    onPassedOver(lack.what);
    const { queue } = this.settings;
    logger.warn(
      { runId, queue, lacks: lack.what, asked: lack.asked, here: lack.here },
      'a planned run is left to another worker: this one has not what its plan asks for. Start a worker that has, or cancel it: seam runs cancel',
    );
    return false;
  }

  private async hasEnded(runId: string): Promise<boolean> {
    return hasEnded((await this.dependencies.history.read()).runs.get(runId) ?? initialState());
  }

  private async take(plan: RunPlan): Promise<void> {
    const { log, leases, runTraining } = this.dependencies;
    await holdRun(log, plan.runId, this.stopping.signal, (holder, name) =>
      leases.during(plan.runId, name, () => runTraining.carryOut(plan, holder)),
    );
  }

  /** Waits after an outage or the loss of a run to another worker. @throws everything else */
  private async excuse(error: unknown, outages: number, signal: AbortSignal): Promise<void> {
    const { logger } = this.dependencies;
    if (isSeamError(error, 'FENCED')) {
      logger.info({}, 'training run left: another worker holds it');
      await sleep(this.settings.lookEveryMs, signal);
      return;
    }
    if (!isOutage(error)) throw error;
    const waitMs = backoffMs(outages, this.settings.retrying);
    logger.warn({ code: error.code, reason: messageOf(error), waitMs }, 'trying again after a wait');
    await sleep(waitMs, signal);
  }

  /** Plans are taken as they come. A log that cannot be followed is looked at from time to time all the same. */
  private async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const plans = this.dependencies.log.follow({ topics: [TOPIC.training], from: 'latest', signal });
        for await (const records of plans) if (records.length > 0) this.news.resolve(undefined);
      } catch {
        await sleep(this.settings.lookEveryMs, signal);
      }
    }
  }
}

const SWEEP_EVERY_MS = 3_600_000;

/** Beyond the time that a service has to close. */
const LEFT_BEHIND_AFTER_MS = 1_000;
