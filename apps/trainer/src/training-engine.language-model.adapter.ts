import type {
  Adapter,
  ExecutionProvider,
  LanguageModel,
  TrainableSettings,
  TrainingObjective,
} from '@seamstream/language-model';
import { TrainingSession } from '@seamstream/language-model';
import { TrainingEngine, type TrainingWeights } from './training-engine.port.js';

/** Trains a model folder in process. The model that serves answers the fingerprint probe: what it proves is what will serve. */
export class LanguageModelTraining extends TrainingEngine {
  constructor(
    private readonly folder: string,
    private readonly model: Pick<LanguageModel, 'digest' | 'fingerprint' | 'tokenizer'>,
    private readonly compute: { readonly threads: number; readonly executionProvider: ExecutionProvider },
  ) {
    super();
  }

  override get baseModelDigest(): string {
    return this.model.digest;
  }

  override begin(settings: {
    readonly adapter: Adapter | null;
    readonly trainable: TrainableSettings;
    readonly objective: TrainingObjective;
  }): Promise<TrainingWeights> {
    const { adapter, trainable, objective } = settings;
    return TrainingSession.create({
      checkpoint: this.folder,
      trainable,
      objective,
      ...this.compute,
      ...(adapter === null ? {} : { adapter }),
    });
  }

  override decode(tokenIds: readonly number[]): string {
    return this.model.tokenizer.decode(tokenIds);
  }

  override fingerprint(adapter: Adapter): Promise<string> {
    return this.model.fingerprint(adapter);
  }
}
