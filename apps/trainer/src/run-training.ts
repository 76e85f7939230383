/**
 * Brings one planned run to its end: train (from a checkpoint where there is one), publish the adapter, compare it with its parent,
 * decide. A run that was killed anywhere is resumed where its events say it stood, to the same adapter.
 */
import type { SeamEvent, TrainingRunStarted } from '@seamstream/events';
import { backoffMs, type Clock, isSeamError, SeamError, sleep } from '@seamstream/kernel';
import { promotionHindrance } from '@seamstream/release';
import type { CommonConfig } from '@seamstream/service-kit';
import type { AdapterEvaluation } from './adapter-evaluation.port.js';
import { storeAdapter } from './adapter-objects.js';
import { Checkpoints } from './checkpoints.js';
import { GradientTraining, type GradientTrainingDependencies, type Trained } from './gradient-training.js';
import { judgeAdapter, parentOf } from './judge-adapter.js';
import { RunEvents } from './run-events.js';
import { planOf, type RunPlan } from './run-plan.js';
import type { TrainingHistory, TrainingHistoryReader } from './training-history.js';
import { decide, initialState, type NextAction, type TrainingRun } from './training-run.js';

export interface RunTrainingDependencies extends GradientTrainingDependencies {
  readonly evaluation: AdapterEvaluation;
  readonly history: TrainingHistoryReader;
  readonly clock: Clock;
}

export interface RunTrainingSettings {
  /** Optimizer steps between two checkpoints. */
  readonly checkpointEverySteps: number;
  /** Times that a run is tried in this process when its engine fails, and the waits between. */
  readonly retrying: Pick<CommonConfig['consuming'], 'maxAttempts' | 'firstRetryMs' | 'maxRetryMs'>;
}

/** Who carries a run out. */
export interface RunHolder {
  /** Aborts when the run is to be left for later, or for another holder. */
  readonly signal: AbortSignal;
  /** Appends the run's events, unless another holds it by now: FENCED. */
  readonly record: (events: readonly SeamEvent[]) => Promise<unknown>;
}

export interface VerifiedAdapter {
  readonly runId: string;
  readonly expected: string;
  /** Null when the run, done again, ends without an adapter. */
  readonly actual: string | null;
  readonly matches: boolean;
}

export class RunTraining {
  private readonly training: GradientTraining;

  constructor(
    private readonly dependencies: RunTrainingDependencies,
    private readonly settings: RunTrainingSettings,
  ) {
    this.training = new GradientTraining(dependencies);
  }

  /**
   * Carries a run out and records what happens, its end included. An engine that fails (a thread that dies, memory that is
   * short) is tried again from the last checkpoint; what fails for the run's own sake, or too often, ends it as failed.
   * @returns the event that ended it; undefined when it had ended before
   * @throws ABORTED when the signal aborts, FENCED when another holds the run; errors of log and object store
   */
  async carryOut(plan: RunPlan, holder: RunHolder): Promise<SeamEvent | undefined> {
    const { history, objects, clock, logger } = this.dependencies;
    const { maxAttempts } = this.settings.retrying;
    const { runId } = plan;
    for (let attempt = 1; ; attempt++) {
      // What an attempt leaves in the log, checkpoints and perhaps the adapter, is where the next one begins.
      const known = await history.read();
      const run = known.runs.get(runId) ?? initialState();
      const action = decide(run);
      if (action.kind === 'none') return undefined;
      const events = new RunEvents(plan, clock, startOf(run));
      let ending: SeamEvent;
      try {
        ending = await this.attempt(plan, action, events, known, holder, startOf(run) !== undefined);
      } catch (error) {
        if (isInterruption(error) || holder.signal.aborted) throw error;
        if (isSeamError(error) && error.retryable && attempt < maxAttempts) {
          await this.waitAfter(error, attempt, plan, holder.signal);
          continue;
        }
        logger.error({ runId, attempt, err: error }, 'training run failed');
        ending = events.failed(error);
      }
      // First: an ended run is taken no more, and done again without its checkpoints it comes to the same.
      await new Checkpoints(objects, runId).deleteAll();
      await holder.record([ending]);
      return ending;
    }
  }

  /** From where the run stands to the event that ends it. */
  private async attempt(
    plan: RunPlan,
    action: Exclude<NextAction, { kind: 'none' }>,
    events: RunEvents,
    known: TrainingHistory,
    holder: RunHolder,
    wasStarted: boolean,
  ): Promise<SeamEvent> {
    if (action.kind === 'evaluate') return this.judge(plan, action.adapter, action.metrics, { events, known, holder });
    // 1. On record before anything happens.
    const { objects, engine, clock, logger } = this.dependencies;
    const { runId, algorithm, configuration } = plan;
    const beganMs = clock.now();
    if (wasStarted) logger.info({ runId }, 'training run resumed');
    else {
      await holder.record([{ type: 'TrainingRunStarted', ...events.started }]);
      logger.info({ runId, algorithm, reason: configuration.reason }, 'training run started');
    }
    // 2. Train.
    const trained = await this.training.train(plan, await parentOf(plan, known.published, objects), {
      signal: holder.signal,
      checkpoints: action.checkpoints,
      saving: {
        everySteps: this.settings.checkpointEverySteps,
        record: (checkpoint, metrics) => holder.record([events.checkpointed(checkpoint, metrics)]),
      },
    });
    if (trained.status === 'refused')
      return events.rejected({
        adapterDigest: null,
        reason: trained.reason,
        evaluation: null,
        metrics: trained.metrics,
      });
    // 3. Publish.
    const { adapter, steps, metrics } = trained;
    const stored = await storeAdapter(objects, adapter, plan, metrics);
    const published = events.published(adapter, stored, { fingerprint: await engine.fingerprint(adapter), metrics });
    const durationMs = clock.now() - beganMs;
    await holder.record([published, events.completed(adapter.digest, { steps, metrics, durationMs })]);
    // 4. Compare and decide.
    return this.judge(plan, published, metrics, { events, known, holder });
  }

  private async judge(
    plan: RunPlan,
    published: Parameters<typeof judgeAdapter>[1],
    metrics: Readonly<Record<string, number>>,
    {
      events,
      known,
      holder,
    }: { readonly events: RunEvents; readonly known: TrainingHistory; readonly holder: RunHolder },
  ): Promise<SeamEvent> {
    const { history, objects, evaluation: evaluator, logger, onProgress } = this.dependencies;
    const { runId, algorithm, parentAdapter: parent } = plan;
    const { adapterDigest } = published;
    const { promote, rule, reason, evaluation } = await judgeAdapter(plan, published, known, {
      objects,
      evaluator,
      signal: holder.signal,
      onProgress: (done, total) => onProgress({ runId, algorithm, phase: 'evaluating', done, total, metrics: {} }),
    });
    logger.info({ runId, adapterDigest, promote, reason }, 'adapter judged');
    if (!promote) return events.rejected({ adapterDigest, reason, evaluation, metrics });
    // Runs may overlap, and a rollback comes when it is needed. What comes between this look and the promotion's place in the log is
    // decided by the log's order: `onlyOverParent`.
    const promotion = { adapterDigest, parent, runId, onlyOverParent: true };
    const hindrance = promotionHindrance((await history.read()).served, promotion);
    return hindrance === undefined
      ? events.promoted(published, { rule, evaluation })
      : events.rejected({ adapterDigest, reason: hindrance, evaluation, metrics });
  }

  private async waitAfter(error: SeamError, attempt: number, { runId }: RunPlan, signal: AbortSignal): Promise<void> {
    const waitMs = backoffMs(attempt, this.settings.retrying);
    const { code, message: reason } = error;
    this.dependencies.logger.warn({ runId, code, reason, attempt, waitMs }, 'the engine failed');
    await sleep(waitMs, signal);
  }

  /**
   * Does the recorded run of an adapter again, from the log alone, and compares digests. Writes nothing.
   * @throws NOT_FOUND when no published adapter has the digest
   */
  async verify(adapterDigest: string, signal: AbortSignal): Promise<VerifiedAdapter> {
    const { history, objects } = this.dependencies;
    const known = await history.read();
    const published = known.published.get(adapterDigest);
    const run = published && known.runs.get(published.runId);
    if (published === undefined || run === undefined || run.status === 'unknown') {
      throw new SeamError(
        'NOT_FOUND',
        `Cannot verify adapter ${adapterDigest}: expected one that a run of this log published, got ${[...known.published.keys()].join(', ') || 'none'}. Name one of them.`,
      );
    }
    const plan = planOf(run.plan);
    const trained: Trained = await this.training.train(plan, await parentOf(plan, known.published, objects), {
      signal,
      checkpoints: [],
    });
    const actual = trained.status === 'trained' ? trained.adapter.digest : null;
    return { runId: plan.runId, expected: adapterDigest, actual, matches: actual === adapterDigest };
  }
}

function startOf(run: TrainingRun): TrainingRunStarted | undefined {
  return run.status === 'started' || run.status === 'completed' ? run.started : undefined;
}

/** Log or store failed, or the work was taken away: the run is resumed later, perhaps in another process. */
function isInterruption(error: unknown): boolean {
  return (
    isSeamError(error) &&
    (/^(LOG|OBJECT_STORE)_/.test(error.code) || error.code === 'FENCED' || error.code === 'ABORTED')
  );
}
