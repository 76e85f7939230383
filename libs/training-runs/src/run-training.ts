/**
 * Brings one planned run to its end: carry its job out (from a checkpoint where there is one), publish the artefact, compare it with its
 * parent, decide. A run that was killed anywhere is resumed where its events say it stood, to the same adapter.
 */
import type { EngineIdentity, EngineTolerance, SeamEvent, TrainingRunStarted } from '@seamstream/events';
import { backoffMs, type Clock, isSeamError, SeamError, sleep } from '@seamstream/kernel';
import { promotionHindrance, servedIn } from '@seamstream/release';
import { type AdapterDifference, isWithin, toleranceOf } from '@seamstream/training-contract';
import type { Artefact } from './artefact.js';
import { Checkpoints } from './checkpoints.js';
import type { RunHolder } from './hold-run.js';
import type { JobRunner } from './job-runner.js';
import { judgeAdapter, parentOf } from './judge-adapter.js';
import { MakeArtefact, type MakeArtefactDependencies } from './make-artefact.js';
import { RunEvents } from './run-events.js';
import { planOf, type RunPlan } from './run-plan.js';
import type { RetrySettings } from './run-settings.js';
import type { TrainingHistory, TrainingHistoryReader } from './training-history.js';
import { decide, initialState, type NextAction, type TrainingRun } from './training-run.js';

export interface RunTrainingDependencies extends MakeArtefactDependencies {
  readonly history: TrainingHistoryReader;
  readonly clock: Clock;
}

export interface RunTrainingSettings {
  /** Optimizer steps between two checkpoints. */
  readonly checkpointEverySteps: number;
  /** Times that a run is tried in this process when its engine fails, and the waits between. */
  readonly retrying: RetrySettings;
}

export interface VerifiedAdapter {
  readonly runId: string;
  readonly expected: string;
  /** Null when the run, done again, ends without an adapter. */
  readonly actual: string | null;
  /** What the recorded run was carried out with, and what did it again; null: nothing trains, or an older release recorded it. */
  readonly engines: { readonly recorded: EngineIdentity | null; readonly here: EngineIdentity | null };
  /** What {@link matches} rests on: every bit, or a difference within what the recorded engine states. */
  readonly comparison:
    | { readonly by: 'digest' }
    | { readonly by: 'tolerance'; readonly tolerance: EngineTolerance; readonly difference: AdapterDifference };
  readonly matches: boolean;
}

/** One try at a run: the run, what the log says of it, and who holds it. */
interface Attempt {
  readonly plan: RunPlan;
  readonly events: RunEvents;
  readonly known: TrainingHistory;
  readonly holder: RunHolder;
  /** Whether an earlier attempt is on record. */
  readonly wasStarted: boolean;
}

/** A person cancelled the run while it was carried out. */
class RunCancelled extends SeamError {
  constructor(readonly runId: string) {
    super('ABORTED', `Cannot complete run ${runId}: it was cancelled. Nothing of it is served.`);
  }
}

/** The result of trying settings. */
export type Rehearsal =
  | {
      readonly status: 'made';
      readonly digest: string;
      readonly metrics: Readonly<Record<string, number>>;
      /** By validation problem; null where it could not be judged. */
      readonly solved: readonly (boolean | null)[];
    }
  | { readonly status: 'refused'; readonly reason: string; readonly metrics: Readonly<Record<string, number>> };

export class RunTraining {
  private readonly making: MakeArtefact;

  constructor(
    private readonly dependencies: RunTrainingDependencies,
    private readonly settings: RunTrainingSettings,
  ) {
    this.making = new MakeArtefact(dependencies);
  }

  /**
   * Carries a run out and records what happens, its end included. An engine that fails (a thread that dies, memory that is
   * short) is tried again from the last checkpoint; what fails for the run's own sake, or too often, ends it as failed.
   * @returns the event that ended it; undefined when it had ended before
   * @throws ABORTED when the signal aborts, FENCED when another holds the run; errors of log and object store
   */
  async carryOut(plan: RunPlan, holder: RunHolder): Promise<SeamEvent | undefined> {
    const { history, clock, logger } = this.dependencies;
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
        ending = await this.attempt({ plan, events, known, holder, wasStarted: startOf(run) !== undefined }, action);
      } catch (error) {
        if (error instanceof RunCancelled) {
          await this.leaveCancelled(runId);
          return undefined;
        }
        if (isInterruption(error) || holder.signal.aborted) throw error;
        if (isSeamError(error) && error.retryable && attempt < maxAttempts) {
          await this.waitAfter(error, attempt, plan, holder.signal);
          continue;
        }
        logger.error({ runId, attempt, err: error }, 'training run failed');
        ending = events.failed(error);
      }
      // First: what lies there is another worker's where this one has lost the run.
      await holder.record([ending]);
      await this.tidy(runId);
      return ending;
    }
  }

  private async leaveCancelled(runId: string): Promise<void> {
    this.dependencies.logger.info({ runId }, 'training run stopped: it was cancelled');
    await this.tidy(runId);
  }

  /** The run has ended, also where this fails: a worker that looks at the queue later deletes the rest. */
  private async tidy(runId: string): Promise<void> {
    const { objects, logger } = this.dependencies;
    try {
      await new Checkpoints(objects, runId).deleteAll();
    } catch (error) {
      logger.warn({ runId, err: error }, 'the checkpoints of an ended run are left for later');
    }
  }

  /** @throws {@link RunCancelled} */
  private async heedCancelling({ runId }: RunPlan): Promise<TrainingHistory> {
    const known = await this.dependencies.history.read();
    if (known.runs.get(runId)?.status === 'cancelled') throw new RunCancelled(runId);
    return known;
  }

  /** From where the run stands to the event that ends it. */
  private async attempt(attempt: Attempt, action: Exclude<NextAction, { kind: 'none' }>): Promise<SeamEvent> {
    if (action.kind === 'evaluate') return this.judge(attempt, action.adapter, action.metrics);
    const { plan, events, known, holder, wasStarted } = attempt;
    // 1. On record before anything happens.
    const { clock, logger } = this.dependencies;
    const { runId, algorithm, configuration } = plan;
    const beganMs = clock.now();
    if (wasStarted) logger.info({ runId }, 'training run resumed');
    else {
      await holder.record([{ type: 'TrainingRunStarted', ...events.started }]);
      logger.info({ runId, algorithm, reason: configuration.reason }, 'training run started');
    }
    // 2. Carry the job out.
    const runner = this.making.runnerOf(plan);
    const made = await this.making.make(plan, await parentOf(plan, known.published, runner), {
      signal: holder.signal,
      checkpoints: action.checkpoints,
      record: (told) => holder.record(told),
      saving: {
        everySteps: this.settings.checkpointEverySteps,
        record: async (checkpoint, metrics) => {
          await holder.record([events.checkpointed(checkpoint, metrics)]);
          await this.heedCancelling(plan);
        },
      },
    });
    if (made.status === 'refused')
      return events.rejected({
        adapterDigest: null,
        reason: made.reason,
        evaluation: null,
        metrics: made.metrics,
      });
    // 3. Publish.
    await this.heedCancelling(plan);
    const { artefact, steps, metrics, engine = runner.engine } = made;
    const stored = await runner.store(artefact, plan, metrics);
    const fingerprint = await runner.fingerprint(artefact);
    const published = events.published(artefact, stored, { fingerprint, metrics, engine });
    const durationMs = clock.now() - beganMs;
    await holder.record([published, events.completed(artefact.digest, { steps, metrics, durationMs })]);
    // 4. Compare and decide.
    return this.judge(attempt, published, metrics);
  }

  private async judge(
    { plan, events, known, holder }: Attempt,
    published: Parameters<typeof judgeAdapter>[1],
    metrics: Readonly<Record<string, number>>,
  ): Promise<SeamEvent> {
    const { log, logger, onProgress } = this.dependencies;
    const { runId, algorithm, parentAdapter: parent } = plan;
    const { adapterDigest } = published;
    const runner = this.making.runnerOf(plan);
    const unfit = await this.hindranceTo(published, plan, { known, runner });
    if (unfit !== undefined) return events.rejected({ adapterDigest, reason: unfit, evaluation: null, metrics });
    const { promote, rule, reason, evaluation } = await judgeAdapter(plan, published, known, {
      ...{ log, runner, signal: holder.signal },
      onProgress: (done, total) => onProgress({ runId, algorithm, phase: 'evaluating', done, total, metrics: {} }),
    });
    logger.info({ runId, adapterDigest, promote, reason }, 'adapter judged');
    const { slots } = await this.heedCancelling(plan);
    if (!promote) return events.rejected({ adapterDigest, reason, evaluation, metrics });
    // Runs may overlap, and a rollback comes when it is needed. What is recorded between this look and the promotion is
    // decided by the log's order: `onlyOverParent`.
    const promotion = { adapterDigest, parent, runId, onlyOverParent: true };
    const hindrance = promotionHindrance(servedIn(slots, plan.slot), promotion);
    return hindrance === undefined
      ? events.promoted(published, { rule, evaluation })
      : events.rejected({ adapterDigest, reason: hindrance, evaluation, metrics });
  }

  private async hindranceTo(
    published: Parameters<typeof judgeAdapter>[1],
    plan: RunPlan,
    { known, runner }: { readonly known: TrainingHistory; readonly runner: JobRunner },
  ): Promise<string | undefined> {
    if (runner.hindranceTo === undefined) return undefined;
    return runner.hindranceTo(await runner.load(published), await parentOf(plan, known.published, runner));
  }

  private async waitAfter(error: SeamError, attempt: number, { runId }: RunPlan, signal: AbortSignal): Promise<void> {
    const waitMs = backoffMs(attempt, this.settings.retrying);
    const { code, message: reason } = error;
    this.dependencies.logger.warn({ runId, code, reason, attempt, waitMs }, 'the engine failed');
    await sleep(waitMs, signal);
  }

  /** Trains as a plan says and measures on every validation problem. Writes nothing. */
  async rehearse(plan: RunPlan, signal: AbortSignal): Promise<Rehearsal> {
    const known = await this.dependencies.history.read();
    const parent = await parentOf(plan, known.published, this.making.runnerOf(plan));
    const made = await this.making.make(plan, parent, { signal, checkpoints: [] });
    if (made.status === 'refused') return made;
    const { artefact, metrics } = made;
    return { status: 'made', digest: artefact.digest, metrics, solved: await this.solvedBy(artefact, plan, signal) };
  }

  /** Measures what a plan begins with on every validation problem. */
  async measureParent(plan: RunPlan, signal: AbortSignal): Promise<readonly (boolean | null)[]> {
    const known = await this.dependencies.history.read();
    return this.solvedBy(await parentOf(plan, known.published, this.making.runnerOf(plan)), plan, signal);
  }

  private async solvedBy(artefact: Artefact | null, plan: RunPlan, signal: AbortSignal): Promise<(boolean | null)[]> {
    const { runId, algorithm, configuration } = plan;
    const { domains, evaluation } = configuration;
    const evaluator = await this.making.runnerOf(plan).evaluation.under(evaluation);
    const count = Object.values(evaluator.sizes(domains)).reduce((sum, size) => sum + size, 0);
    const results = await evaluator.measure(artefact, domains, { asked: {}, from: 0, count }, (done, total) => {
      signal.throwIfAborted();
      this.dependencies.onProgress({ runId, algorithm, phase: 'evaluating', done, total, metrics: {} });
    });
    return results.map(({ solved }) => solved);
  }

  /**
   * Does the recorded run of an adapter again, from the log alone, and compares digests; where they differ and the engine of the run
   * states a tolerance, the weights. Writes nothing.
   * @throws NOT_FOUND when no published adapter has the digest
   */
  async verify(adapterDigest: string, signal: AbortSignal): Promise<VerifiedAdapter> {
    const known = await this.dependencies.history.read();
    const published = known.published.get(adapterDigest);
    const run = published && known.runs.get(published.runId);
    if (published === undefined || run === undefined || run.status === 'unknown') {
      throw new SeamError(
        'NOT_FOUND',
        `Cannot verify adapter ${adapterDigest}: expected one that a run of this log published, got ${[...known.published.keys()].join(', ') || 'none'}. Name one of them.`,
      );
    }
    const plan = planOf(run.plan);
    const runner = this.making.runnerOf(plan);
    const parent = await parentOf(plan, known.published, runner);
    const made = await this.making.make(plan, parent, { signal, checkpoints: [] });
    const actual = made.status === 'made' ? made.artefact.digest : null;
    const here = (made.status === 'made' ? made.engine : undefined) ?? runner.engine;
    const engines = { recorded: published.engine, here };
    const facts = { runId: plan.runId, expected: adapterDigest, actual, engines };
    const tolerance = toleranceOf(published.engine);
    if (
      made.status === 'refused' ||
      actual === adapterDigest ||
      tolerance === null ||
      runner.differenceOf === undefined
    )
      return { ...facts, comparison: { by: 'digest' }, matches: actual === adapterDigest };
    const difference = await runner.differenceOf(await runner.load(published), made.artefact, parent);
    return {
      ...facts,
      comparison: { by: 'tolerance', tolerance, difference },
      matches: isWithin(difference, tolerance),
    };
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
