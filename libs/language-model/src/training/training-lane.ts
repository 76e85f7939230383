/** Training on one thread: gradients of shards, and the optimizer over blocks of the shared arrays. */
import { SeamError } from '@seamstream/kernel';
import { assertExecutionProvider, type FloatTensor, type Session, type TensorData } from '@seamstream/tensor-graph';
import type { ModelConfig } from '../checkpoint/model-config.types.js';
import type { GrammarOf } from '../generation/grammars.js';
import { type ComputePlan, sessionSettings } from '../graphs/compute-plan.js';
import type { WeightSource } from '../graphs/decoder.js';
import type { CompiledDecoder } from '../graphs/generation-graphs.js';
import { Sessions } from '../graphs/sessions.js';
import { gradientName, logProbGraph, lossGraph } from '../graphs/training-graph.js';
import { adamwUpdate } from './adamw.js';
import {
  batchFeeds,
  isConstrained,
  microBatches,
  type ScoredSequence,
  scoreSequences,
  trainedRunTokens,
} from './sequence-batch.js';
import { blockBounds, segmentAt, type TrainableMemory } from './trainable-memory.js';
import type { OptimizerSettings, TrainingObjective, TrainingSequence } from './training.types.js';

/** Sums over a shard's trained tokens, each token with its weight. */
export interface ShardSums {
  readonly loss: number;
  readonly kl: number;
  readonly entropy: number;
  readonly clipped: number;
}

export class TrainingLane {
  readonly #sessions = new Sessions();
  readonly #config: ModelConfig;
  readonly #weightFeeds: Readonly<Record<string, TensorData>>;
  /** Each shard's gradients, by the names of the outputs that are written there. */
  readonly #gradientTensors: readonly Readonly<Record<string, FloatTensor>>[];
  /** Where a shard's later runs write their gradients before these are added. */
  #laterGradients: Readonly<Record<string, FloatTensor>> | undefined;

  constructor(
    private readonly source: WeightSource,
    private readonly plan: ComputePlan,
    private readonly objective: TrainingObjective,
    private readonly memory: TrainableMemory,
  ) {
    this.#config = source.checkpoint.config;
    this.#weightFeeds = this.#tensorsIn(memory.weights, (name) => name);
    this.#gradientTensors = memory.gradients.map((gradient) => this.#tensorsIn(gradient, gradientName));
  }

  /** Compiles what an execution provider may lack something for, so that it comes out before the first step. */
  async prepare(): Promise<void> {
    if (this.plan.executionProvider === 'cpu') return;
    await assertExecutionProvider(this.plan.executionProvider);
    // Under a mask, which has all operators of the other and one more.
    const probed = new Sessions();
    const settings = { ...sessionSettings(this.plan), repacksWeights: false };
    await probed.get('loss', () => lossGraph(this.source, this.objective, true), settings);
    await probed.close();
  }

  /** Writes the gradient of the shard's loss to its array. */
  async differentiate(shard: number, sequences: readonly TrainingSequence[], grammarOf: GrammarOf): Promise<ShardSums> {
    const gradient = this.memory.gradients[shard]!;
    const sums = { loss: 0, kl: 0, entropy: 0, clipped: 0 };
    const batches = microBatches(this.#config, sequences, false, trainedRunTokens(this.plan, sequences));
    if (batches.length === 0) gradient.fill(0);
    for (const [at, batch] of batches.entries()) {
      const members = batch.map((index) => sequences[index]!);
      const isMasked = members.some(isConstrained);
      const session = await this.#session(isMasked ? 'loss masked' : 'loss', () =>
        lossGraph(this.source, this.objective, isMasked),
      );
      const outputs = await session.run(
        {
          ...this.#weightFeeds,
          ...batchFeeds(this.#config, members, isMasked, grammarOf),
          ...objectiveFeeds(this.objective, members),
        },
        undefined,
        at === 0 ? this.#gradientTensors[shard] : this.#laterGradientTensors(),
      );
      for (const sum of ['loss', 'kl', 'entropy', 'clipped'] as const) sums[sum] += outputs[sum]?.data[0] ?? 0;
      if (at === 0) continue;
      for (const { name, start, end } of this.memory.segments) {
        const part = outputs[gradientName(name)]!.data;
        for (let i = start; i < end; i++) gradient[i] = gradient[i]! + part[i - start]!;
      }
    }
    return sums;
  }

  /** Adds all shards' gradients into the first one's array; the sum of squares of each block. */
  async reduce(blocks: readonly number[]): Promise<number[]> {
    const [total, ...others] = this.memory.gradients as [Float32Array, ...Float32Array[]];
    return blocks.map((block) => {
      const { start, end } = blockBounds(this.memory, block);
      for (const other of others) {
        for (let i = start; i < end; i++) total[i] = total[i]! + other[i]!;
      }
      let squares = 0;
      for (let i = start; i < end; i++) squares += total[i]! * total[i]!;
      if (!Number.isFinite(squares)) this.#refuse(total, start, end);
      return squares;
    });
  }

  /** One AdamW step over the given blocks. */
  async update(blocks: readonly number[], scale: number, step: number, settings: OptimizerSettings): Promise<void> {
    const { weights, firstMoments, secondMoments, gradients, segments } = this.memory;
    const state = { weights, firstMoments, secondMoments, gradients: gradients[0]! };
    for (const block of blocks) {
      const { start, end } = blockBounds(this.memory, block);
      for (const segment of segments) {
        const from = Math.max(start, segment.start);
        const to = Math.min(end, segment.end);
        if (from < to) adamwUpdate(state, from, to, segment.decays, scale, step, settings);
      }
    }
  }

  /** ln π of the targets under the weights as they are now. */
  async logProbabilities(sequences: readonly ScoredSequence[], grammarOf: GrammarOf): Promise<number[][]> {
    return scoreSequences(this.#config, sequences, grammarOf, async (feeds, isMasked) => {
      const session = await this.#session(isMasked ? 'scores masked' : 'scores', () =>
        logProbGraph(this.source, isMasked),
      );
      return (await session.run({ ...this.#weightFeeds, ...feeds })).log_probs!.data;
    });
  }

  #laterGradientTensors(): Readonly<Record<string, FloatTensor>> {
    return (this.#laterGradients ??= this.#tensorsIn(new Float32Array(this.memory.weights.length), gradientName));
  }

  /** The trained tensors as parts of an array. */
  #tensorsIn(array: Float32Array, nameOf: (tensor: string) => string): Record<string, FloatTensor> {
    const { segments, shapes } = this.memory;
    const parts = segments.map(({ name, start, end }) => {
      return [nameOf(name), { data: array.subarray(start, end), dims: shapes.get(name)! }] as const;
    });
    return Object.fromEntries(parts);
  }

  #session(key: string, build: () => CompiledDecoder): Promise<Session> {
    // The products of a training step are long: threads that sleep between them cost little, those that spin keep others from cores.
    return this.#sessions.get(key, build, {
      ...sessionSettings(this.plan),
      repacksWeights: !this.plan.isLarge,
      spins: false,
    });
  }

  #refuse(gradient: Float32Array, start: number, end: number): never {
    for (let i = start; i < end; i++) {
      const segment = Number.isFinite(gradient[i]) ? undefined : segmentAt(this.memory, i);
      if (segment) {
        throw new SeamError(
          'NON_FINITE',
          `Cannot take a training step: expected a finite gradient of ${segment.name}, got ${gradient[i]} at element ${i - segment.start}. The weights are unchanged. Lower the learning rate or clip, and look at the batch.`,
          { details: { tensor: segment.name, element: i - segment.start } },
        );
      }
    }
    throw new SeamError(
      'NON_FINITE',
      'Cannot take a training step: expected a finite gradient norm, got an overflow. The weights are unchanged.',
    );
  }
}

function objectiveFeeds(
  objective: TrainingObjective,
  sequences: readonly TrainingSequence[],
): Record<string, TensorData> {
  const vector = (pick: (sequence: TrainingSequence) => readonly number[]): TensorData => {
    const data = Float32Array.from(sequences.flatMap(pick));
    return { data, dims: [data.length] };
  };
  const weights = vector((sequence) => sequence.weights);
  if (objective.kind === 'negative-log-likelihood') return { weights };
  return {
    weights,
    advantages: vector(({ policy }) => policy!.advantages),
    proximal: vector(({ policy }) => policy!.proximalLogProbs),
    importance: vector(({ policy }) => policy!.importanceWeights),
    reference: vector(({ policy }) => policy!.referenceLogProbs),
    imitation: vector(({ policy, targets }) => policy!.imitationWeights ?? targets.map(() => 0)),
  };
}
