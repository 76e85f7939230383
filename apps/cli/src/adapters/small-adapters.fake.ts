/** A base model of one small layer, and adapters of it whose tensors hold one number. */
import { join } from 'node:path';
import { sha256 } from '@seamstream/kernel';
import {
  type Adapter,
  checkpointShapes,
  createAdapter,
  loadCheckpoint,
  parseModelConfig,
  saveCheckpoint,
  type TrainableSettings,
  trainableShapes,
} from '@seamstream/language-model';
import type { FakeWorld } from '../command-runtime.fake.js';

export const CONFIG = parseModelConfig({
  model_type: 'llama',
  vocab_size: 11,
  hidden_size: 8,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  intermediate_size: 12,
  max_position_embeddings: 16,
});
const SETTINGS: TrainableSettings = {
  kind: 'lora',
  rank: 2,
  alpha: 4,
  targetModules: ['q_proj'],
  modulesToSave: [],
  seed: 'made by hand',
};
const filled = (shapes: ReadonlyMap<string, readonly number[]>, value: number) =>
  new Map(
    [...shapes].map(([name, shape]) => [
      name,
      { shape: [...shape], data: new Float32Array(shape.reduce((count, size) => count * size, 1)).fill(value) },
    ]),
  );
/** What a model that serves the adapter, or nothing, answers to the probe. */
export const answersOf = (adapter?: Pick<Adapter, 'digest'>): string => sha256('answers', adapter?.digest ?? 'base');

/** Writes a base model's checkpoint below the folder. @param weight of all its tensors: another one is another model */
export async function smallBaseModel(
  folder: string,
  { name = 'base', weight = 0.5 } = {},
): Promise<NonNullable<FakeWorld['baseModel']>> {
  await saveCheckpoint(join(folder, name), {
    config: CONFIG,
    tensors: filled(checkpointShapes(CONFIG), weight),
    generation: { eosTokenIds: [0] },
  });
  return {
    checkpoint: await loadCheckpoint(join(folder, name)),
    fingerprint: (adapter) => Promise.resolve(answersOf(adapter)),
  };
}

export const smallAdapter = (value: number, baseModelDigest: string): Adapter =>
  createAdapter({
    kind: 'lora',
    settings: SETTINGS,
    baseModelDigest,
    tensors: filled(trainableShapes(CONFIG, SETTINGS), value),
  });
