import { huggingFaceConfig, parseGeneration, parseModelConfig, type RawConfig } from './model-config.js';

/** Fields and spellings of the published files; sizes are small, what is read as it stands is not. */
const SMALL = { hidden_size: 64, intermediate_size: 96, num_attention_heads: 4, num_hidden_layers: 2, vocab_size: 512 };
const PUBLISHED = {
  'Llama-2-7b-hf': {
    ...SMALL,
    _name_or_path: 'meta-llama/Llama-2-7b-hf',
    architectures: ['LlamaForCausalLM'],
    bos_token_id: 1,
    eos_token_id: 2,
    hidden_act: 'silu',
    initializer_range: 0.02,
    max_position_embeddings: 4096,
    model_type: 'llama',
    num_key_value_heads: 4,
    pretraining_tp: 1,
    rms_norm_eps: 1e-5,
    rope_scaling: null,
    tie_word_embeddings: false,
    torch_dtype: 'float16',
    transformers_version: '4.31.0.dev0',
    use_cache: true,
  },
  'Llama-3.1-8B-Instruct': {
    ...SMALL,
    architectures: ['LlamaForCausalLM'],
    attention_bias: false,
    attention_dropout: 0.0,
    bos_token_id: 128000,
    eos_token_id: [128001, 128008, 128009],
    hidden_act: 'silu',
    initializer_range: 0.02,
    max_position_embeddings: 131072,
    mlp_bias: false,
    model_type: 'llama',
    num_key_value_heads: 2,
    pretraining_tp: 1,
    rms_norm_eps: 1e-5,
    rope_scaling: {
      factor: 8.0,
      low_freq_factor: 1.0,
      high_freq_factor: 4.0,
      original_max_position_embeddings: 8192,
      rope_type: 'llama3',
    },
    rope_theta: 500000.0,
    tie_word_embeddings: false,
    torch_dtype: 'bfloat16',
    transformers_version: '4.42.3',
    use_cache: true,
  },
  'Llama-3.2-1B': {
    ...SMALL,
    architectures: ['LlamaForCausalLM'],
    attention_bias: false,
    attention_dropout: 0.0,
    bos_token_id: 128000,
    eos_token_id: 128001,
    head_dim: 16,
    hidden_act: 'silu',
    initializer_range: 0.02,
    max_position_embeddings: 131072,
    mlp_bias: false,
    model_type: 'llama',
    num_key_value_heads: 2,
    pretraining_tp: 1,
    rms_norm_eps: 1e-5,
    rope_scaling: {
      factor: 32.0,
      high_freq_factor: 4.0,
      low_freq_factor: 1.0,
      original_max_position_embeddings: 8192,
      rope_type: 'llama3',
    },
    rope_theta: 500000.0,
    tie_word_embeddings: true,
    torch_dtype: 'bfloat16',
    transformers_version: '4.45.0.dev0',
    use_cache: true,
  },
  'Qwen2.5-0.5B-Instruct': {
    ...SMALL,
    architectures: ['Qwen2ForCausalLM'],
    attention_dropout: 0.0,
    bos_token_id: 151643,
    eos_token_id: 151645,
    hidden_act: 'silu',
    initializer_range: 0.02,
    max_position_embeddings: 32768,
    max_window_layers: 21,
    model_type: 'qwen2',
    num_key_value_heads: 2,
    rms_norm_eps: 1e-6,
    rope_theta: 1000000.0,
    sliding_window: 32768,
    tie_word_embeddings: true,
    torch_dtype: 'bfloat16',
    transformers_version: '4.43.1',
    use_cache: true,
    use_sliding_window: false,
  },
  'Qwen3-0.6B': {
    ...SMALL,
    architectures: ['Qwen3ForCausalLM'],
    attention_bias: false,
    attention_dropout: 0.0,
    bos_token_id: 151643,
    eos_token_id: 151645,
    head_dim: 128,
    hidden_act: 'silu',
    initializer_range: 0.02,
    max_position_embeddings: 40960,
    max_window_layers: 28,
    model_type: 'qwen3',
    num_key_value_heads: 2,
    rms_norm_eps: 1e-6,
    rope_scaling: null,
    rope_theta: 1000000,
    sliding_window: null,
    tie_word_embeddings: true,
    torch_dtype: 'bfloat16',
    transformers_version: '4.51.0',
    use_cache: true,
    use_sliding_window: false,
  },
  'Mistral-7B-Instruct-v0.1': {
    ...SMALL,
    architectures: ['MistralForCausalLM'],
    bos_token_id: 1,
    eos_token_id: 2,
    hidden_act: 'silu',
    initializer_range: 0.02,
    max_position_embeddings: 32768,
    model_type: 'mistral',
    num_key_value_heads: 2,
    rms_norm_eps: 1e-5,
    rope_theta: 10000.0,
    sliding_window: 4096,
    tie_word_embeddings: false,
    torch_dtype: 'bfloat16',
    use_cache: true,
  },
  'SmolLM3-3B': {
    ...SMALL,
    architectures: ['SmolLM3ForCausalLM'],
    attention_bias: false,
    bos_token_id: null,
    eos_token_id: 128012,
    hidden_act: 'silu',
    layer_types: ['full_attention', 'full_attention'],
    max_position_embeddings: 65536,
    max_window_layers: 28,
    mlp_bias: false,
    model_type: 'smollm3',
    no_rope_layer_interval: 4,
    no_rope_layers: [1, 0],
    num_key_value_heads: 2,
    pad_token_id: 128004,
    rms_norm_eps: 1e-6,
    rope_scaling: null,
    rope_theta: 5000000.0,
    sliding_window: null,
    use_sliding_window: false,
  },
  'Phi-4-mini-instruct': {
    ...SMALL,
    architectures: ['Phi3ForCausalLM'],
    attention_bias: false,
    bos_token_id: 199999,
    embd_pdrop: 0.0,
    eos_token_id: 199999,
    full_attn_mod: 1,
    hidden_act: 'silu',
    interpolate_factor: 1,
    lm_head_bias: false,
    max_position_embeddings: 131072,
    mlp_bias: false,
    model_type: 'phi3',
    num_key_value_heads: 2,
    original_max_position_embeddings: 4096,
    pad_token_id: 199999,
    partial_rotary_factor: 0.75,
    resid_pdrop: 0.0,
    rms_norm_eps: 1e-5,
    rope_scaling: {
      long_factor: [1, 1.118320672, 1.250641126, 1.398617824, 1.564103225, 1.74916897],
      short_factor: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
      type: 'longrope',
    },
    rope_theta: 10000.0,
    sliding_window: 262144,
    tie_word_embeddings: true,
  },
  'gemma-2-2b-it': {
    ...SMALL,
    architectures: ['Gemma2ForCausalLM'],
    attention_bias: false,
    attn_logit_softcapping: 50.0,
    bos_token_id: 2,
    cache_implementation: 'hybrid',
    eos_token_id: [1, 107],
    final_logit_softcapping: 30.0,
    head_dim: 256,
    hidden_act: 'gelu_pytorch_tanh',
    hidden_activation: 'gelu_pytorch_tanh',
    max_position_embeddings: 8192,
    model_type: 'gemma2',
    num_key_value_heads: 2,
    pad_token_id: 0,
    query_pre_attn_scalar: 256,
    rms_norm_eps: 1e-6,
    rope_theta: 10000.0,
    sliding_window: 4096,
  },
  'gemma-3-1b-it': {
    ...SMALL,
    architectures: ['Gemma3ForCausalLM'],
    attention_bias: false,
    attn_logit_softcapping: null,
    bos_token_id: 2,
    cache_implementation: 'hybrid',
    eos_token_id: [1, 106],
    final_logit_softcapping: null,
    head_dim: 256,
    hidden_activation: 'gelu_pytorch_tanh',
    max_position_embeddings: 32768,
    model_type: 'gemma3_text',
    num_hidden_layers: 7,
    num_key_value_heads: 1,
    pad_token_id: 0,
    query_pre_attn_scalar: 256,
    rms_norm_eps: 1e-6,
    rope_local_base_freq: 10000,
    rope_scaling: null,
    rope_theta: 1000000,
    sliding_window: 512,
    sliding_window_pattern: 6,
  },
} as const satisfies Record<string, RawConfig>;

const llama = PUBLISHED['Llama-2-7b-hf'];

function refusalOf(raw: RawConfig): unknown {
  try {
    return parseModelConfig(raw);
  } catch (error) {
    return error;
  }
}

describe('config.json', () => {
  it.each([
    ['Llama-2-7b-hf', { family: 'llama', maxPositions: 4096, ropeTheta: 10000, tieWordEmbeddings: false }],
    [
      'Llama-3.1-8B-Instruct',
      {
        maxPositions: 131072,
        keyValueHeads: 2,
        ropeScaling: {
          type: 'llama3',
          factor: 8,
          lowFrequencyFactor: 1,
          highFrequencyFactor: 4,
          originalPositions: 8192,
        },
      },
    ],
    ['Llama-3.2-1B', { headDimension: 16, tieWordEmbeddings: true, attentionBias: false }],
    ['Qwen2.5-0.5B-Instruct', { family: 'qwen2', attentionBias: true, queryKeyNorm: false, maxPositions: 32768 }],
    ['Qwen3-0.6B', { family: 'qwen3', attentionBias: false, queryKeyNorm: true, headDimension: 128 }],
    ['Mistral-7B-Instruct-v0.1', { family: 'mistral', maxPositions: 4096, attentionBias: false }],
    ['SmolLM3-3B', { family: 'smollm3', layersWithoutRotation: [1], tieWordEmbeddings: true, ropeTheta: 5e6 }],
    [
      'Phi-4-mini-instruct',
      {
        family: 'phi3',
        fusedProjections: true,
        rotaryDimension: 12,
        maxPositions: 4096,
        // √(1 + ln 32 / ln 4096)
        ropeScaling: { type: 'longrope', attentionFactor: 1.1902380714238083, originalPositions: 4096 },
      },
    ],
    [
      'gemma-2-2b-it',
      { family: 'gemma2', maxPositions: 4096, attentionSoftcap: 50, logitSoftcap: 30, attentionScale: 1 / 16 },
    ],
    [
      'gemma-3-1b-it',
      {
        family: 'gemma3',
        maxPositions: 512,
        localRotary: { theta: 10000, layers: [0, 1, 2, 3, 4, 6] },
        ropeTheta: 1e6,
      },
    ],
  ] as const)('of %s is read as published', (name, expected) => {
    expect(parseModelConfig(PUBLISHED[name])).toMatchObject(expected);
  });

  it('says nothing new where nothing is new, so that digests of models stay', () => {
    const config = parseModelConfig(llama);
    expect(config).not.toHaveProperty('ropeScaling');
    expect(config).not.toHaveProperty('outputBias');
    expect(parseModelConfig({ ...llama, rope_scaling: { rope_type: 'default' } })).toEqual(config);
  });

  it('means the same in the old spelling of rotary parameters and in the new one', () => {
    const scaling = { factor: 4, original_max_position_embeddings: 1024 };
    const old = { ...llama, rope_theta: 7e5, rope_scaling: { ...scaling, type: 'yarn' } };
    const now = {
      ...old,
      rope_scaling: undefined,
      rope_theta: undefined,
      rope_parameters: { ...scaling, rope_type: 'yarn', rope_theta: 7e5 },
    };
    expect(parseModelConfig(now)).toEqual(parseModelConfig(old));
  });

  it.each([
    [{ type: 'linear', factor: 4 }],
    [{ type: 'dynamic', factor: 2 }],
    [
      {
        rope_type: 'llama3',
        factor: 8,
        low_freq_factor: 1,
        high_freq_factor: 4,
        original_max_position_embeddings: 512,
      },
    ],
    [{ rope_type: 'yarn', factor: 4, beta_fast: 16, truncate: false }],
    [{ rope_type: 'default' }],
  ])('with rope_scaling %j is written back as what it was read', (rope_scaling) => {
    for (const name of ['Llama-2-7b-hf', 'Qwen3-0.6B'] as const) {
      const config = parseModelConfig({ ...PUBLISHED[name], attention_bias: true, rope_scaling });
      expect(parseModelConfig(huggingFaceConfig(config, { eosTokenIds: [0] }))).toEqual(config);
    }
  });

  it.each(['Mistral-7B-Instruct-v0.1', 'SmolLM3-3B', 'Phi-4-mini-instruct', 'gemma-2-2b-it', 'gemma-3-1b-it'] as const)(
    'of %s is written back as what it was read',
    (name) => {
      const config = parseModelConfig(PUBLISHED[name]);
      expect(parseModelConfig(huggingFaceConfig(config, { eosTokenIds: [0] }))).toEqual(config);
    },
  );

  it('has a rotary embedding for each type of layers where the family has: Gemma 3, in its old spelling and in the new one', () => {
    const old = { ...PUBLISHED['gemma-3-1b-it'], rope_scaling: { rope_type: 'linear', factor: 8 } };
    const now = {
      ...old,
      rope_scaling: undefined,
      rope_theta: undefined,
      rope_local_base_freq: undefined,
      rope_parameters: {
        full_attention: { rope_type: 'linear', factor: 8, rope_theta: 1e6 },
        sliding_attention: { rope_type: 'default', rope_theta: 10000 },
      },
    };
    expect(parseModelConfig(now)).toEqual(parseModelConfig(old));
  });

  it('reaches as far as yarn stretches the first positions; linear and dynamic scaling leave max_position_embeddings', () => {
    const reach = (rope_scaling: RawConfig): number => parseModelConfig({ ...llama, rope_scaling }).maxPositions;
    expect(reach({ type: 'yarn', factor: 4, original_max_position_embeddings: 4096 })).toBe(16384);
    expect(reach({ type: 'yarn', factor: 4, original_max_position_embeddings: 512 })).toBe(4096);
    expect(reach({ type: 'yarn', factor: 4 })).toBe(16384);
    expect(reach({ type: 'linear', factor: 4 })).toBe(4096);
    expect(reach({ type: 'dynamic', factor: 4 })).toBe(4096);
  });

  it.each<[RawConfig, RegExp]>([
    [
      { model_type: 'mixtral' },
      /model_type "mixtral".*llama, qwen2, qwen3, mistral, smollm3, phi3, gemma2, gemma3_text/,
    ],
    [{ model_type: 'constructor' }, /model_type "constructor"/],
    [{ rope_scaling: { rope_type: 'mrope', factor: 2 } }, /type "mrope".*dynamic, llama3, yarn and longrope/],
    [{ rope_parameters: { full_attention: { rope_theta: 5e5 } } }, /each type of layers \(full_attention\)/],
    [{ model_type: 'smollm3', no_rope_layers: [1] }, /no_rope_layers of 1 entries.*each of the 2 layers/],
    [{ model_type: 'phi3', partial_rotary_factor: 0.1 }, /partial_rotary_factor 0.1 of heads of 16/],
    [{ model_type: 'mistral', attention_bias: true }, /attention_bias/],
    [{ model_type: 'gemma2', hidden_activation: 'gelu' }, /hidden_activation "gelu".*gelu_pytorch_tanh/],
    [{ model_type: 'gemma3_text', use_bidirectional_attention: true }, /use_bidirectional_attention/],
    [{ quantization_config: { load_in_4bit: true } }, /"bitsandbytes" in 4 bits/],
    [{ quantization_config: { bits: 3 } }, /no named method, with "bits"/],
    [{ rope_scaling: { rope_type: 'default', partial_rotary_factor: 0.5 } }, /partial_rotary_factor 0.5/],
    [{ partial_rotary_factor: 0.25 }, /partial_rotary_factor 0.25/],
    [{ use_sliding_window: true, sliding_window: 256 }, /use_sliding_window \(of 256 tokens\).*full attention/],
    [{ layer_types: ['full_attention', 'sliding_attention'] }, /"sliding_attention".*full_attention/],
    [{ hidden_act: 'gelu_pytorch_tanh' }, /hidden_act "gelu_pytorch_tanh".*silu/],
    [{ mlp_bias: true }, /mlp_bias/],
    [{ quantization_config: { quant_method: 'awq', bits: 4 } }, /quantized weights \(quantization_config, "awq"\)/],
  ])('with %j is refused by name, with what is computed instead', (changes, message) => {
    expect(refusalOf({ ...llama, ...changes })).toMatchObject({
      code: 'UNSUPPORTED_MODEL',
      message: expect.stringMatching(message) as string,
    });
  });

  it.each<[RawConfig, RegExp]>([
    [{ hidden_size: 63 }, /head_dim 15.75/],
    [{ head_dim: 15 }, /head_dim 15.*even/],
    [{ rope_scaling: { type: 'linear' } }, /rope factor undefined/],
    [{ rope_scaling: { type: 'linear', factor: 0.5 } }, /rope factor 0.5.*at least 1/],
    [{ rope_scaling: { type: 'llama3', factor: 8, low_freq_factor: 4, high_freq_factor: 4 } }, /high_freq_factor 4/],
    [{ rope_scaling: { type: 'yarn', factor: 4, beta_fast: 'many' } }, /beta_fast "many"/],
    [{ rope_scaling: { type: 'longrope', short_factor: [1, 2] } }, /short_factor \[1,2\]: expected 8 numbers/],
    [{ num_hidden_layers: 1_000_000 }, /num_hidden_layers 1000000: expected at most 1024/],
    [{ max_position_embeddings: 3e8 }, /max_position_embeddings 300000000: expected at most/],
    [{ max_position_embeddings: 2 ** 25 }, /rotary angles of 33554432 positions/],
    [{ vocab_size: 1e300 }, /vocab_size 1e\+300/],
    [{ rope_theta: Number.POSITIVE_INFINITY }, /rope_theta Infinity/],
    [{ head_dim: 2 ** 40 }, /head_dim 1099511627776: expected at most/],
    [{ rope_scaling: 'yarn' }, /rope parameters "yarn"/],
    [{ rope_theta: -1 }, /rope_theta -1/],
    [{ num_key_value_heads: 3 }, /4 query heads and 3/],
  ])('with %j is refused as damaged, field and value named', (changes, message) => {
    expect(refusalOf({ ...llama, ...changes })).toMatchObject({
      code: 'CHECKPOINT_INVALID',
      message: expect.stringMatching(message) as string,
    });
  });
});

describe('generation_config.json', () => {
  it('of Llama-3.1-8B-Instruct and Qwen2.5-0.5B-Instruct names every token that ends a text', () => {
    const qwen = {
      bos_token_id: 151643,
      pad_token_id: 151643,
      do_sample: true,
      eos_token_id: [151645, 151643],
      top_k: 20,
    };
    expect(parseGeneration({ ...PUBLISHED['Qwen2.5-0.5B-Instruct'], ...qwen })).toEqual({
      eosTokenIds: [151645, 151643],
      bosTokenId: 151643,
      padTokenId: 151643,
    });
    expect(parseGeneration(PUBLISHED['Llama-3.1-8B-Instruct']).eosTokenIds).toEqual([128001, 128008, 128009]);
  });
});
