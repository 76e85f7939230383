/** Takes the steps that an algorithm plans, from the parent's weights or from a checkpoint, to an adapter. Knows no algorithm. */
import { examineRollouts, examineRun, type Finding, findingMetrics, finishedGroups, summary } from '@seamstream/doctor';
import type { EventLog } from '@seamstream/event-log';
import { type EntrySchemas, sampledUnder, type WrittenEntry } from '@seamstream/experience';
import { SeamError } from '@seamstream/kernel';
import type { Adapter } from '@seamstream/language-model';
import {
  bareSequences,
  type ComputedLogProbs,
  type LearningAlgorithm,
  type LearningInput,
  type TrainingPlan,
} from '@seamstream/learning';
import type { ObjectStore } from '@seamstream/object-store';
import type { RationedLines, ServiceLogger } from '@seamstream/service-kit';
import { Checkpoints } from './checkpoints.js';
import { readLearningInput } from './learning-input.js';
import { RecordedEvents } from './recorded-events.js';
import { finite } from './run-events.js';
import type { RunPlan } from './run-plan.js';
import { spelledInput } from './spelled-input.js';
import type { TrainingEngine, TrainingWeights } from './training-engine.port.js';
import type { Checkpoint } from './training-run.js';

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

export type Trained =
  | {
      readonly status: 'trained';
      readonly adapter: Adapter;
      readonly steps: number;
      readonly metrics: Record<string, number>;
    }
  | { readonly status: 'refused'; readonly reason: string; readonly metrics: Record<string, number> };

export interface GradientTrainingDependencies {
  readonly log: EventLog;
  readonly objects: ObjectStore;
  readonly engine: TrainingEngine;
  readonly algorithms: ReadonlyMap<string, LearningAlgorithm>;
  readonly schemaFor: EntrySchemas;
  readonly logger: ServiceLogger;
  /** For what is said of entries that are not believed. */
  readonly lines: RationedLines;
  readonly onProgress: (progress: TrainingProgress) => void;
}

/** How a training goes on, and what it leaves on the way. */
export interface Recording {
  /** Aborts when the run is to be left for later: a checkpoint is saved first. */
  readonly signal: AbortSignal;
  /** Newest first. */
  readonly checkpoints: readonly Checkpoint[];
  /** Records a checkpoint after so many steps; absent: nothing is saved. */
  readonly saving?: {
    readonly everySteps: number;
    readonly record: (checkpoint: Checkpoint, metrics: Readonly<Record<string, number>>) => Promise<unknown>;
  };
}

export class GradientTraining {
  constructor(private readonly dependencies: GradientTrainingDependencies) {}

  /**
   * Trains a plan to its end.
   * @param parent null: the bare base model
   * @throws ABORTED when the signal aborts; CHECKPOINT_INVALID where the plan is about another base model
   */
  async train(plan: RunPlan, parent: Adapter | null, recording: Recording): Promise<Trained> {
    const { engine } = this.dependencies;
    // 1. What is learned from, as the plan names it.
    const algorithm = this.algorithmOf(plan);
    const settings = plan.configuration.algorithm;
    this.report(plan, 'preparing', 0, 1);
    const input = await this.inputOf(plan, algorithm);
    const findings = this.examine(input);
    // 2. The steps, or why there are none.
    const preparation = algorithm.prepare(input, settings, this.contextOf(plan), plan.seed);
    if (preparation.status === 'refused')
      return { ...preparation, metrics: this.withFindings(plan, { ...preparation.diagnostics }, findings) };
    const learning = preparation.plan;
    const { trainable, objective } = learning;
    const weights = await engine.begin({ adapter: parent, trainable, objective });
    try {
      // 3. What the objective is held to, under the parent's weights.
      const computed = await this.logProbabilitiesFor(learning, weights, plan, parent);
      const review = algorithm.review(learning, settings, computed);
      const metrics: Record<string, number> = { ...learning.diagnostics, ...review.diagnostics };
      if (review.status === 'refused')
        return { status: 'refused', reason: review.reason, metrics: this.withFindings(plan, metrics, findings) };
      // 4. The steps, from the newest checkpoint on.
      await this.resume(plan, weights, recording);
      const total = learning.steps.length;
      while (weights.steps < total) {
        await this.heed(plan, weights, recording);
        const sequences = algorithm.complete(learning, settings, weights.steps, computed);
        const figures = await this.step(learning, weights, sequences);
        Object.assign(metrics, figures);
        this.report(plan, 'training', weights.steps, total, figures);
        const { saving } = recording;
        if (saving !== undefined && weights.steps < total && weights.steps % saving.everySteps === 0)
          await this.save(plan, weights, saving, figures);
      }
      return {
        status: 'trained',
        adapter: await weights.exportAdapter(),
        steps: total,
        metrics: this.withFindings(plan, finite(metrics), findings),
      };
    } finally {
      await weights.close();
    }
  }

  private contextOf({ baseModelDigest, configuration }: RunPlan): Parameters<LearningAlgorithm['prepare']>[2] {
    const { schemaFor } = this.dependencies;
    return {
      baseModelDigest,
      servedAdapters: configuration.servedAdapters,
      entrySchemaOf: (domain: string, written: WrittenEntry) => sampledUnder(written, schemaFor(domain)),
    };
  }

  /** What the plan names, without entries whose tokens spell another. */
  private async inputOf(plan: RunPlan, algorithm: LearningAlgorithm): Promise<LearningInput> {
    const { log, objects, engine, lines } = this.dependencies;
    const input = await readLearningInput(new RecordedEvents(log), objects, algorithm, plan);
    if (engine.decode === undefined) return input;
    const { input: sound, misspelled } = spelledInput(input, (tokenIds) => engine.decode!(tokenIds));
    for (const experienceId of misspelled)
      lines.warn(
        'misspelled',
        { runId: plan.runId, experienceId },
        'entry NOT BELIEVED: its tokens spell another; nothing is learned from it',
      );
    return sound;
  }

  /** What the records that a run learns from say about the system that made them. */
  private examine(input: LearningInput): readonly Finding[] {
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
    // Of the steps the last one alone: a run that was killed and resumed must record what it would have recorded.
    const run = { algorithm, settings: configuration.algorithm, code: null, metrics, checkpoints: [] };
    const findings = summary([...seen, ...examineRun(run)]);
    for (const { code, severity, evidence, remedy } of findings)
      this.dependencies.logger.warn(
        { runId, finding: code, severity, evidence, remedy },
        'training run has findings that prevent learning',
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
    { trainable, objective }: TrainingPlan,
    sequences: ReturnType<typeof bareSequences>,
    plan: RunPlan,
  ): Promise<readonly (readonly number[])[]> {
    this.report(plan, 'preparing', 0, 1);
    const base = await this.dependencies.engine.begin({ adapter: null, trainable, objective });
    try {
      return await base.logProbabilities(sequences);
    } finally {
      await base.close();
    }
  }

  private async resume({ runId }: RunPlan, weights: TrainingWeights, { checkpoints }: Recording): Promise<void> {
    const { objects, logger } = this.dependencies;
    const resumed = await new Checkpoints(objects, runId).restoreInto(weights, checkpoints);
    if (resumed !== undefined)
      logger.info({ key: resumed.key, step: resumed.step }, 'training resumed from a checkpoint');
  }

  private async heed(plan: RunPlan, weights: TrainingWeights, { signal, saving }: Recording): Promise<void> {
    if (!signal.aborted) return;
    if (weights.steps > 0 && saving !== undefined) await this.save(plan, weights, saving, {});
    throw new SeamError(
      'ABORTED',
      `Training run ${plan.runId} was stopped after step ${weights.steps}. It is resumed from there.`,
    );
  }

  private async step(
    { steps, optimizer }: TrainingPlan,
    weights: TrainingWeights,
    sequences: ReturnType<LearningAlgorithm['complete']>,
  ): Promise<Record<string, number>> {
    const { learningRate } = steps[weights.steps]!;
    const { loss, gradientNorm, tokens, ...more } = await weights.step(sequences, { ...optimizer, learningRate });
    return finite({ loss, gradientNorm, tokens, learningRate, ...more });
  }

  private async save(
    { runId }: RunPlan,
    weights: TrainingWeights,
    { record }: NonNullable<Recording['saving']>,
    metrics: Record<string, number>,
  ): Promise<void> {
    await record(await new Checkpoints(this.dependencies.objects, runId).save(weights), metrics);
  }

  private algorithmOf({ algorithm, runId, baseModelDigest }: RunPlan): LearningAlgorithm {
    const { algorithms, engine } = this.dependencies;
    const found = algorithms.get(algorithm);
    if (found === undefined) {
      throw new SeamError(
        'INVALID_CONFIGURATION',
        `Cannot train run ${runId}: expected one of the algorithms ${[...algorithms.keys()].join(', ')}, got ${algorithm}. Train it with the version that planned it.`,
      );
    }
    if (baseModelDigest !== engine.baseModelDigest) {
      throw new SeamError(
        'CHECKPOINT_INVALID',
        `Cannot train run ${runId}: expected base model ${baseModelDigest}, got ${engine.baseModelDigest} in the model folder. Restore the folder.`,
      );
    }
    return found;
  }

  private report(
    { runId, algorithm }: RunPlan,
    phase: TrainingProgress['phase'],
    done: number,
    total: number,
    metrics: Record<string, number> = {},
  ): void {
    this.dependencies.onProgress({ runId, algorithm, phase, done, total, metrics });
  }
}
