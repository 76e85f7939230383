// config.json: every model that it can describe is parsed, and what is parsed is written back as what it was.
import { parseModelConfig } from '@seamstream/language-model';
import { damaged } from '../damage.mjs';

export const name = 'model-config';
const SIZES = {
  vocab_size: 96,
  hidden_size: 32,
  intermediate_size: 48,
  num_hidden_layers: 4,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  max_position_embeddings: 64,
};
const MODELS = [
  { model_type: 'llama', rope_scaling: { rope_type: 'yarn', factor: 4, original_max_position_embeddings: 16 } },
  { model_type: 'qwen2', rope_scaling: null, use_sliding_window: false },
  { model_type: 'qwen3', head_dim: 16, attention_bias: true },
  { model_type: 'mistral', sliding_window: 32 },
  { model_type: 'smollm3', no_rope_layers: [1, 1, 1, 0] },
  { model_type: 'phi3', partial_rotary_factor: 0.75, rope_scaling: { type: 'longrope', short_factor: [1, 2, 3] } },
  { model_type: 'gemma2', head_dim: 16, query_pre_attn_scalar: 16, final_logit_softcapping: 30 },
  { model_type: 'gemma3_text', head_dim: 16, rope_parameters: { full_attention: { rope_theta: 1e6 } } },
].map((model) => ({ ...SIZES, ...model }));
export const seeds = MODELS.map((model) => Buffer.from(JSON.stringify(model)));

const VALUES = [
  0,
  -1,
  1,
  2,
  0.5,
  1e9,
  1e300,
  2 ** 31,
  null,
  true,
  '',
  'silu',
  [],
  [1],
  {},
  { full_attention: {} },
  [[]],
];

/** A field replaced, at the top or within: most damaged bytes are no JSON. */
export function mutate(random, all) {
  if (random.int(4) === 0) return damaged(random, all);
  const model = structuredClone(random.pick(MODELS));
  for (let changes = 1 + random.int(3); changes > 0; changes--) {
    const inner = Object.values(model).filter((value) => typeof value === 'object' && value !== null);
    const target = inner.length > 0 && random.int(3) === 0 ? random.pick(inner) : model;
    const keys = [
      ...Object.keys(target),
      'rope_theta',
      'layer_types',
      'quantization_config',
      'sliding_window',
      '__proto__',
    ];
    const value = structuredClone(random.pick(VALUES));
    Object.defineProperty(target, random.pick(keys), { value, enumerable: true, configurable: true, writable: true });
  }
  return Buffer.from(JSON.stringify(model));
}

export function run(bytes) {
  let raw;
  try {
    raw = JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return;
  }
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return;
  const config = parseModelConfig(raw);
  for (const [key, value] of Object.entries(config))
    if (typeof value === 'number' && !(Number.isFinite(value) && value > 0)) throw new Error(`${key} is ${value}`);
}
