/** SEAM: adapters for the model that writes entries, trained by gradients. GRPO and SFT are algorithms of it. */
import { GENERATOR_SLOT, SEAM_METHOD } from '@seamstream/events';
import { sampledUnder } from '@seamstream/experience';
import type { LearningAlgorithm, TrainingPlan } from '@seamstream/learning';
import type { JobFacts, LearningMethod, PlannedJob } from './learning-method.js';

export interface GradientJob {
  readonly kind: 'gradient';
  /** Name and settings of the algorithm whose steps these are. */
  readonly algorithm: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly learning: TrainingPlan;
}

export class GradientMethod implements LearningMethod<GradientJob> {
  readonly name = SEAM_METHOD;
  readonly slot = GENERATOR_SLOT;

  constructor(readonly recipes: ReadonlyMap<string, LearningAlgorithm>) {}

  plan({ plan, input, schemaFor }: JobFacts): PlannedJob<GradientJob> {
    const { algorithm, baseModelDigest, configuration, seed } = plan;
    const settings = configuration.algorithm;
    const preparation = this.recipes.get(algorithm)!.prepare(
      input,
      settings,
      {
        baseModelDigest,
        servedAdapters: configuration.servedAdapters,
        entrySchemaOf: (domain, written) => sampledUnder(written, schemaFor(domain)),
      },
      seed,
    );
    return preparation.status === 'refused'
      ? { status: 'refused', reason: preparation.reason, metrics: { ...preparation.diagnostics } }
      : { status: 'ready', job: { kind: 'gradient', algorithm, settings, learning: preparation.plan } };
  }
}
