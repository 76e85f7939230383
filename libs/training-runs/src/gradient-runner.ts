/** Takes the steps that an algorithm planned, from the parent's weights or from a checkpoint, to an adapter. Knows no algorithm by name. */
import type { AdapterPublished, EngineIdentity } from '@seamstream/events';
import type { Adapter } from '@seamstream/language-model';
import { bareSequences, type ComputedLogProbs, type LearningAlgorithm, type TrainingPlan } from '@seamstream/learning';
import type { ObjectStore } from '@seamstream/object-store';
import {
  type AdapterDifference,
  differenceOf,
  type TrainingEngine,
  type TrainingWeights,
} from '@seamstream/training-contract';
import type { AdapterEvaluation } from './adapter-evaluation.port.js';
import { loadAdapter, storeAdapter } from './adapter-objects.js';
import type { StoredArtefact } from './artefact.js';
import { computedLogProbs } from './computed-log-probs.js';
import type { GradientJob } from './gradient-method.js';
import { type JobResult, JobRunner, type Recording } from './job-runner.js';
import { leaveIfStopped } from './leave-if-stopped.js';
import { finite } from './run-events.js';
import type { RunPlan } from './run-plan.js';
import type { RunLogger } from './run-settings.js';

export interface GradientRunnerDependencies {
  readonly objects: ObjectStore;
  readonly engine: TrainingEngine;
  readonly algorithms: ReadonlyMap<string, LearningAlgorithm>;
  readonly evaluation: AdapterEvaluation;
  readonly logger: RunLogger;
}

export class GradientRunner extends JobRunner<GradientJob, Adapter> {
  override readonly kind = 'gradient';

  constructor(private readonly dependencies: GradientRunnerDependencies) {
    super();
    const { engine } = dependencies;
    if (engine.decode !== undefined) this.decode = (tokenIds) => engine.decode!(tokenIds);
  }

  override get engine(): EngineIdentity | null {
    return this.dependencies.engine.identity;
  }

  override get baseModelDigest(): string {
    return this.dependencies.engine.baseModelDigest;
  }

  override get evaluation(): AdapterEvaluation {
    return this.dependencies.evaluation;
  }

  override store(adapter: Adapter, plan: RunPlan, metrics: Readonly<Record<string, number>>): Promise<StoredArtefact> {
    return storeAdapter(this.dependencies.objects, adapter, plan, metrics);
  }

  override load(published: Pick<AdapterPublished, 'key' | 'adapterDigest'>): Promise<Adapter> {
    return loadAdapter(this.dependencies.objects, published);
  }

  override fingerprint(adapter: Adapter): Promise<string> {
    return this.dependencies.engine.fingerprint(adapter);
  }

  override async differenceOf(adapter: Adapter, again: Adapter, parent: Adapter | null): Promise<AdapterDifference> {
    const weights = await this.dependencies.engine.begin({
      adapter: parent,
      trainable: adapter.settings,
      objective: { kind: 'negative-log-likelihood' },
    });
    try {
      return differenceOf(adapter, again, await weights.exportAdapter());
    } finally {
      await weights.close();
    }
  }

  override async run(job: GradientJob, parent: Adapter | null, recording: Recording): Promise<JobResult<Adapter>> {
    const { engine, algorithms, logger } = this.dependencies;
    const { learning, settings } = job;
    const algorithm = algorithms.get(job.algorithm)!;
    const { trainable, objective } = learning;
    const weights = await engine.begin({ adapter: parent, trainable, objective });
    try {
      // 1. What the objective is held to, under the parent's weights.
      const computed = await this.logProbabilitiesFor(learning, weights, recording, parent);
      const review = algorithm.review(learning, settings, computed);
      const metrics: Record<string, number> = { ...learning.diagnostics, ...review.diagnostics };
      if (review.status === 'refused') return { status: 'refused', reason: review.reason, metrics };
      // 2. The steps, from the newest checkpoint on.
      const resumed = await recording.resume(weights);
      if (resumed !== undefined)
        logger.info({ key: resumed.key, step: resumed.step }, 'training resumed from a checkpoint');
      const total = learning.steps.length;
      while (weights.steps < total) {
        await leaveIfStopped(weights, recording);
        const sequences = algorithm.complete(learning, settings, weights.steps, computed);
        const figures = await takeStep(learning, weights, sequences);
        Object.assign(metrics, figures);
        recording.report('training', weights.steps, total, figures);
        const { saving } = recording;
        if (saving !== undefined && weights.steps < total && weights.steps % saving.everySteps === 0)
          await saving.save(weights, figures);
      }
      return { status: 'made', artefact: await weights.exportAdapter(), steps: total, metrics: finite(metrics) };
    } finally {
      await weights.close();
    }
  }

  private logProbabilitiesFor(
    learning: TrainingPlan,
    weights: TrainingWeights,
    recording: Recording,
    parent: Adapter | null,
  ): Promise<ComputedLogProbs> {
    const sequences = bareSequences(learning);
    return computedLogProbs(learning, parent !== null, {
      // The weights are the parent's until the first step.
      underParent: () => weights.logProbabilities(sequences),
      underBase: () => this.baseLogProbabilities(learning, sequences, recording),
    });
  }

  private async baseLogProbabilities(
    { trainable, objective }: TrainingPlan,
    sequences: ReturnType<typeof bareSequences>,
    recording: Recording,
  ): Promise<readonly (readonly number[])[]> {
    recording.report('preparing', 0, 1);
    const base = await this.dependencies.engine.begin({ adapter: null, trainable, objective });
    try {
      return await base.logProbabilities(sequences);
    } finally {
      await base.close();
    }
  }
}

async function takeStep(
  { steps, optimizer }: TrainingPlan,
  weights: TrainingWeights,
  sequences: ReturnType<LearningAlgorithm['complete']>,
): Promise<Record<string, number>> {
  const { learningRate } = steps[weights.steps]!;
  const { loss, gradientNorm, tokens, ...more } = await weights.step(sequences, { ...optimizer, learningRate });
  return finite({ loss, gradientNorm, tokens, learningRate, ...more });
}
