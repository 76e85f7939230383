import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DigestedCheckpoint, loadCheckpoint, readWeights } from '../checkpoint/checkpoint.js';
import { GenerationLane } from '../generation/generation-lane.js';
import { seededTensor, writeGoldenModel } from '../golden-model.fake.js';
import { computePlan } from '../graphs/compute-plan.js';
import type { TrainableSettings } from '../training/training.types.js';
import { type Adapter, createAdapter } from './adapter.js';
import { mergeAdapter } from './merge-adapter.js';
import { trainableShapes } from './parameters.js';

const RAW = {
  model_type: 'qwen2',
  vocab_size: 48,
  hidden_size: 16,
  intermediate_size: 24,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  max_position_embeddings: 64,
  tie_word_embeddings: true,
  torch_dtype: 'bfloat16',
  unknown_to_us: 7,
};
const PROMPTS = [
  [1, 2, 3, 4, 5, 6, 7],
  [40, 2, 11],
];

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

const LORA: TrainableSettings = {
  kind: 'lora',
  rank: 3,
  alpha: 2,
  targetModules: ['q_proj', 'o_proj', 'down_proj'],
  modulesToSave: ['embed_tokens'],
  seed: 's',
};

describe('a merged checkpoint', () => {
  it.each<[string, TrainableSettings]>([
    ['LoRA', LORA],
    ['whole weights', { kind: 'full' }],
  ])('computes what its base model computes with the adapter (%s)', async (_, settings) => {
    const checkpoint = await base();
    const adapter = adapterOf(checkpoint, settings);
    const into = join(await temporary(), 'merged');
    await mergeAdapter(checkpoint, adapter, into);
    const expected = await logitsOf(checkpoint, adapter);
    const got = await logitsOf(await loadCheckpoint(into));
    // One product of a summed weight instead of two products: roundings of float32 in another order.
    expected.forEach((row, index) => {
      row.forEach((value, at) => expect(Math.abs(got[index]![at]! - value)).toBeLessThan(1e-4));
    });
    const bare = await logitsOf(checkpoint);
    expect(Math.max(...bare[0]!.map((value, at) => Math.abs(value - expected[0]![at]!)))).toBeGreaterThan(0.05);
  });

  it('keeps what is not changed byte for byte, says float32, and takes along what belongs to a model', async () => {
    const checkpoint = await base();
    const into = join(await temporary(), 'merged');
    const merged = await mergeAdapter(checkpoint, adapterOf(checkpoint, LORA), into);
    const reloaded = await loadCheckpoint(into);
    expect(merged).toMatchObject({ changed: 7, tensors: checkpoint.weights.size });
    const file = await readFile(join(into, 'model.safetensors'));
    expect([file.length, createHash('sha256').update(file).digest('hex')]).toEqual([merged.sizeBytes, merged.sha256]);
    const same = 'model.layers.0.self_attn.k_proj.weight';
    expect(reloaded.weights.get(same)?.dtype).toBe('BF16');
    expect(await readWeights(reloaded, [same])).toEqual(await readWeights(checkpoint, [same]));
    expect(reloaded.weights.get('model.layers.0.self_attn.q_proj.weight')?.dtype).toBe('F32');
    expect((await readdir(into)).sort()).toEqual(['config.json', 'model.safetensors', 'tokenizer_config.json']);
    const config = JSON.parse(await readFile(join(into, 'config.json'), 'utf8')) as unknown;
    expect(config).toEqual({ ...RAW, torch_dtype: 'float32' });
  });

  it('is not written over something, nor from an adapter of another model', async () => {
    const checkpoint = await base();
    const adapter = adapterOf(checkpoint, LORA);
    const into = await temporary();
    await writeFile(join(into, 'mine.txt'), 'x');
    await expect(mergeAdapter(checkpoint, adapter, into)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/holds mine\.txt/) as string,
    });
    await expect(mergeAdapter(checkpoint, adapter, join(into, 'mine.txt'))).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await readFile(join(into, 'mine.txt'), 'utf8')).toBe('x');
    expect(await readdir(into)).toEqual(['mine.txt']);
    const empty = await temporary();
    await mergeAdapter(checkpoint, adapter, empty);
    expect(await readdir(empty)).toContain('model.safetensors');
    const stranger = createAdapter({ ...adapter, baseModelDigest: 'other' });
    await expect(mergeAdapter(checkpoint, stranger, join(into, 'new'))).rejects.toMatchObject({
      code: 'ADAPTER_INVALID',
    });
    expect(await readdir(into)).toEqual(['mine.txt']);
  });
});

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'merge-'));
  folders.push(folder);
  return folder;
}

async function base(): Promise<DigestedCheckpoint> {
  const folder = await writeGoldenModel(RAW, 'BF16');
  folders.push(folder);
  await writeFile(join(folder, 'tokenizer_config.json'), '{"a":1}');
  await writeFile(join(folder, 'training.log'), 'not part of a model');
  return loadCheckpoint(folder);
}

function adapterOf(checkpoint: DigestedCheckpoint, settings: TrainableSettings): Adapter {
  const tensors = new Map(
    [...trainableShapes(checkpoint.config, settings)].map(([name, shape]) => {
      // Other values than the base model's, which are seeded by the same names.
      const { data } = seededTensor(`adapter ${name}`, shape);
      return [name, { shape: [...shape], data }] as const;
    }),
  );
  return createAdapter({ kind: settings.kind, settings, baseModelDigest: checkpoint.digest, tensors });
}

async function logitsOf(checkpoint: DigestedCheckpoint, adapter?: Adapter): Promise<Float32Array[]> {
  const lane = new GenerationLane(checkpoint, computePlan(checkpoint.config, { threads: 1 }));
  try {
    return await lane.probe(PROMPTS, adapter);
  } finally {
    await lane.close();
  }
}
