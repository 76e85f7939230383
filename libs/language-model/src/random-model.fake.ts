/** A small random model in a folder, with a tokenizer of bytes and a few merges: enough to exercise the engine. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '@seamstream/kernel';
import { trainByteLevelBpe } from '@seamstream/tokenizer';
import { saveCheckpoint } from './checkpoint/checkpoint.js';
import { checkpointShapes } from './checkpoint/model-config.js';
import type { ModelConfig } from './checkpoint/model-config.types.js';

const TEXTS = ['{"concepts":["cow","bee"],"strategy":"swap order","pitfalls":"none"}', 'red orange yellow blue berry'];

/** Llama with grouped queries; 300 tokens, two layers, 32 wide. */
const RANDOM_MODEL: ModelConfig = {
  family: 'llama',
  vocabularySize: 300,
  hiddenSize: 32,
  layers: 2,
  heads: 4,
  keyValueHeads: 2,
  headDimension: 16,
  intermediateSize: 48,
  ropeTheta: 10000,
  rmsNormEpsilon: 1e-5,
  tieWordEmbeddings: true,
  attentionBias: false,
  queryKeyNorm: false,
  maxPositions: 160,
};

/** Writes the model to a new folder under the system's temporary one; the caller removes it. */
export async function writeRandomModel(changes: Partial<ModelConfig> = {}): Promise<string> {
  const config = { ...RANDOM_MODEL, ...changes };
  const folder = await mkdtemp(join(tmpdir(), 'model-'));
  const tensors = new Map(
    [...checkpointShapes(config)].map(([name, shape]) => {
      const random = Random.of('random model', name);
      const size = shape.reduce((total, length) => total * length, 1);
      const center = name.includes('norm') ? 1 : 0;
      const spread = name.includes('embed') ? 0.5 : 1 / Math.sqrt(shape.at(-1)!);
      return [
        name,
        { shape: [...shape], data: Float32Array.from({ length: size }, () => center + spread * random.normal()) },
      ];
    }),
  );
  const tokenizer = trainByteLevelBpe(TEXTS, config.vocabularySize, ['<|end|>']);
  await saveCheckpoint(folder, { config, tensors, generation: { eosTokenIds: [0] }, tokenizer });
  return folder;
}
