import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canonicalJson, Random, sha256 } from '@seamstream/kernel';
import { encodeSafetensors, type StoredTensor } from '@seamstream/model-files';
import { tensorParts } from '../adapters/adapter.js';
import { loadCheckpoint, readWeights, saveCheckpoint } from './checkpoint.js';
import { checkpointShapes, parseModelConfig } from './model-config.js';

const RAW = {
  vocab_size: 7,
  hidden_size: 8,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  intermediate_size: 12,
  num_key_value_heads: 1,
  eos_token_id: 0,
};
const CONFIGS = {
  llama: parseModelConfig({ ...RAW, model_type: 'llama', tie_word_embeddings: true }),
  qwen2: parseModelConfig({ ...RAW, model_type: 'qwen2' }),
  qwen3: parseModelConfig({ ...RAW, model_type: 'qwen3', head_dim: 4, tie_word_embeddings: true }),
};
type Family = keyof typeof CONFIGS;

function modelOf(family: Family): Parameters<typeof saveCheckpoint>[1] {
  const random = Random.of(family);
  const tensors = new Map<string, StoredTensor>();
  for (const [name, shape] of checkpointShapes(CONFIGS[family])) {
    tensors.set(name, {
      shape: [...shape],
      data: Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => random.normal()),
    });
  }
  return { config: CONFIGS[family], tensors, generation: { eosTokenIds: [0], bosTokenId: 1 } };
}

async function saved(family: Family): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'checkpoint-'));
  await saveCheckpoint(folder, modelOf(family));
  return folder;
}

async function editConfig(folder: string, changes: Record<string, unknown>): Promise<void> {
  const path = join(folder, 'config.json');
  await writeFile(path, JSON.stringify({ ...(JSON.parse(await readFile(path, 'utf8')) as object), ...changes }));
}

describe('a checkpoint', () => {
  it.each<Family>(['llama', 'qwen2', 'qwen3'])('of the %s family loads as it was saved', async (family) => {
    const folder = await saved(family);
    const checkpoint = await loadCheckpoint(folder);
    const { config, generation } = checkpoint;
    const model = modelOf(family);
    expect(config).toEqual(model.config);
    expect(generation).toEqual(model.generation);
    expect(new Map([...(await readWeights(checkpoint))].sort())).toEqual(new Map([...model.tensors].sort()));
    expect(checkpoint.digest).toBe(sha256(canonicalJson(config), ...tensorParts(model.tensors)));
  });

  it('has the tensors of its family: biases in Qwen2, head norms in Qwen3, a separate head unless tied', () => {
    expect(checkpointShapes(CONFIGS.qwen2).get('model.layers.1.self_attn.k_proj.bias')).toEqual([4]);
    expect(checkpointShapes(CONFIGS.qwen2).get('lm_head.weight')).toEqual([7, 8]);
    expect(checkpointShapes(CONFIGS.qwen3).get('model.layers.0.self_attn.q_norm.weight')).toEqual([4]);
    expect(checkpointShapes(CONFIGS.qwen3).has('lm_head.weight')).toBe(false);
    expect(checkpointShapes(CONFIGS.llama).size).toBe(2 + 2 * 9);
  });

  it('has the same digest in one file, in shards and in another folder, and another one with other weights or settings', async () => {
    const folder = await saved('llama');
    const checkpoint = await loadCheckpoint(folder);
    const { digest } = checkpoint;
    const tensors = await readWeights(checkpoint);
    const shards = await mkdtemp(join(tmpdir(), 'shards-'));
    await cp(join(folder, 'config.json'), join(shards, 'config.json'));
    const names = [...tensors.keys()];
    const weightMap: Record<string, string> = {};
    for (const [part, of] of [names.slice(0, 5), names.slice(5)].entries()) {
      const file = `model-0000${part + 1}-of-00002.safetensors`;
      await writeFile(join(shards, file), encodeSafetensors(new Map(of.map((name) => [name, tensors.get(name)!]))));
      for (const name of of) weightMap[name] = file;
    }
    await writeFile(join(shards, 'model.safetensors.index.json'), JSON.stringify({ weight_map: weightMap }));
    expect((await loadCheckpoint(shards)).digest).toBe(digest);
    await rm(join(shards, 'model-00002-of-00002.safetensors'));
    await expect(loadCheckpoint(shards)).rejects.toMatchObject({
      code: 'CHECKPOINT_INVALID',
      details: { file: 'model-00002-of-00002.safetensors' },
    });
    await editConfig(folder, { rope_theta: 5000 });
    expect((await loadCheckpoint(folder)).digest).not.toBe(digest);
  });

  it('takes the end tokens of generation_config.json where there is one', async () => {
    const folder = await saved('llama');
    await writeFile(join(folder, 'generation_config.json'), JSON.stringify({ eos_token_id: [3, 5], pad_token_id: 6 }));
    expect((await loadCheckpoint(folder)).generation).toEqual({ eosTokenIds: [3, 5], bosTokenId: 1, padTokenId: 6 });
  });

  it('takes a head that differs from the embedding it is said to be tied to, and leaves one that repeats it', async () => {
    const folder = await saved('llama');
    const tied = await loadCheckpoint(folder);
    const tensors = await readWeights(tied);
    const embedding = tensors.get('model.embed_tokens.weight')!;
    const withHead = (head: StoredTensor) =>
      writeFile(join(folder, 'model.safetensors'), encodeSafetensors(new Map([...tensors, ['lm_head.weight', head]])));
    await withHead(embedding);
    expect((await loadCheckpoint(folder)).digest).toBe(tied.digest);
    await withHead({ ...embedding, data: embedding.data.map((value, index) => (index === 30 ? value + 1 : value)) });
    const own = await loadCheckpoint(folder);
    expect(own.config).toEqual({ ...tied.config, tieWordEmbeddings: false });
    expect(own.weights.has('lm_head.weight')).toBe(true);
    await withHead({ shape: [3, 8], data: new Float32Array(24) });
    await expect(loadCheckpoint(folder)).rejects.toMatchObject({
      code: 'CHECKPOINT_INVALID',
      details: { tensor: 'lm_head.weight' },
    });
  });

  it('does not follow an index out of its folder', async () => {
    const folder = await saved('llama');
    await writeFile(
      join(folder, 'model.safetensors.index.json'),
      JSON.stringify({ weight_map: { x: '../model.safetensors' } }),
    );
    await expect(loadCheckpoint(folder)).rejects.toMatchObject({
      code: 'CHECKPOINT_INVALID',
      details: { tensor: 'x' },
    });
  });

  it.each<[string, Record<string, unknown>, string, RegExp]>([
    ['another family', { model_type: 'gpt2' }, 'UNSUPPORTED_MODEL', /model_type "gpt2"/],
    ['other rotary embeddings', { rope_scaling: { rope_type: 'mrope' } }, 'UNSUPPORTED_MODEL', /"mrope"/],
    ['another activation', { hidden_act: 'gelu' }, 'UNSUPPORTED_MODEL', /gelu/],
    ['biases that the weights lack', { attention_bias: true }, 'CHECKPOINT_INVALID', /lacks tensor .*bias/],
    ['a sliding window', { use_sliding_window: true }, 'UNSUPPORTED_MODEL', /sliding/],
    ['a size that is no number', { hidden_size: 'big' }, 'CHECKPOINT_INVALID', /hidden_size "big"/],
    ['heads that do not group', { num_key_value_heads: 3 }, 'CHECKPOINT_INVALID', /2 query heads and 3/],
    [
      'sizes that the weights do not have',
      { vocab_size: 9 },
      'CHECKPOINT_INVALID',
      /embed_tokens.weight of shape \[7, 8\], config.json asks for \[9, 8\]/,
    ],
    [
      'more layers than the weights have',
      { num_hidden_layers: 3 },
      'CHECKPOINT_INVALID',
      /lacks tensor model.layers.2/,
    ],
    [
      'fewer layers than the weights have',
      { num_hidden_layers: 1 },
      'CHECKPOINT_INVALID',
      /model.layers.1.*does not have/,
    ],
  ])('is refused with %s', async (_, changes, code, message) => {
    const folder = await saved('llama');
    await editConfig(folder, changes);
    await expect(loadCheckpoint(folder)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
    });
  });

  it('is refused when files are missing or not JSON, and is not saved with a missing tensor', async () => {
    const folder = await saved('llama');
    await writeFile(join(folder, 'config.json'), '{');
    await expect(loadCheckpoint(folder)).rejects.toMatchObject({
      code: 'CHECKPOINT_INVALID',
      details: { file: 'config.json' },
    });
    await expect(loadCheckpoint(join(folder, 'absent'))).rejects.toThrow(/config.json is missing/);
    await expect(saveCheckpoint(folder, { ...modelOf('llama'), tensors: new Map() })).rejects.toMatchObject({
      code: 'SHAPE_MISMATCH',
    });
  });
});
