/**
 * Brings one run to its end: train (from a checkpoint where there is one), publish the adapter, compare it with its
 * parent, decide. Knows no algorithm: it asks for a plan, takes the plan's steps, and records what happened. A run that
 * was killed anywhere goes on where its events say it stood, to the same adapter.
 */

import { examineRollouts, examineRun, type Finding, findingMetrics, finishedGroups, summary } from '@seamstream/doctor';
import type { EventLog } from '@seamstream/event-log';
import {
  type AdapterPublished,
  deriveMeta,
  type Evaluation,
  type EventMeta,
  type EventOf,
  originMeta,
  type SeamEvent,
  type TrainingRunStarted,
} from '@seamstream/events';
import { type EntrySchemas, sampledUnder, type WrittenEntry } from '@seamstream/experience';
import { backoffMs, type Clock, derivedId, isSeamError, messageOf, SeamError, sha256, sleep } from '@seamstream/kernel';
import type { Adapter } from '@seamstream/language-model';
import {
  bareSequences,
  type ComputedLogProbs,
  type LearningAlgorithm,
  type LearningInput,
  type TrainingPlan,
} from '@seamstream/learning';
import type { ObjectStore } from '@seamstream/object-store';
import { decidePromotion, type PromotionPolicy, promotionHindrance } from '@seamstream/release';
import type { CommonConfig, RationedLines, ServiceLogger } from '@seamstream/service-kit';
import type { AdapterEvaluation } from './adapter-evaluation.port.js';
import { loadAdapter, storeAdapter } from './adapter-objects.js';
import { compareAdapters, measureWhole } from './compare-adapters.js';
import { readLearningInput } from './learning-input.js';
import { manifestsDigest, planOf, type RunPlan, startedEvent } from './run-plan.js';
import { spelledInput } from './spelled-input.js';
import type { TrainingEngine, TrainingWeights } from './training-engine.port.js';
import { readTrainingHistory, type TrainingHistory } from './training-history.js';
import { type Checkpoint, decide, initialState, type TrainingRun } from './training-run.js';

const SOURCE = 'seam/trainer';

/** For a live view; nothing depends on it. */
export interface TrainingProgress {
  readonly runId: string;
  readonly algorithm: string;
  readonly phase: 'preparing' | 'training' | 'evaluating';
  readonly done: number;
  readonly total: number;
  /** Of the last step, by name. */
  readonly metrics: Readonly<Record<string, number>>;
}

export interface RunTrainingDependencies {
  readonly log: EventLog;
  readonly objects: ObjectStore;
  readonly engine: TrainingEngine;
  readonly evaluation: AdapterEvaluation;
  readonly algorithms: ReadonlyMap<string, LearningAlgorithm>;
  readonly schemaFor: EntrySchemas;
  readonly clock: Clock;
  readonly logger: ServiceLogger;
  /** For what is said of entries that are not believed. */
  readonly lines: RationedLines;
  readonly onProgress: (progress: TrainingProgress) => void;
}

export interface VerifiedAdapter {
  readonly runId: string;
  readonly expected: string;
  /** Null when the run, done again, ends without an adapter. */
  readonly actual: string | null;
  readonly matches: boolean;
}

type Trained =
  | {
      readonly status: 'trained';
      readonly adapter: Adapter;
      readonly steps: number;
      readonly metrics: Record<string, number>;
    }
  | { readonly status: 'refused'; readonly reason: string; readonly metrics: Record<string, number> };

/** The world failed or took the work away: the run goes on later, perhaps in another process. */
function isInterruption(error: unknown): boolean {
  return (
    isSeamError(error) &&
    (/^(LOG|OBJECT_STORE)_/.test(error.code) || error.code === 'FENCED' || error.code === 'ABORTED')
  );
}

export interface RunTrainingSettings {
  /** Optimizer steps between two checkpoints. */
  readonly checkpointEverySteps: number;
  /** Times that a run is tried in this process when its engine fails, and the waits between. */
  readonly retrying: Pick<CommonConfig['consuming'], 'maxAttempts' | 'firstRetryMs' | 'maxRetryMs'>;
}

/** In whose hands a run is. */
export interface RunHolder {
  /** Aborts when the run is to be left for later, or for somebody else. */
  readonly signal: AbortSignal;
  /** Appends what happens on the way, unless the run is another's by now: FENCED. */
  readonly record: (events: readonly SeamEvent[]) => Promise<unknown>;
}

/** Of a run that is recorded; a verification has nothing of it. */
interface Recording {
  readonly record?: RunHolder['record'];
  readonly started?: TrainingRunStarted;
  readonly checkpoints?: readonly Checkpoint[];
}

export class RunTrainingHandler {
  constructor(
    private readonly dependencies: RunTrainingDependencies,
    private readonly settings: RunTrainingSettings,
  ) {}

  /**
   * The events that end the run, to be appended by the caller (with the offsets that led to it); empty when the run has
   * ended already. What happens on the way is appended here. An engine that fails (a thread that dies, memory that is
   * short) is begun anew from the last checkpoint; what fails for the run's own sake, or too often, ends it as failed.
   * @throws ABORTED when the signal aborts; errors of log and object store
   */
  async handle(plan: RunPlan, history: TrainingHistory, holder: RunHolder): Promise<readonly SeamEvent[]> {
    const { signal } = holder;
    const { log, logger } = this.dependencies;
    const { maxAttempts, firstRetryMs, maxRetryMs } = this.settings.retrying;
    let known = history;
    for (let attempt = 1; ; attempt++) {
      const run = known.runs.get(plan.runId) ?? initialState();
      const started = run.status === 'unknown' ? await this.start(plan, holder) : run.started;
      if (run.status !== 'unknown')
        logger.info({ runId: plan.runId, status: run.status, attempt }, 'training run taken up again');
      try {
        const ending = await this.proceed(plan, run, started, known, holder);
        await this.deleteCheckpoints(plan);
        return ending;
      } catch (error) {
        if (isInterruption(error) || signal.aborted) throw error;
        if (!isSeamError(error) || !error.retryable || attempt >= maxAttempts) {
          logger.error({ runId: plan.runId, attempt, err: error }, 'training run failed');
          await this.deleteCheckpoints(plan);
          return [this.failed(plan, started, error)];
        }
        const waitMs = backoffMs(attempt, { firstRetryMs, maxRetryMs });
        logger.warn(
          { runId: plan.runId, code: error.code, reason: error.message, attempt, waitMs },
          'the engine failed',
        );
        await sleep(waitMs, signal);
        // What the attempt left in the log, checkpoints and perhaps the adapter, is where the next one goes on.
        known = await readTrainingHistory(log);
      }
    }
  }

  /**
   * Does the recorded run of an adapter again, from the log alone, and compares digests. Writes nothing.
   * @throws NOT_FOUND when no published adapter has the digest
   */
  async verify(adapterDigest: string, history: TrainingHistory, signal: AbortSignal): Promise<VerifiedAdapter> {
    const published = history.published.get(adapterDigest);
    const run = published && history.runs.get(published.runId);
    if (published === undefined || run === undefined || run.status === 'unknown') {
      throw new SeamError(
        'NOT_FOUND',
        `Verifying adapter ${adapterDigest}: the log holds no run that published it. Known are ${[...history.published.keys()].join(', ') || 'none'}.`,
      );
    }
    const plan = planOf(run.started);
    const trained = await this.train(plan, history.published, { signal });
    const actual = trained.status === 'trained' ? trained.adapter.digest : null;
    return { runId: plan.runId, expected: adapterDigest, actual, matches: actual === adapterDigest };
  }

  private async start(plan: RunPlan, { record }: RunHolder): Promise<TrainingRunStarted> {
    const { logger } = this.dependencies;
    const started = startedEvent(plan, this.originOf(plan));
    await record([{ type: 'TrainingRunStarted', ...started }]);
    logger.info(
      { runId: plan.runId, algorithm: plan.algorithm, reason: plan.configuration.reason },
      'training run started',
    );
    return started;
  }

  /** From where the run stands to the events that end it. */
  private async proceed(
    plan: RunPlan,
    run: TrainingRun,
    started: TrainingRunStarted,
    history: TrainingHistory,
    holder: RunHolder,
  ): Promise<readonly SeamEvent[]> {
    const { signal } = holder;
    const { clock } = this.dependencies;
    const action = decide(run);
    if (action.kind === 'none') return [];
    if (action.kind === 'evaluate')
      return [await this.evaluate(plan, started, action.adapter, action.metrics, history, signal)];
    const startedMs = clock.now();
    const trained = await this.train(plan, history.published, { ...holder, started, checkpoints: action.checkpoints });
    if (trained.status === 'refused') {
      return [
        this.rejected(plan, started, {
          adapterDigest: null,
          reason: trained.reason,
          evaluation: null,
          metrics: trained.metrics,
        }),
      ];
    }
    const published = await this.publish(plan, started, trained, clock.now() - startedMs, holder);
    return [await this.evaluate(plan, started, published, trained.metrics, history, signal)];
  }

  /** @param recording where to go on and what to record on the way; absent: neither */
  private async train(
    plan: RunPlan,
    published: TrainingHistory['published'],
    recording: Pick<RunHolder, 'signal'> & Recording,
  ): Promise<Trained> {
    const { log, objects, engine, schemaFor } = this.dependencies;
    const { signal } = recording;
    const algorithm = this.algorithmOf(plan);
    if (plan.baseModelDigest !== engine.baseModelDigest) {
      throw new SeamError(
        'CHECKPOINT_INVALID',
        `Training run ${plan.runId}: it is about base model ${plan.baseModelDigest}, the model folder holds ${engine.baseModelDigest}. Restore the folder.`,
      );
    }
    this.report(plan, 'preparing', 0, 1);
    const parent = await this.parentOf(plan, published);
    const input = this.spelled(plan, await readLearningInput(log, objects, algorithm, plan));
    const seen = this.examineInput(input);
    const settings = plan.configuration.algorithm;
    const context = {
      baseModelDigest: plan.baseModelDigest,
      servedAdapters: plan.configuration.servedAdapters,
      entrySchemaOf: (domain: string, written: WrittenEntry) => sampledUnder(written, schemaFor(domain)),
    };
    const preparation = algorithm.prepare(input, settings, context, plan.seed);
    if (preparation.status === 'refused') {
      const metrics = { ...preparation.diagnostics };
      return { ...preparation, metrics: this.withFindings(plan, metrics, seen) };
    }
    const learning = preparation.plan;
    const weights = await engine.begin({
      adapter: parent,
      trainable: learning.trainable,
      objective: learning.objective,
    });
    try {
      const computed = await this.logProbabilitiesFor(learning, weights, plan, parent);
      const review = algorithm.review(learning, settings, computed);
      const metrics: Record<string, number> = { ...learning.diagnostics, ...review.diagnostics };
      if (review.status === 'refused') {
        return {
          status: 'refused',
          reason: review.reason,
          metrics: this.withFindings(plan, metrics, seen),
        };
      }
      await this.resume(weights, recording.checkpoints ?? []);
      const total = learning.steps.length;
      while (weights.steps < total) {
        if (signal.aborted) {
          if (weights.steps > 0) await this.checkpoint(plan, recording, weights, {});
          throw new SeamError(
            'ABORTED',
            `Training run ${plan.runId}: told to stop after step ${weights.steps}. It goes on from there.`,
          );
        }
        const sequences = algorithm.complete(learning, settings, weights.steps, computed);
        const { learningRate } = learning.steps[weights.steps]!;
        const { loss, gradientNorm, tokens, ...more } = await weights.step(sequences, {
          ...learning.optimizer,
          learningRate,
        });
        const figures = finite({ loss, gradientNorm, tokens, learningRate, ...more });
        Object.assign(metrics, figures);
        this.report(plan, 'training', weights.steps, total, figures);
        if (weights.steps < total && weights.steps % this.settings.checkpointEverySteps === 0)
          await this.checkpoint(plan, recording, weights, figures);
      }
      return {
        status: 'trained',
        adapter: await weights.exportAdapter(),
        steps: total,
        metrics: this.withFindings(plan, finite(metrics), seen),
      };
    } finally {
      await weights.close();
    }
  }

  private spelled({ runId }: RunPlan, input: LearningInput): LearningInput {
    const { engine } = this.dependencies;
    if (engine.decode === undefined) return input;
    const { input: sound, misspelled } = spelledInput(input, (tokenIds) => engine.decode!(tokenIds));
    for (const experienceId of misspelled)
      this.dependencies.lines.warn(
        'misspelled',
        { runId, experienceId },
        'entry NOT BELIEVED: its tokens spell another; nothing is learned from it',
      );
    return sound;
  }

  /** What the records that a run learns from say about the system that made them. */
  private examineInput(input: LearningInput): readonly Finding[] {
    if (input.reads !== 'log') return [];
    const { schemaFor } = this.dependencies;
    return examineRollouts(finishedGroups(input.experiences, input.results), { schemaFor });
  }

  /** Says what keeps the run from learning, with the remedy, and adds it to the figures that its events record. */
  private withFindings(
    { runId, algorithm, configuration }: RunPlan,
    metrics: Record<string, number>,
    seen: readonly Finding[],
  ): Record<string, number> {
    // Of the steps the last one alone: a run that was killed and went on must record what it would have recorded.
    const run = { algorithm, settings: configuration.algorithm, code: null, metrics, checkpoints: [] };
    const findings = summary([...seen, ...examineRun(run)]);
    for (const { code, severity, evidence, remedy } of findings)
      this.dependencies.logger.warn(
        { runId, finding: code, severity, evidence, remedy },
        'something keeps this run from learning',
      );
    return { ...metrics, ...findingMetrics(findings) };
  }

  private async logProbabilitiesFor(
    learning: TrainingPlan,
    weights: TrainingWeights,
    plan: RunPlan,
    parent: Adapter | null,
  ): Promise<ComputedLogProbs> {
    const { proximalLogProbs, referenceLogProbs } = learning.needs;
    const sequences = bareSequences(learning);
    // The weights are the parent's until the first step.
    const ofParent =
      proximalLogProbs || referenceLogProbs === 'parent' ? await weights.logProbabilities(sequences) : undefined;
    const ofBase =
      referenceLogProbs !== 'base'
        ? undefined
        : parent === null && ofParent !== undefined
          ? ofParent
          : await this.baseLogProbabilities(learning, sequences, plan);
    return {
      ...(proximalLogProbs && ofParent !== undefined ? { proximal: ofParent } : {}),
      ...(referenceLogProbs === 'parent' && ofParent !== undefined ? { reference: ofParent } : {}),
      ...(ofBase === undefined ? {} : { reference: ofBase }),
    };
  }

  private async baseLogProbabilities(
    learning: TrainingPlan,
    sequences: ReturnType<typeof bareSequences>,
    plan: RunPlan,
  ): Promise<readonly (readonly number[])[]> {
    this.report(plan, 'preparing', 0, 1);
    const base = await this.dependencies.engine.begin({
      adapter: null,
      trainable: learning.trainable,
      objective: learning.objective,
    });
    try {
      return await base.logProbabilities(sequences);
    } finally {
      await base.close();
    }
  }

  /** Goes back to the newest checkpoint that is still there and whole; the run is the same from any of them. */
  private async resume(weights: TrainingWeights, checkpoints: readonly Checkpoint[]): Promise<void> {
    for (const { key, digest, step } of checkpoints) {
      try {
        const state = await this.dependencies.objects.get(key);
        if (sha256(state) !== digest) continue;
        await weights.restoreState(state);
        this.dependencies.logger.info({ key, step }, 'training goes on from a checkpoint');
        return;
      } catch (error) {
        if (
          !isSeamError(error, 'OBJECT_NOT_FOUND') &&
          !isSeamError(error, 'OBJECT_CORRUPT') &&
          !isSeamError(error, 'CHECKPOINT_INVALID')
        )
          throw error;
      }
    }
  }

  private async checkpoint(
    plan: RunPlan,
    { started, record }: Recording,
    weights: TrainingWeights,
    metrics: Record<string, number>,
  ): Promise<void> {
    if (started === undefined || record === undefined) return; // a verification leaves no trace
    const { objects } = this.dependencies;
    const step = weights.steps;
    const state = await weights.saveState();
    const checkpointKey = `${checkpointFolder(plan)}step-${String(step).padStart(6, '0')}.safetensors`;
    await objects.put(checkpointKey, state);
    const event: EventOf<'TrainingRunCheckpointed'> = {
      type: 'TrainingRunCheckpointed',
      meta: this.metaOf(started, 'checkpointed', step),
      runId: plan.runId,
      step,
      checkpointKey,
      checkpointDigest: sha256(state),
      metrics,
    };
    await record([event]);
  }

  private async publish(
    plan: RunPlan,
    started: TrainingRunStarted,
    trained: Extract<Trained, { status: 'trained' }>,
    durationMs: number,
    { record }: RunHolder,
  ): Promise<AdapterPublished> {
    const { objects, engine } = this.dependencies;
    const { adapter, steps, metrics } = trained;
    const stored = await storeAdapter(objects, adapter, plan, metrics);
    const published: EventOf<'AdapterPublished'> = {
      type: 'AdapterPublished',
      attestation: null,
      meta: this.metaOf(started, 'published'),
      adapterDigest: adapter.digest,
      ...stored,
      kind: adapter.kind,
      baseModelDigest: adapter.baseModelDigest,
      parent: plan.parentAdapter,
      runId: plan.runId,
      algorithm: plan.algorithm,
      inputs: plan.inputs,
      manifestDigest: manifestsDigest(plan.manifests),
      fingerprint: await engine.fingerprint(adapter),
      metrics,
    };
    const completed: EventOf<'TrainingRunCompleted'> = {
      type: 'TrainingRunCompleted',
      meta: this.metaOf(started, 'completed'),
      runId: plan.runId,
      adapterDigest: adapter.digest,
      steps,
      metrics,
      durationMs,
    };
    await record([published, completed]);
    return published;
  }

  /** Of a run that ends; one that has to be done again without them comes to the same. */
  private async deleteCheckpoints(plan: RunPlan): Promise<void> {
    const { objects } = this.dependencies;
    for await (const { key } of objects.list(checkpointFolder(plan))) await objects.delete(key);
  }

  private async evaluate(
    plan: RunPlan,
    started: TrainingRunStarted,
    published: AdapterPublished,
    metrics: Readonly<Record<string, number>>,
    history: TrainingHistory,
    signal: AbortSignal,
  ): Promise<SeamEvent> {
    const { log, objects, evaluation: evaluator, logger } = this.dependencies;
    const { domains, promotion } = plan.configuration;
    const adapter = await loadAdapter(objects, published);
    const onProgress = (done: number, total: number): void => {
      if (signal.aborted)
        throw new SeamError(
          'ABORTED',
          `Evaluating adapter ${adapter.digest}: told to stop. It is evaluated again later.`,
        );
      this.report(plan, 'evaluating', done, total);
    };
    const comparison = { evaluator, domains, onProgress };
    const evaluation =
      promotion.rule === 'better'
        ? await compareAdapters(
            { candidate: adapter, parent: await this.parentOf(plan, history.published) },
            promotion,
            comparison,
          )
        : await this.evaluationOfWhole(adapter, plan, history, comparison);
    const decision = decidePromotion({
      candidate: adapter.digest,
      parent: plan.parentAdapter,
      evaluation,
      policy: { ...promotion, rule: promotion.rule ?? 'tolerance' } as PromotionPolicy,
    });
    logger.info(
      { runId: plan.runId, adapterDigest: adapter.digest, promote: decision.promote, reason: decision.reason },
      'adapter judged',
    );
    if (!decision.promote)
      return this.rejected(plan, started, {
        adapterDigest: adapter.digest,
        reason: decision.reason,
        evaluation,
        metrics,
      });
    // A run on demand and a run of the stream may overlap, and a rollback comes when it is needed. What comes between this look and
    // the promotion's place in the log is told from the log's order: `onlyOverParent`.
    const hindrance = promotionHindrance((await readTrainingHistory(log)).served, {
      adapterDigest: adapter.digest,
      parent: plan.parentAdapter,
      runId: plan.runId,
      onlyOverParent: true,
    });
    if (hindrance !== undefined)
      return this.rejected(plan, started, { adapterDigest: adapter.digest, reason: hindrance, evaluation, metrics });
    const promoted: EventOf<'AdapterPromoted'> = {
      type: 'AdapterPromoted',
      attestation: null,
      meta: this.metaOf(started, 'promoted'),
      adapterDigest: adapter.digest,
      key: published.key,
      fingerprint: published.fingerprint,
      parent: plan.parentAdapter,
      runId: plan.runId,
      rule: decision.rule,
      evaluation,
      onlyOverParent: true,
      promotedBy: null,
      reason: null,
    };
    return promoted;
  }

  /** The parent's success as it was recorded at its promotion where that was on the same problems, else measured now. */
  private async evaluationOfWhole(
    adapter: Adapter,
    plan: RunPlan,
    history: TrainingHistory,
    comparison: Parameters<typeof measureWhole>[1],
  ): Promise<Evaluation> {
    const measured = await measureWhole(adapter, comparison);
    const { parentAdapter } = plan;
    const recorded = parentAdapter === null ? undefined : history.promoted.get(parentAdapter)?.evaluation;
    const success = async (): Promise<number> => {
      if (recorded?.problemSetDigest === measured.problemSetDigest) return recorded.success;
      return (await measureWhole(await this.parentOf(plan, history.published), comparison)).success;
    };
    return {
      ...measured,
      parentSuccess: measured.problems === 0 ? null : await success(),
      parentPerDomain: {},
      rescued: null,
      broken: null,
      asked: {},
      repeated: 0,
    };
  }

  private async parentOf(
    { parentAdapter, runId }: RunPlan,
    published: TrainingHistory['published'],
  ): Promise<Adapter | null> {
    if (parentAdapter === null) return null;
    const event = published.get(parentAdapter);
    if (event === undefined) {
      throw new SeamError(
        'NOT_FOUND',
        `Training run ${runId}: its parent ${parentAdapter} was never published in this log. Copy the log as a whole.`,
      );
    }
    return loadAdapter(this.dependencies.objects, event);
  }

  private rejected(
    plan: RunPlan,
    started: TrainingRunStarted,
    facts: Pick<EventOf<'TrainingRunRejected'>, 'adapterDigest' | 'reason' | 'evaluation' | 'metrics'>,
  ): EventOf<'TrainingRunRejected'> {
    return {
      type: 'TrainingRunRejected',
      meta: this.metaOf(started, 'rejected'),
      runId: plan.runId,
      ...facts,
      metrics: finite(facts.metrics),
    };
  }

  private failed(plan: RunPlan, started: TrainingRunStarted, error: unknown): EventOf<'TrainingRunFailed'> {
    const code = isSeamError(error) ? error.code : 'INTERNAL';
    const findings = examineRun({
      algorithm: plan.algorithm,
      settings: plan.configuration.algorithm,
      code,
      metrics: {},
      checkpoints: [],
    });
    return {
      type: 'TrainingRunFailed',
      meta: this.metaOf(started, 'failed'),
      runId: plan.runId,
      code,
      reason: messageOf(error),
      metrics: findingMetrics(findings),
    };
  }

  private algorithmOf({ algorithm, runId }: RunPlan): LearningAlgorithm {
    const { algorithms } = this.dependencies;
    const found = algorithms.get(algorithm);
    if (found === undefined) {
      throw new SeamError(
        'INVALID_CONFIGURATION',
        `Training run ${runId}: no algorithm ${algorithm}. Known are ${[...algorithms.keys()].join(', ')}.`,
      );
    }
    return found;
  }

  private originOf({ runId }: RunPlan): EventMeta {
    const occurredAt = this.dependencies.clock.now();
    return originMeta({
      messageId: derivedId(runId, 'started'),
      correlationId: runId,
      source: SOURCE,
      occurredAt,
      sourceClass: 'model',
    });
  }

  private metaOf(started: TrainingRunStarted, role: string, index = 0): EventMeta {
    return deriveMeta(started.meta, { role, index, source: SOURCE, occurredAt: this.dependencies.clock.now() });
  }

  private report(
    plan: RunPlan,
    phase: TrainingProgress['phase'],
    done: number,
    total: number,
    metrics: Record<string, number> = {},
  ): void {
    this.dependencies.onProgress({ runId: plan.runId, algorithm: plan.algorithm, phase, done, total, metrics });
  }
}

function checkpointFolder({ runId }: RunPlan): string {
  return `training/${runId}/`;
}

/** Events hold finite figures only. */
function finite(figures: Readonly<Record<string, number | undefined>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(figures).filter((entry): entry is [string, number] => Number.isFinite(entry[1])),
  );
}
