import { algorithms, presets } from './index.js';
import { stepsOf } from './schedule.js';

describe('a preset', () => {
  it('configures algorithms that exist with settings that they accept, and its curriculum runs only those', () => {
    for (const { curriculum, algorithms: configurations } of presets.values()) {
      for (const [name, configuration] of Object.entries(configurations)) {
        // Recipes of the methods library and team, whose specs read their presets.
        if (['llm', 'sat-seq'].includes(name)) continue;
        expect(algorithms.get(name)?.resolveConfiguration(configuration)).toMatchObject(configuration);
      }
      expect(Object.keys(configurations)).toEqual(expect.arrayContaining([curriculum.warmUp, curriculum.refine]));
    }
  });

  it('for the embedded demonstration compares more gently than it imitates, and learns from any entry that did better', () => {
    const { algorithms: configurations } = presets.get('embedded')!;
    expect(algorithms.get('sft')?.resolveConfiguration(configurations.sft)).toMatchObject({
      learningRate: { peak: 5e-4, decay: 'constant' },
    });
    expect(algorithms.get('grpo')?.resolveConfiguration(configurations.grpo)).toMatchObject({
      learningRate: { peak: 3e-4 },
      importance: { correction: 'taper' },
      clip: { low: 0.2, high: 0.28 },
    });
  });

  it("for SEAM has its authors' values, line by line", () => {
    const { curriculum, algorithms: configurations } = presets.get('seam-paper')!;
    expect(curriculum).toMatchObject({ imitateBelow: 0, refine: 'grpo' });
    expect(algorithms.get('grpo')?.resolveConfiguration(configurations.grpo)).toEqual({
      advantage: 'std',
      lossAverage: 'token-mean',
      clip: { low: 0.2, high: 0.2 },
      importance: { correction: 'truncate', unit: 'token', cap: 2, minEffectiveSampleRatio: 0.3 },
      kl: { coefficient: 0.001, reference: 'base' },
      entropyCoefficient: 0,
      window: { versions: 1, rounds: 1 },
      deadGroups: 'keep',
      dynamicSampling: null,
      overlong: null,
      plainSamplingOnly: true,
      minLiveGroups: 1,
      batchSize: 80,
      duration: { unit: 'epochs', epochs: 1 },
      learningRate: { peak: 1e-6, warmupSteps: 0, decay: 'constant', finalRatio: 0.1 },
      optimizer: { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0.01, clipNorm: 1 },
      trainable: { kind: 'full' },
    });
    expect(algorithms.get('sft')?.resolveConfiguration(configurations.sft)).toMatchObject({
      learningRate: { peak: 1e-5, decay: 'constant' },
      batchSize: 4,
      duration: { unit: 'steps', steps: 500 },
      helpfulness: { power: 0 },
      balance: 'none',
    });
  });

  it("for DAPO has the paper's clip-higher, dynamic sampling, token mean and overlong punishment, line by line", () => {
    const { curriculum, algorithms: configurations } = presets.get('dapo')!;
    expect(curriculum).toMatchObject({ imitateBelow: 0, refine: 'grpo' });
    expect(algorithms.get('grpo')?.resolveConfiguration(configurations.grpo)).toEqual({
      advantage: 'std',
      lossAverage: 'token-mean',
      clip: { low: 0.2, high: 0.28 },
      importance: { correction: 'truncate', unit: 'token', cap: 2, minEffectiveSampleRatio: 0.3 },
      kl: { coefficient: 0, reference: 'parent' },
      entropyCoefficient: 0,
      window: { versions: 1, rounds: 1 },
      deadGroups: 'drop',
      dynamicSampling: { liveGroups: 512, maxRounds: 10 },
      overlong: { of: 'entry', maxTokens: 20_480, bufferTokens: 4096, penalty: 0.5 },
      plainSamplingOnly: true,
      minLiveGroups: 1,
      batchSize: 512,
      duration: { unit: 'epochs', epochs: 1 },
      learningRate: { peak: 1e-6, warmupSteps: 0, decay: 'constant', finalRatio: 0.1 },
      optimizer: { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0.1, clipNorm: 1 },
      trainable: { kind: 'full' },
    });
    // 512 groups of 16 entries.
    expect(stepsOf({ unit: 'epochs', epochs: 1 }, 512 * 16, 512)).toBe(16);
  });

  it("for SEAM makes the script's seven optimizer steps of a batch of 128 problems and 4 entries", () => {
    // 512 entries in mini-batches of 20 problems, 80 entries each: six full ones and a seventh.
    expect(stepsOf({ unit: 'epochs', epochs: 1 }, 128 * 4, 80)).toBe(7);
  });
});
