/** From documents to an adapter. What it comes to is a function of base model, documents, settings and seed. */
import { Random, SeamError } from '@seamstream/kernel';
import type { Adapter, OptimizerSettings, TrainableSettings, TrainingSequence } from '@seamstream/language-model';
import type { TrainingEngine } from '@seamstream/training-contract';
import type { InnerUpdateSettings } from './inner-update.config.js';

/** Tokens to learn; those from `lossFrom` on carry loss. */
export interface Document {
  readonly tokenIds: readonly number[];
  /** At least 1: the first token has nothing before it. */
  readonly lossFrom: number;
}

export interface InnerUpdateRequest {
  readonly documents: readonly Document[];
  readonly settings: InnerUpdateSettings;
  /** Decides the first weights of the pairs and the order of the documents. */
  readonly seed: string;
  /** What training begins with; null: the bare base model. */
  readonly start?: Adapter | null;
  /** Ends training between two steps, with ABORTED. */
  readonly signal?: AbortSignal | undefined;
  readonly onStep?:
    | ((step: { readonly done: number; readonly planned: number; readonly loss: number }) => void)
    | undefined;
}

export type InnerUpdate =
  | {
      readonly status: 'trained';
      readonly adapter: Adapter;
      /** Mean loss in nats a token of each step, before it was taken. */
      readonly losses: readonly number[];
      /** Tokens that carried loss, over all steps. */
      readonly tokens: number;
      readonly planned: number;
    }
  /** The documents themselves make a training impossible. */
  | { readonly status: 'refused'; readonly reason: string };

/** As torch.optim.AdamW and the trainer of transformers have them. */
const OPTIMIZER: Omit<OptimizerSettings, 'learningRate'> = {
  beta1: 0.9,
  beta2: 0.999,
  epsilon: 1e-8,
  weightDecay: 0,
  clipNorm: 1,
};

/** @throws ABORTED; otherwise as the engine does */
export async function innerUpdate(engine: TrainingEngine, request: InnerUpdateRequest): Promise<InnerUpdate> {
  const { documents, settings, seed, start = null, signal, onStep } = request;
  const { epochs, maxSteps, learningRate, schedule } = settings;
  // 1. What the documents allow.
  const usable = documents.filter(({ tokenIds, lossFrom }) => lossFrom >= 1 && lossFrom < tokenIds.length);
  if (usable.length === 0) return { status: 'refused', reason: 'it holds no document with a token to learn' };
  const batchesOf = (epoch: number): readonly (readonly Document[])[] =>
    stepsOf(Random.of('inner-update', seed, epoch).shuffled(usable), settings);
  const planned = plannedSteps(usable.length, settings, batchesOf);
  if (planned > maxSteps)
    return { status: 'refused', reason: `its ${usable.length} documents need ${planned} steps, more than ${maxSteps}` };
  // 2. The steps, epoch by epoch, until the loss falls no more.
  const weights = await engine.begin({
    adapter: start,
    trainable: trainableOf(settings, seed),
    objective: { kind: 'negative-log-likelihood' },
  });
  try {
    const losses: number[] = [];
    const plateau = new Plateau(settings.plateau);
    let tokens = 0;
    for (let epoch = 0; epoch < epochs; epoch++) {
      const batches = batchesOf(epoch);
      let sum = 0;
      for (const batch of batches) {
        if (signal?.aborted) throw aborted(losses.length, planned);
        const rate = schedule === 'constant' ? learningRate : learningRate * (1 - losses.length / planned);
        const metrics = await weights.step(sequencesOf(batch), { ...OPTIMIZER, learningRate: rate });
        losses.push(metrics.loss);
        tokens += metrics.tokens;
        sum += metrics.loss;
        onStep?.({ done: losses.length, planned, loss: metrics.loss });
      }
      if (plateau.isReached(sum / batches.length)) break;
    }
    return { status: 'trained', adapter: await weights.exportAdapter(), losses, tokens, planned };
  } finally {
    await weights.close();
  }
}

/** What an inner update trains: the pairs of its adapter. */
export function trainableOf({ rank, alpha, targetModules }: InnerUpdateSettings, seed: string): TrainableSettings {
  return { kind: 'lora', rank, alpha, targetModules, modulesToSave: [], seed };
}

/** Documents in their order as the steps of an epoch. */
function stepsOf(
  order: readonly Document[],
  { batchSize, batchTokens }: Pick<InnerUpdateSettings, 'batchSize' | 'batchTokens'>,
): readonly (readonly Document[])[] {
  const steps: Document[][] = [];
  let tokens = 0;
  for (const document of order) {
    const { length } = document.tokenIds;
    const last = steps.at(-1);
    const fits = batchTokens === undefined ? last?.length !== batchSize : tokens + length <= batchTokens;
    if (last !== undefined && fits) {
      last.push(document);
      tokens += length;
    } else {
      steps.push([document]);
      tokens = length;
    }
  }
  return steps;
}

/** Epochs differ in their order, so that by tokens they may differ in their steps. */
function plannedSteps(
  documents: number,
  { epochs, batchSize, batchTokens }: InnerUpdateSettings,
  batchesOf: (epoch: number) => readonly unknown[],
): number {
  if (batchTokens === undefined) return Math.ceil(documents / batchSize) * epochs;
  return Array.from({ length: epochs }, (_, epoch) => batchesOf(epoch).length).reduce((sum, each) => sum + each, 0);
}

/** The mean over all tokens of the step is its loss. */
function sequencesOf(batch: readonly Document[]): readonly TrainingSequence[] {
  const total = batch.reduce((sum, { tokenIds, lossFrom }) => sum + tokenIds.length - lossFrom, 0);
  return batch.map(({ tokenIds, lossFrom }) => {
    const targets = Array.from({ length: tokenIds.length - lossFrom }, (_, index) => lossFrom + index);
    return { tokenIds, targets, weights: targets.map(() => 1 / total) };
  });
}

/** Whether the loss of epochs has stopped falling. */
class Plateau {
  private least = Number.POSITIVE_INFINITY;
  private epochs = 0;

  constructor(private readonly settings: InnerUpdateSettings['plateau']) {}

  isReached(loss: number): boolean {
    const { patience, minimumFall } = this.settings;
    if (loss < this.least * (1 - minimumFall)) {
      this.least = loss;
      this.epochs = 0;
      return false;
    }
    this.epochs++;
    return patience > 0 && this.epochs >= patience;
  }
}

function aborted(done: number, planned: number): SeamError {
  return new SeamError(
    'ABORTED',
    `Cannot finish an inner update: it was stopped after ${done} of ${planned} steps. It begins again.`,
  );
}
