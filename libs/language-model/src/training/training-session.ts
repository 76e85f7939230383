/**
 * Training a checkpoint's weights or LoRA factors. A step is cut into a fixed number of shards; threads compute shards,
 * gradients are added in the order of shards, and the optimizer works on fixed blocks. So the bits of a run are a function
 * of its batches and settings, not of the number of threads, and a run restored from its state continues as if never stopped.
 */
import { SeamError } from '@seamstream/kernel';
import { decodeSafetensors, encodeSafetensors, type StoredTensor } from '@seamstream/model-files';
import { type Adapter, createAdapter } from '../adapters/adapter.js';
import { initialTensors, trainableShapes } from '../adapters/parameters.js';
import { type Checkpoint, type DigestedCheckpoint, loadCheckpoint } from '../checkpoint/checkpoint.js';
import { type ComputeSettings, computePlan } from '../graphs/compute-plan.js';
import { WorkerClient } from '../worker/worker-call.js';
import { clipScale } from './adamw.js';
import { checkSequence, paddedLength, type ScoredSequence } from './sequence-batch.js';
import { allocateMemory, blockCount, type TrainableMemory } from './trainable-memory.js';
import type {
  OptimizerSettings,
  StepMetrics,
  TrainableSettings,
  TrainingObjective,
  TrainingSequence,
} from './training.types.js';
import type { ShardSums } from './training-lane.js';

export interface TrainingSessionSettings extends Pick<ComputeSettings, 'threads' | 'executionProvider'> {
  /** Folder of the base model. */
  readonly checkpoint: string;
  /** Where training starts; the base model's weights (or fresh LoRA factors) when absent. */
  readonly adapter?: Adapter;
  readonly trainable: TrainableSettings;
  readonly objective: TrainingObjective;
  /** Parts of a step that can be computed at once. Results depend on it (the order of sums); default 2, of a large model 1. */
  readonly shards?: number;
}

const DEFAULT_SHARDS = 2;
const STATE_FORMAT = 'seamstream.training';

export class TrainingSession {
  #step = 0;
  /** Steps, exports and restores take turns. */
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly workers: readonly WorkerClient[],
    private readonly memory: TrainableMemory,
    private settings: Pick<TrainingSessionSettings, 'checkpoint' | 'trainable' | 'objective'>,
    private readonly config: Checkpoint['config'],
    /** Digest of the base model that is trained. */
    readonly baseModelDigest: string,
    private readonly isLarge: boolean,
  ) {}

  /**
   * @throws CHECKPOINT_INVALID, UNSUPPORTED_MODEL; ADAPTER_INVALID when the adapter's tensors are not the trained ones;
   *   INVALID_INPUT when the settings train nothing; INVALID_CONFIGURATION, SESSION_FAILED where the execution provider is
   *   missing or cannot compute the model.
   */
  static async create(settings: TrainingSessionSettings): Promise<TrainingSession> {
    const checkpoint = await loadCheckpoint(settings.checkpoint);
    const { trainable, objective } = settings;
    const shapes = trainableShapes(checkpoint.config, trainable);
    const plan = computePlan(checkpoint.config, settings);
    const shards = settings.shards ?? (plan.isLarge ? 1 : DEFAULT_SHARDS);
    const memory = allocateMemory(shapes, shards);
    fill(memory, memory.weights, await startOf(checkpoint, settings), 'ADAPTER_INVALID');
    const entry = new URL('../../dist/training/training.worker.js', import.meta.url);
    const workers = Array.from(
      { length: Math.min(plan.lanes, shards) },
      () => new WorkerClient(entry, { folder: settings.checkpoint, trainable, objective, memory, plan }),
    );
    try {
      await Promise.all(workers.map((worker) => worker.call<undefined>('prepare', undefined)));
    } catch (error) {
      await Promise.all(workers.map((worker) => worker.close()));
      throw error;
    }
    return new TrainingSession(
      workers,
      memory,
      { checkpoint: settings.checkpoint, trainable, objective },
      checkpoint.config,
      checkpoint.digest,
      plan.isLarge,
    );
  }

  /** Whether another run may begin in it: its threads live, and it is not so large that its memory is wanted back. */
  get isReusable(): boolean {
    return !this.isLarge && this.workers.every(({ hasEnded }) => !hasEnded);
  }

  /**
   * Begins another run of the same objective on tensors of the same shapes: threads, compiled graphs and grammars stay, so it is there
   * at once. Its bits are those of a new session.
   * @throws ADAPTER_INVALID, CHECKPOINT_INVALID for a folder that is another one now; the session is then as it was
   */
  restart({ adapter, trainable }: Pick<TrainingSessionSettings, 'adapter' | 'trainable'>): Promise<void> {
    return this.#inTurn(async () => {
      const { weights, firstMoments, secondMoments } = this.memory;
      const checkpoint = await loadCheckpoint(this.settings.checkpoint);
      if (checkpoint.digest !== this.baseModelDigest) {
        throw new SeamError(
          'CHECKPOINT_INVALID',
          `Cannot begin another training run: expected base model ${this.baseModelDigest} in ${checkpoint.folder}, got ${checkpoint.digest}. Leave model folders as they are while services run.`,
        );
      }
      const start = await startOf(checkpoint, { trainable, ...(adapter === undefined ? {} : { adapter }) });
      fill(this.memory, weights, start, 'ADAPTER_INVALID');
      firstMoments.fill(0);
      secondMoments.fill(0);
      this.#step = 0;
      this.settings = { ...this.settings, trainable };
    });
  }

  /** Optimizer steps done so far. */
  get steps(): number {
    return this.#step;
  }

  /**
   * One step: loss and gradients over all sequences, clipping, AdamW.
   * @throws INVALID_INPUT for a malformed sequence or none to train on; NON_FINITE naming the tensor. In both cases
   *   weights, moments and the step count are as they were.
   */
  step(sequences: readonly TrainingSequence[], optimizer: OptimizerSettings): Promise<StepMetrics> {
    return this.#inTurn(async () => {
      const { objective } = this.settings;
      sequences.forEach((sequence, index) => {
        checkSequence(this.config, sequence, index);
        checkTrained(sequence, index, objective);
      });
      const trained = sequences.filter(({ targets }) => targets.length > 0);
      const tokens = trained.reduce((count, { targets }) => count + targets.length, 0);
      if (tokens === 0) {
        throw new SeamError(
          'INVALID_INPUT',
          'Cannot take a training step: expected at least one trained token, got none.',
        );
      }
      const shards = dealShards(trained, this.memory.gradients.length);
      const sums = await this.#spread(shards, (worker, shard, index) =>
        worker.call<ShardSums>('differentiate', { shard: index, sequences: shard }),
      );
      const total = (name: keyof ShardSums): number => sums.reduce((value, shard) => value + shard[name], 0);
      const loss = total('loss');
      if (!Number.isFinite(loss)) {
        throw new SeamError(
          'NON_FINITE',
          `Cannot take a training step: expected a finite loss, got ${loss}. The weights are unchanged. Look at the batch's weights and log-probabilities.`,
          { details: { tensor: 'loss' } },
        );
      }
      const parts = this.#blocksByWorker();
      const squares = await this.#spread(parts, (worker, blocks) => worker.call<number[]>('reduce', blocks));
      const byBlock: number[] = [];
      parts.forEach((blocks, part) => blocks.forEach((block, at) => (byBlock[block] = squares[part]![at]!)));
      const gradientNorm = Math.sqrt(byBlock.reduce((value, square) => value + square, 0));
      const scale = clipScale(gradientNorm, optimizer.clipNorm);
      await this.#spread(parts, (worker, blocks) =>
        worker.call<undefined>('update', { blocks, scale, step: this.#step + 1, settings: optimizer }),
      );
      this.#step += 1;
      const metrics = { loss, gradientNorm, tokens };
      if (objective.kind === 'negative-log-likelihood') return metrics;
      const weight = trained.reduce((value, { weights }) => value + weights.reduce((a, b) => a + b, 0), 0);
      const mean = (name: keyof ShardSums): number => (weight === 0 ? 0 : total(name) / weight);
      return { ...metrics, klNats: mean('kl'), entropyNats: mean('entropy'), clippedRatio: mean('clipped') };
    });
  }

  /**
   * ln π of the targets of each sequence under the present weights; see LanguageModel.logProbabilities.
   * @throws INVALID_INPUT
   */
  logProbabilities(sequences: readonly ScoredSequence[]): Promise<number[][]> {
    return this.#inTurn(async () => {
      const size = Math.max(1, Math.ceil(sequences.length / this.workers.length));
      const parts = Array.from({ length: Math.ceil(sequences.length / size) }, (_, part) =>
        sequences.slice(part * size, (part + 1) * size),
      );
      const scores = await this.#spread(parts, (worker, part) => worker.call<number[][]>('logProbabilities', part));
      return scores.flat();
    });
  }

  /** A copy of the trained tensors. */
  exportTensors(): Promise<Map<string, StoredTensor>> {
    return this.#inTurn(async () => this.#tensors(this.memory.weights));
  }

  /** The trained tensors as an adapter, named by its content. */
  async exportAdapter(): Promise<Adapter> {
    const { trainable } = this.settings;
    return createAdapter({
      kind: trainable.kind,
      baseModelDigest: this.baseModelDigest,
      settings: trainable,
      tensors: await this.exportTensors(),
    });
  }

  /** Everything that the following steps depend on: weights, moments and the step count, as a safetensors file. */
  saveState(): Promise<Uint8Array> {
    return this.#inTurn(async () => {
      const { weights, firstMoments, secondMoments } = this.memory;
      const tensors = new Map<string, StoredTensor>();
      for (const [prefix, array] of Object.entries({ weights, firstMoments, secondMoments })) {
        for (const [name, tensor] of this.#tensors(array)) tensors.set(`${prefix}.${name}`, tensor);
      }
      return encodeSafetensors(tensors, {
        format: STATE_FORMAT,
        step: String(this.#step),
        baseModelDigest: this.baseModelDigest,
      });
    });
  }

  /**
   * Goes back to a saved state of a session with the same base model and trainable settings.
   * @throws CHECKPOINT_INVALID when the bytes are damaged or belong to another session; the session is then unchanged.
   */
  restoreState(bytes: Uint8Array): Promise<void> {
    return this.#inTurn(async () => {
      const { metadata, tensors } = decodeSafetensors(bytes, 'training state');
      const step = Number(metadata.step);
      if (metadata.format !== STATE_FORMAT || !Number.isInteger(step) || step < 0) {
        throw new SeamError(
          'CHECKPOINT_INVALID',
          'Cannot restore a training state: expected a file written by saveState.',
        );
      }
      if (metadata.baseModelDigest !== this.baseModelDigest) {
        throw new SeamError(
          'CHECKPOINT_INVALID',
          `Cannot restore a training state: expected base model ${this.baseModelDigest}, got a state of ${metadata.baseModelDigest}.`,
        );
      }
      const { weights, firstMoments, secondMoments } = this.memory;
      const arrays = Object.entries({ weights, firstMoments, secondMoments });
      const found = arrays.map(([prefix]) => {
        const own = new Map<string, StoredTensor>();
        for (const [name, tensor] of tensors) {
          if (name.startsWith(`${prefix}.`)) own.set(name.slice(prefix.length + 1), tensor);
        }
        checkTensors(this.memory, own, 'CHECKPOINT_INVALID');
        return own;
      });
      arrays.forEach(([, array], index) => fill(this.memory, array, found[index]!, 'CHECKPOINT_INVALID'));
      this.#step = step;
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.close()));
  }

  #tensors(array: Float32Array): Map<string, StoredTensor> {
    return new Map(
      this.memory.segments.map(({ name, start, end }) => [
        name,
        // A copy in unshared memory: it may be sent, stored and digested while training continues.
        { shape: [...this.memory.shapes.get(name)!], data: Float32Array.from(array.subarray(start, end)) },
      ]),
    );
  }

  #blocksByWorker(): number[][] {
    const count = blockCount(this.memory);
    return this.workers.map((_, worker) =>
      Array.from({ length: count }, (_unused, block) => block).filter(
        (block) => block % this.workers.length === worker,
      ),
    );
  }

  /** Part i goes to worker i mod n; all are waited for before the first failure is thrown. */
  async #spread<Part, Result>(
    parts: readonly Part[],
    perform: (worker: WorkerClient, part: Part, index: number) => Promise<Result>,
  ): Promise<Result[]> {
    const outcomes = await Promise.allSettled(
      parts.map((part, index) => perform(this.workers[index % this.workers.length]!, part, index)),
    );
    return outcomes.map((outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    });
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

/** The tensors that training starts from. @throws ADAPTER_INVALID for an adapter of another base model */
async function startOf(
  checkpoint: DigestedCheckpoint,
  { adapter, trainable }: Pick<TrainingSessionSettings, 'adapter' | 'trainable'>,
): Promise<ReadonlyMap<string, StoredTensor>> {
  if (adapter === undefined) return initialTensors(checkpoint, trainable);
  if (adapter.baseModelDigest === checkpoint.digest) return adapter.tensors;
  throw new SeamError(
    'ADAPTER_INVALID',
    `Cannot train from adapter ${adapter.digest}: expected one of base model ${checkpoint.digest}, got one of ${adapter.baseModelDigest}.`,
  );
}

/** Sequences in parts of like work: sorted by length and dealt to and fro. Every shard has a part, if need be empty. */
function dealShards(sequences: readonly TrainingSequence[], shards: number): TrainingSequence[][] {
  const order = sequences.map((_, index) => index);
  order.sort((a, b) => paddedLength(sequences[b]!) - paddedLength(sequences[a]!) || a - b);
  const parts = Array.from({ length: shards }, (): TrainingSequence[] => []);
  order.forEach((index, at) => {
    const [round, place] = [Math.floor(at / shards), at % shards];
    parts[round % 2 === 0 ? place : shards - 1 - place]!.push(sequences[index]!);
  });
  return parts;
}

function checkTrained(sequence: TrainingSequence, index: number, objective: TrainingObjective): void {
  const { targets, weights, policy } = sequence;
  const columns: [string, readonly number[] | undefined][] = [['weights', weights]];
  if (objective.kind === 'clipped-policy-gradient') {
    columns.push(
      ['policy.advantages', policy?.advantages],
      ['policy.proximalLogProbs', policy?.proximalLogProbs],
      ['policy.importanceWeights', policy?.importanceWeights],
      ['policy.referenceLogProbs', policy?.referenceLogProbs],
    );
    if (policy?.imitationWeights !== undefined) columns.push(['policy.imitationWeights', policy.imitationWeights]);
  }
  for (const [name, values] of columns) {
    if (values?.length !== targets.length) {
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot train on sequence ${index}: expected ${targets.length} ${name}, one per target, got ${values?.length ?? 'none'}.`,
        { details: { sequence: index } },
      );
    }
    const at = values.findIndex((value) => !Number.isFinite(value));
    if (at >= 0) {
      throw new SeamError(
        'NON_FINITE',
        `Cannot train on sequence ${index}: expected finite ${name}, got ${values[at]} at ${at}. The weights are unchanged.`,
        { details: { tensor: name, sequence: index, element: at } },
      );
    }
  }
}

function checkTensors(
  memory: TrainableMemory,
  tensors: ReadonlyMap<string, StoredTensor>,
  code: 'ADAPTER_INVALID' | 'CHECKPOINT_INVALID',
): void {
  for (const { name } of memory.segments) {
    const expected = memory.shapes.get(name)!;
    const got = tensors.get(name)?.shape;
    if (got?.length !== expected.length || expected.some((size, axis) => size !== got[axis])) {
      throw new SeamError(
        code,
        `Cannot train from these tensors: expected ${name} of shape [${expected.join(', ')}], got ${got ? `[${got.join(', ')}]` : 'none'}.`,
        { details: { tensor: name } },
      );
    }
  }
  for (const name of tensors.keys()) {
    if (!memory.shapes.has(name)) {
      throw new SeamError(
        code,
        `Cannot train from these tensors: expected those that the settings train, got ${name} too.`,
        {
          details: { tensor: name },
        },
      );
    }
  }
}

function fill(
  memory: TrainableMemory,
  array: Float32Array,
  tensors: ReadonlyMap<string, StoredTensor>,
  code: 'ADAPTER_INVALID' | 'CHECKPOINT_INVALID',
): void {
  checkTensors(memory, tensors, code);
  for (const { name, start } of memory.segments) array.set(tensors.get(name)!.data, start);
}
