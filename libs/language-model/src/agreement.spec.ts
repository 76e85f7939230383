/** Small checkpoints of every family against transformers and peft: test/golden/make-agreement.py, versions in the file. */
import { readFileSync } from 'node:fs';
import { Session, type TensorData } from '@seamstream/tensor-graph';
import { type Adapter, createAdapter } from './adapters/adapter.js';
import { trainableShapes } from './adapters/parameters.js';
import { loadCheckpoint } from './checkpoint/checkpoint.js';
import { parseModelConfig, type RawConfig } from './checkpoint/model-config.js';
import { GenerationLane } from './generation/generation-lane.js';
import { type StoredType, seededTensor, writeGoldenModel } from './golden-model.fake.js';
import type { ComputePlan } from './graphs/compute-plan.js';
import { rotaryFrequencies, rotaryTables } from './graphs/rotary.js';
import { gradientName, lossGraph } from './graphs/training-graph.js';
import { batchFeeds } from './training/sequence-batch.js';
import type { TrainableSettings } from './training/training.types.js';

const golden = JSON.parse(
  readFileSync(new URL('../../../test/golden/agreement.json', import.meta.url), 'utf8'),
) as Golden;

const PLAN: ComputePlan = {
  executionProvider: 'cpu',
  lanes: 1,
  threadsPerLane: 1,
  isLarge: false,
  cacheBytes: 2 ** 30,
};
const LARGE_PLAN: ComputePlan = { ...PLAN, isLarge: true };

/** What is promised, absolute: float32 on both sides, sums in another order; logits here are up to 13. */
const LOGITS = 1e-4;
/** What is promised, as a share of a tensor's largest gradient. */
const GRADIENTS = 1e-3;

const unpack = (data: string): Float32Array => new Float32Array(Uint8Array.from(Buffer.from(data, 'base64')).buffer);

const settings: TrainableSettings = {
  kind: 'lora',
  rank: golden.lora.r,
  alpha: golden.lora.lora_alpha,
  targetModules: golden.lora.target_modules,
  modulesToSave: [],
  seed: 'golden',
};

describe.each(Object.entries(golden.cases))('a checkpoint of the form "%s"', (_, expected) => {
  const folders = new Map<StoredType, Promise<string>>();
  const written = (type: StoredType): Promise<string> => {
    const folder = folders.get(type) ?? writeGoldenModel(expected.config, type);
    folders.set(type, folder);
    return folder;
  };

  it.each<[StoredType, ComputePlan]>([
    ['F32', PLAN],
    ['F32', LARGE_PLAN],
    ['BF16', PLAN],
    ['BF16', LARGE_PLAN],
    ['F16', LARGE_PLAN],
  ])('stored as %s (plan %j) gives the logits of transformers, and its 256 greedy tokens', async (type, plan) => {
    const lane = new GenerationLane(await loadCheckpoint(await written(type)), plan);
    const logits = await lane.probe(expected.prompts);
    logits.forEach((row, index) => {
      expect(distance(row, unpack(expected.logits[index]!))).toBeLessThan(LOGITS);
    });
    const sampling = { temperature: 0, topK: 0, topP: 1, maxTokens: 256 };
    const [candidates] = await lane.generate([
      { promptTokenIds: expected.greedy.prompt, seeds: ['greedy'], sampling, stopTokenIds: [] },
    ]);
    expect(candidates![0]!.tokenIds).toEqual(expected.greedy.tokens);
    await lane.close();
  });

  it('has the logits, the loss and the gradients of peft under a LoRA adapter', async () => {
    const checkpoint = await loadCheckpoint(await written('F32'));
    const adapter = seededAdapter(expected.config, checkpoint.digest);
    const lane = new GenerationLane(checkpoint, PLAN);
    const logits = await lane.probe(expected.prompts, adapter);
    logits.forEach((row, index) => {
      expect(distance(row, unpack(expected.lora.logits[index]!))).toBeLessThan(LOGITS);
    });
    await lane.close();
    const tokenIds = expected.prompts[1]!;
    const targets = tokenIds.slice(1).map((_id, index) => index + 1);
    const session = await Session.create(
      lossGraph({ checkpoint, inputs: settings }, { kind: 'negative-log-likelihood' }, false).graph,
    );
    const feeds: Record<string, TensorData> = batchFeeds(checkpoint.config, [{ tokenIds, targets }], false, () => {
      throw new Error('no grammar here');
    });
    for (const [name, { data, shape }] of adapter.tensors) feeds[name] = { data, dims: shape };
    feeds.weights = { data: new Float32Array(targets.length).fill(1 / targets.length), dims: [targets.length] };
    const outputs = await session.run(feeds);
    expect(Math.abs(outputs.loss!.data[0]! - expected.lora.loss)).toBeLessThan(1e-5);
    for (const [name, packed] of Object.entries(expected.lora.gradients)) {
      const gradient = unpack(packed);
      const largest = gradient.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
      const difference = distance(outputs[gradientName(name)]!.data, gradient) / largest;
      expect([name, difference < GRADIENTS]).toEqual([name, true]);
    }
  });
});

describe('rotary embeddings', () => {
  const SMALL = { model_type: 'llama', vocab_size: 8, num_hidden_layers: 1, intermediate_size: 8 };

  it.each(Object.entries(golden.rotary))(
    'of %s have the frequencies of transformers',
    (_, { config, frequencies, attentionFactor }) => {
      const got = rotaryFrequencies(parseModelConfig({ ...SMALL, ...config }));
      const expected = unpack(frequencies);
      expect(got.frequencies).toHaveLength(expected.length);
      // Powers and logarithms of two libraries may differ in their last bit.
      got.frequencies.forEach((value, index) => {
        expect(Math.abs(value / expected[index]! - 1)).toBeLessThan(3e-7);
      });
      expect(got.attentionFactor).toBeCloseTo(attentionFactor, 12);
    },
  );

  it('multiply cos and sin with the attention factor', () => {
    const yarn = { rope_type: 'yarn', factor: 2, original_max_position_embeddings: 8, attention_factor: 3 };
    const config = { ...SMALL, hidden_size: 8, num_attention_heads: 2, max_position_embeddings: 16 };
    const tables = rotaryTables(parseModelConfig({ ...config, rope_scaling: yarn }));
    expect([...tables.cos.subarray(0, 2)]).toEqual([3, 3]);
    tables.cos.forEach((cos, index) => {
      expect(Math.hypot(cos, tables.sin[index]!)).toBeCloseTo(3, 5);
    });
  });
});

interface Case {
  readonly config: RawConfig;
  readonly prompts: number[][];
  readonly logits: string[];
  readonly greedy: { readonly prompt: number[]; readonly tokens: number[] };
  readonly lora: {
    readonly loss: number;
    readonly logits: string[];
    readonly gradients: Readonly<Record<string, string>>;
  };
}

interface Golden {
  readonly lora: { readonly r: number; readonly lora_alpha: number; readonly target_modules: string[] };
  readonly cases: Readonly<Record<string, Case>>;
  readonly rotary: Readonly<
    Record<string, { readonly config: RawConfig; readonly frequencies: string; readonly attentionFactor: number }>
  >;
}

function distance(got: ArrayLike<number>, expected: Float32Array): number {
  expect(got.length).toBe(expected.length);
  return expected.reduce((largest, value, index) => Math.max(largest, Math.abs(got[index]! - value)), 0);
}

/** The factors that the script sets. */
function seededAdapter(config: RawConfig, baseModelDigest: string): Adapter {
  const tensors = new Map(
    [...trainableShapes(parseModelConfig(config), settings)].map(([name, shape]) => {
      const { data } = seededTensor(name, shape);
      return [name, { shape: [...shape], data: data.map((value) => value / 4) }];
    }),
  );
  return createAdapter({ kind: 'lora', baseModelDigest, settings, tensors });
}
