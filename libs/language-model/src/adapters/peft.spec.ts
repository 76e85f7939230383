import { Random } from '@seamstream/kernel';
import { decodeSafetensors, encodeSafetensors, type StoredTensor } from '@seamstream/model-files';
import { parseModelConfig } from '../checkpoint/model-config.js';
import type { TrainableSettings } from '../training/training.types.js';
import { createAdapter } from './adapter.js';
import { trainableShapes } from './parameters.js';
import { decodePeft, encodePeft, type PeftFiles } from './peft.js';

const RAW = {
  model_type: 'llama',
  vocab_size: 11,
  hidden_size: 8,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  intermediate_size: 12,
};
const TIED = parseModelConfig({ ...RAW, tie_word_embeddings: true });
const UNTIED = parseModelConfig(RAW);
const DIGEST = 'ba5e'.padEnd(64, '0');

type Lora = Extract<TrainableSettings, { kind: 'lora' }>;
const SETTINGS: Lora = {
  kind: 'lora',
  rank: 4,
  alpha: 6,
  targetModules: ['v_proj', 'q_proj', 'down_proj'],
  modulesToSave: [],
  seed: 'a run',
};

function adapterOf(config = UNTIED, changes: Partial<Lora> = {}) {
  const settings = { ...SETTINGS, ...changes };
  const random = Random.of('peft');
  const tensors = new Map<string, StoredTensor>();
  for (const [name, shape] of trainableShapes(config, settings)) {
    const count = shape.reduce((total, size) => total * size, 1);
    tensors.set(name, { shape: [...shape], data: Float32Array.from({ length: count }, () => random.normal()) });
  }
  return createAdapter({ kind: 'lora', settings, baseModelDigest: DIGEST, tensors });
}
const filesOf = (config = UNTIED, changes: Partial<Lora> = {}): PeftFiles =>
  encodePeft(adapterOf(config, changes), config, 'some/model');
const configOf = ({ config }: PeftFiles): Record<string, unknown> =>
  JSON.parse(Buffer.from(config).toString()) as Record<string, unknown>;
/** As another program would have written them: other settings, no metadata of ours. */
function foreign(
  files: PeftFiles,
  changes: Record<string, unknown>,
  tensors = (name: string): string | null => name,
): PeftFiles {
  const renamed = [...decodeSafetensors(files.tensors, 'x').tensors].flatMap(([name, tensor]) => {
    const to = tensors(name);
    return to === null ? [] : [[to, tensor] as const];
  });
  return {
    config: Buffer.from(JSON.stringify({ ...configOf(files), ...changes })),
    tensors: encodeSafetensors(new Map(renamed), { format: 'pt' }),
  };
}
function refusalOf(files: PeftFiles, config = UNTIED): unknown {
  try {
    return decodePeft(files, { config, digest: DIGEST });
  } catch (error) {
    return error;
  }
}

describe("PEFT's files", () => {
  it.each([
    ['LoRA factors', UNTIED, {}],
    ['a separate head', UNTIED, { modulesToSave: ['lm_head', 'embed_tokens'] }],
    ['a tied embedding', TIED, { modulesToSave: ['embed_tokens'] }],
  ] as const)('give back an adapter with %s under its own digest', (_, config, changes) => {
    const adapter = adapterOf(config, changes);
    const content = decodePeft(encodePeft(adapter, config, 'm'), { config, digest: DIGEST });
    expect(createAdapter(content).digest).toBe(adapter.digest);
  });

  it("have PEFT's names and settings", () => {
    const files = filesOf(TIED, { modulesToSave: ['embed_tokens'] });
    expect(configOf(files)).toMatchObject({
      peft_type: 'LORA',
      task_type: 'CAUSAL_LM',
      r: 4,
      lora_alpha: 6,
      lora_dropout: 0,
      target_modules: ['v_proj', 'q_proj', 'down_proj'],
      modules_to_save: ['embed_tokens', 'lm_head'],
      ensure_weight_tying: true,
      base_model_name_or_path: 'some/model',
    });
    const names = [...decodeSafetensors(files.tensors, 'x').tensors.keys()];
    expect(names).toContain('base_model.model.model.layers.1.mlp.down_proj.lora_A.weight');
    expect(names).toContain('base_model.model.model.embed_tokens.weight');
    expect(names).toContain('base_model.model.lm_head.weight');
    expect(names).toHaveLength(2 * 3 * 2 + 2);
  });

  it('of another program are read by what their tensors say, regardless of the form of target_modules', () => {
    const digest = createAdapter({
      ...adapterOf(),
      settings: { ...SETTINGS, targetModules: ['q_proj', 'v_proj', 'down_proj'], seed: 'peft' },
    }).digest;
    for (const target_modules of [['q_proj', 'v_proj', 'down_proj'], 'all-linear', '.*(q|v|down)_proj']) {
      const files = foreign(filesOf(), {
        target_modules,
        lora_dropout: 0.05,
        inference_mode: true,
        peft_version: '0.21.2',
      });
      expect(createAdapter(decodePeft(files, { config: UNTIED, digest: DIGEST })).digest).toBe(digest);
    }
  });

  it('with rank-stabilised scaling mean an alpha of alpha · √rank', () => {
    const { settings } = decodePeft(foreign(filesOf(), { use_rslora: true }), { config: UNTIED, digest: DIGEST });
    expect(settings).toMatchObject({ rank: 4, alpha: 12 });
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['DoRA', { use_dora: true }, /use_dora true.*plain LoRA/],
    ['ranks per module', { rank_pattern: { q_proj: 2 } }, /rank_pattern {"q_proj":2}/],
    ['alphas per module', { alpha_pattern: { q_proj: 2 } }, /alpha_pattern/],
    ['biases', { bias: 'lora_only' }, /bias "lora_only".*"none"/],
    ['a separate bias', { lora_bias: true }, /lora_bias/],
    ['some layers only', { layers_to_transform: [0] }, /layers_to_transform \[0\]/],
    ['trained single tokens', { trainable_token_indices: [1] }, /trainable_token_indices/],
    ['another method', { peft_type: 'IA3' }, /peft_type "IA3".*"LORA"/],
    ['another task', { task_type: 'SEQ_CLS' }, /task_type "SEQ_CLS"/],
    ['a changed base model', { init_lora_weights: 'pissa' }, /init_lora_weights "pissa"/],
    ['a setting of the future', { use_tomorrow: { power: 2 } }, /use_tomorrow/],
    ['a whole layer saved', { modules_to_save: ['norm'] }, /norm in modules_to_save.*embed_tokens or lm_head/],
    ['no rank', { r: 0 }, /r 0: expected an integer/],
    ['no alpha', { lora_alpha: null }, /lora_alpha null/],
  ])('with %s are refused by name', (_, changes, message) => {
    expect(refusalOf(foreign(filesOf(), changes))).toMatchObject({
      code: 'ADAPTER_INVALID',
      message: expect.stringMatching(message) as string,
    });
  });

  it.each<[string, () => PeftFiles, RegExp]>([
    ['no JSON', () => ({ ...filesOf(), config: Buffer.from('{"r":') }), /adapter_config.json is not JSON/],
    ['a list', () => ({ ...filesOf(), config: Buffer.from('[]') }), /not a JSON object/],
    ['cut tensors', () => ({ ...filesOf(), tensors: filesOf().tensors.slice(0, 900) }), /not a sound safetensors file/],
    ['nothing', () => ({ ...filesOf(), tensors: new Uint8Array(0) }), /not a sound safetensors file/],
    [
      'a missing factor',
      () => foreign(filesOf(), {}, (name) => (name.includes('layers.1.self_attn.q_proj.lora_B') ? null : name)),
      /layers\.1\.self_attn\.q_proj\.lora_B\.weight \[8, 4\] is missing/,
    ],
    [
      'names of no wrapper',
      () => foreign(filesOf(), {}, (name) => name.replace('base_model.', '')),
      /begin with base_model\.model\./,
    ],
    ['another rank', () => foreign(filesOf(), { r: 2 }), /has shape \[4, 8\], the model needs \[2, 8\]/],
    [
      'factors of an embedding',
      () => foreign(filesOf(), {}, (name) => name.replace(/layers\.0\.self_attn\.q_proj/, 'lm_head')),
      /lm_head\.lora_A/,
    ],
    ['no factors', () => foreign(filesOf(), {}, () => null), /no lora_A and lora_B/],
    [
      'another base model of ours',
      () => encodePeft({ ...adapterOf(), baseModelDigest: 'other' }, UNTIED, 'm'),
      /trained on base model other, the one in use is ba5e/,
    ],
  ])('with %s are refused before anything is used', (_, make, message) => {
    expect(refusalOf(make())).toMatchObject({
      code: 'ADAPTER_INVALID',
      message: expect.stringMatching(message) as string,
    });
  });

  it('that untie a tied head are refused', () => {
    const both = filesOf(UNTIED, { modulesToSave: ['embed_tokens', 'lm_head'] });
    expect(refusalOf(foreign(both, {}), TIED)).toMatchObject({
      message: expect.stringMatching(/ensure_weight_tying/) as string,
    });
    const embedding = foreign(
      filesOf(TIED, { modulesToSave: ['embed_tokens'] }),
      { modules_to_save: ['embed_tokens'] },
      (name) => (name.endsWith('lm_head.weight') ? null : name),
    );
    expect(refusalOf(embedding, TIED)).toMatchObject({
      message: expect.stringMatching(/model that ties them/) as string,
    });
  });

  it('are not made of whole weights', () => {
    const full = createAdapter({
      kind: 'full',
      settings: { kind: 'full' },
      baseModelDigest: DIGEST,
      tensors: new Map(),
    });
    expect(() => encodePeft(full, UNTIED, 'm')).toThrow(/kind full.*Merge it/);
  });

  it('of a model that stores q, k and v in one matrix names that matrix, and comes back under its own digest', () => {
    const fused = parseModelConfig({ ...RAW, model_type: 'phi3' });
    const targetModules = ['k_proj', 'q_proj', 'v_proj', 'up_proj', 'gate_proj'];
    const adapter = adapterOf(fused, { targetModules });
    const files = encodePeft(adapter, fused, 'some/model');
    expect(configOf(files).target_modules).toEqual(['qkv_proj', 'gate_up_proj']);
    expect(createAdapter(decodePeft(files, { config: fused, digest: DIGEST })).digest).toBe(adapter.digest);
    expect(() => adapterOf(fused, { targetModules: ['q_proj'] })).toThrow(
      /q_proj alone: this model stores q_proj, k_proj/,
    );
    expect(() => adapterOf(UNTIED, { targetModules: ['qkv_proj'] })).toThrow(/Name q_proj, k_proj, v_proj instead/);
  });

  it.each<[string, (name: string) => string | null, RegExp]>([
    [
      'one layer alone',
      (name) => (name.includes('layers.1.') ? null : name),
      /changes (?:q_proj|v_proj|down_proj) in 1 of 2 layers, not in layer 1.*every layer or in none/,
    ],
    [
      'the head',
      (name) => name.replace('model.layers.0.self_attn.q_proj', 'lm_head'),
      /LoRA factors for lm_head.*whole, by modules_to_save/,
    ],
    [
      'the embedding',
      (name) => name.replace('layers.0.self_attn.q_proj.lora_A.weight', 'embed_tokens.lora_embedding_A'),
      /LoRA factors for embed_tokens/,
    ],
  ])('is refused with factors for %s, by what it has and what is computed', (_, renamed, message) => {
    expect(refusalOf(foreign(filesOf(), {}, renamed))).toMatchObject({
      code: 'ADAPTER_INVALID',
      message: expect.stringMatching(message) as string,
    });
  });

  it.each([
    '5',
    '{"seed":"s","targetModules":5}',
    '{"seed":"s","kind":"full"}',
    '[',
    '{"seed":"s","modulesToSave":null}',
  ])('does not believe settings in the metadata that mean something else: %s', (kept) => {
    const files = filesOf();
    const { tensors } = decodeSafetensors(files.tensors, 'x');
    const forged = { ...files, tensors: encodeSafetensors(tensors, { 'seamstream.settings': kept }) };
    expect(decodePeft(forged, { config: UNTIED, digest: DIGEST }).settings).toMatchObject({
      kind: 'lora',
      seed: 'peft',
    });
  });
});
