import { huggingFaceConfig, parseGeneration, parseModelConfig, type RawConfig } from './model-config.js';
import { llama, PUBLISHED } from './published-configs.fake.js';

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
