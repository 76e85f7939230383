/** One thread of a training session; see training-session.ts. */
import { openCheckpoint, readWeights } from '../checkpoint/checkpoint.js';
import { Grammars } from '../generation/grammars.js';
import type { ComputePlan } from '../graphs/compute-plan.js';
import { serveCalls } from '../worker/worker-call.js';
import type { ScoredSequence } from './sequence-batch.js';
import type { TrainableMemory } from './trainable-memory.js';
import type { OptimizerSettings, TrainableSettings, TrainingObjective, TrainingSequence } from './training.types.js';
import { TrainingLane } from './training-lane.js';

interface StartData {
  readonly folder: string;
  readonly trainable: TrainableSettings;
  readonly objective: TrainingObjective;
  readonly memory: TrainableMemory;
  readonly plan: ComputePlan;
}

serveCalls(async ({ folder, trainable, objective, memory, plan }: StartData) => {
  const checkpoint = await openCheckpoint(folder);
  const grammars = new Grammars(folder);
  const fixed = plan.isLarge ? undefined : await readWeights(checkpoint);
  const source = { checkpoint, inputs: trainable, ...(fixed ? { inMemory: fixed } : {}) };
  const lane = new TrainingLane(source, plan, objective, memory);
  return {
    prepare: async () => lane.prepare(),
    differentiate: async ({ shard, sequences }: { shard: number; sequences: readonly TrainingSequence[] }) => {
      const grammarOf = await grammars.prepare(sequences.map(({ schema }) => schema));
      return lane.differentiate(shard, sequences, grammarOf);
    },
    reduce: async (blocks: readonly number[]) => lane.reduce(blocks),
    update: async (work: { blocks: readonly number[]; scale: number; step: number; settings: OptimizerSettings }) =>
      lane.update(work.blocks, work.scale, work.step, work.settings),
    logProbabilities: async (sequences: readonly ScoredSequence[]) => {
      const grammarOf = await grammars.prepare(sequences.map(({ schema }) => schema));
      return lane.logProbabilities(sequences, grammarOf);
    },
  };
});
