/** One thread of a training session; see training-session.ts. */

import { canonicalJson } from '@seamstream/kernel';
import { openCheckpoint, readWeights } from './checkpoint.js';
import type { ComputePlan } from './compute-plan.js';
import { compileGrammar, type TokenGrammar } from './grammar/token-grammar.js';
import type { GrammarOf, ScoredSequence } from './sequence-batch.js';
import { Tokenizer } from './tokenizer.js';
import type { TrainableMemory } from './trainable-memory.js';
import type { OptimizerSettings, TrainableSettings, TrainingObjective, TrainingSequence } from './training.types.js';
import { TrainingLane } from './training-lane.js';
import { serveCalls } from './worker-call.js';

interface StartData {
  readonly folder: string;
  readonly trainable: TrainableSettings;
  readonly objective: TrainingObjective;
  readonly memory: TrainableMemory;
  readonly plan: ComputePlan;
}

serveCalls(async ({ folder, trainable, objective, memory, plan }: StartData) => {
  const checkpoint = await openCheckpoint(folder);
  const grammars = new Map<string, TokenGrammar>();
  let tokenizer: Tokenizer | undefined;
  const load = async (sequences: readonly ScoredSequence[]): Promise<void> => {
    if (!tokenizer && sequences.some(({ schema }) => schema !== undefined)) tokenizer = await Tokenizer.load(folder);
  };
  const grammarOf: GrammarOf = (schema) => {
    const key = canonicalJson(schema);
    let grammar = grammars.get(key);
    if (!grammar) {
      grammar = compileGrammar(schema, tokenizer!.vocabulary, (text) =>
        tokenizer!.encode(text, { isContinuation: true }),
      );
      grammars.set(key, grammar);
    }
    return grammar;
  };
  const fixed = plan.isLarge ? undefined : await readWeights(checkpoint);
  const source = { checkpoint, inputs: trainable, ...(fixed ? { inMemory: fixed } : {}) };
  const lane = new TrainingLane(source, plan, objective, memory, grammarOf);
  return {
    differentiate: async ({ shard, sequences }: { shard: number; sequences: readonly TrainingSequence[] }) => {
      await load(sequences);
      return lane.differentiate(shard, sequences);
    },
    reduce: async (blocks: readonly number[]) => lane.reduce(blocks),
    update: async (work: { blocks: readonly number[]; scale: number; step: number; settings: OptimizerSettings }) =>
      lane.update(work.blocks, work.scale, work.step, work.settings),
    logProbabilities: async (sequences: readonly ScoredSequence[]) => {
      await load(sequences);
      return lane.logProbabilities(sequences);
    },
  };
});
