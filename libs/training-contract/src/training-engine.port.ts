import type { EngineIdentity } from '@seamstream/events';
import type {
  Adapter,
  OptimizerSettings,
  ScoredSequence,
  StepMetrics,
  TrainableSettings,
  TrainingObjective,
  TrainingSequence,
} from '@seamstream/language-model';

/** One run's weights while they are trained; `TrainingSession` of the engine is one. */
export interface TrainingWeights {
  /** Optimizer steps done so far. */
  readonly steps: number;
  step(sequences: readonly TrainingSequence[], optimizer: OptimizerSettings): Promise<StepMetrics>;
  /** ln π of the targets of each sequence under the present weights, in nats. */
  logProbabilities(sequences: readonly ScoredSequence[]): Promise<readonly (readonly number[])[]>;
  exportAdapter(): Promise<Adapter>;
  saveState(): Promise<Uint8Array>;
  /** @throws CHECKPOINT_INVALID for what {@link saveState} did not write, or of another base model; the weights are as they were */
  restoreState(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** What trains. Equal steps on equal weights give equal bits, or weights within the tolerance that its identity states. */
export abstract class TrainingEngine {
  /** As it is recorded with what it trains: who does a run again knows what to expect. */
  abstract readonly identity: EngineIdentity;
  /** Digest of the base model. */
  abstract readonly baseModelDigest: string;

  /** Weights to train, beginning with the given adapter, or with the base model. */
  abstract begin(settings: {
    readonly adapter: Adapter | null;
    readonly trainable: TrainableSettings;
    readonly objective: TrainingObjective;
  }): Promise<TrainingWeights>;

  /** The text that tokens spell, as the generator decodes them; undefined of doubles, whose tokens spell nothing. */
  decode?(tokenIds: readonly number[]): string;

  /** What a model that serves this adapter (null: the bare base model) answers to the fingerprint probe. */
  abstract fingerprint(adapter: Adapter | null): Promise<string>;
}
